/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/text.h"
#include "format/json.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parsed { struct json json; struct json_value root; char *text; struct error err; int r; size_t at; };

/* The text lies at the end of an allocation of its own, so that a byte read too far is seen. */
static struct parsed parsed(const char *text)
{
	struct parsed parsed = { .text = malloc(strlen(text) + 1) };

	memcpy(parsed.text, text, strlen(text));
	parsed.text = realloc(parsed.text, strlen(text) ? strlen(text) : 1);
	parsed.json = json_of(parsed.text, strlen(text));
	parsed.r = json_parse(&parsed.json, &parsed.at, &parsed.root, &parsed.err);
	return parsed;
}

#define PARSED(name, text)                                  \
	struct parsed name##_kept = parsed(text);           \
	struct json_value name = name##_kept.root;          \
	name.json = name.json ? &name##_kept.json : NULL

static void forget(struct parsed *parsed)
{
	json_done(&parsed->json);
	free(parsed->text);
}

TEST(values_are_found_by_key_and_index)
{
	PARSED(root, " {\"a\": [1, 2, [3, 4], {\"b\": \"c\"}, 5], \"d\": {}, \"e\": null} ");

	assert_int_equal(root_kept.r, 0);
	assert_int_equal(json_count(root), 3);
	assert_int_equal(json_count(json_get(root, "a")), 5);
	assert_int_equal(json_whole(json_at(json_get(root, "a"), 1), 0), 2);
	assert_int_equal(json_whole(json_at(json_at(json_get(root, "a"), 2), 1), 0), 4);
	assert_true(json_is(json_get(json_at(json_get(root, "a"), 3), "b"), "c"));
	assert_int_equal(json_whole(json_at(json_get(root, "a"), 4), 0), 5);
	assert_int_equal(json_at(json_get(root, "a"), 5).kind, JSON_ABSENT);
	assert_int_equal(json_get(root, "e").kind, JSON_NULL);
	assert_int_equal(json_path(root, "d", "x", "y", NULL).kind, JSON_ABSENT);
	forget(&root_kept);
}

TEST(an_array_of_scalars_is_one_node_however_long)
{
	PARSED(root, "[1,null,true,\"x\\\"],\",-2.5e3 , 7]");
	struct json_items items = json_items(root);
	size_t count = 0;

	assert_int_equal(root_kept.r, 0);
	assert_int_equal(root_kept.json.count, 1);
	while (json_next(&items))
		count++;
	assert_int_equal(count, 6);
	assert_int_equal(json_at(root, 1).kind, JSON_NULL);
	assert_true(json_double(json_at(root, 4), 0) == -2500.0);
	assert_int_equal(json_whole(json_at(root, 5), 0), 7);
	forget(&root_kept);
}

TEST(trailing_commas_are_accepted)
{
	PARSED(root, "{\"a\":[1,],\"b\":{\"c\":2,},}");

	assert_int_equal(root_kept.r, 0);
	assert_int_equal(json_count(json_get(root, "a")), 1);
	assert_int_equal(json_whole(json_path(root, "b", "c", NULL), 0), 2);
	forget(&root_kept);
}

TEST(what_ends_in_the_middle_is_told_from_what_is_wrong)
{
	static const char *const cut[] = { "", " ", "[", "[1", "[1,", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":tr", "\"a\\\"",
					   "[[1],2" };
	static const char *const wrong[] = { "]", "[,1]", "{1:2}", "{\"a\" 1}", "[1 2]", "[nul]", "[1.]", "[-]", "[1e]",
					     "[1-2]", "[+1]", "+1 ", "{\"a\":}", "nope", "[1}" };

	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		struct parsed is = parsed(cut[i]);

		assert_int_equal(is.r, -ENODATA);
		forget(&is);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct parsed is = parsed(wrong[i]);

		assert_int_equal(is.r, -EBADMSG);
		assert_non_null(strstr(is.err.why, "byte"));
		forget(&is);
	}
}

TEST(depth_is_limited)
{
	char deep[2 * JSON_DEPTH_LIMIT + 3];
	struct parsed is;

	memset(deep, '[', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	is = parsed(deep);
	assert_int_equal(is.r, -E2BIG);
	forget(&is);
}

TEST(escapes_become_utf_8)
{
	PARSED(root, "[\"a\\n\\u00e9\\u20ac\\ud83d\\ude00\\\\\\/\\ud800x\", 12.5]");
	struct text text = TEXT(64);

	assert_string_equal(json_decoded(json_at(root, 0), &text), "a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\/\xef\xbf\xbdx");
	assert_string_equal(json_decoded(json_at(root, 1), &text), "12.5");
	assert_string_equal(json_decoded(json_at(root, 2), &text), "");
	text_done(&text);
	forget(&root_kept);
}

static bool scaled_is(const char *text, int shift, int64_t expected)
{
	int64_t number;

	return decimal_scaled(text, strlen(text), shift, &number) && number == expected;
}

TEST(decimals_are_scaled_exactly)
{
	int64_t number;
	static const char *const none[] = { "", ".", "+", "-", "1.5e", "2e+", "invalid", "0x10", "inf", "nan", "1.2.3",
					    "99999999999999999999" };

	assert_true(scaled_is("1750244461563845.001", 3, 1750244461563845001));
	assert_true(scaled_is("4619295550.000", 3, 4619295550000));
	assert_true(scaled_is(".75", 3, 750));
	assert_true(scaled_is("246.", 3, 246000));
	assert_true(scaled_is("01.23", 2, 123));
	assert_true(scaled_is("+10.5", 1, 105));
	assert_true(scaled_is("-1.0005", 3, -1001));
	assert_true(scaled_is("1.00049", 3, 1000));
	assert_true(scaled_is("1.5e3", 0, 1500));
	assert_true(scaled_is("0.30000000000000004441", 6, 300000));
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(decimal_scaled(none[i], strlen(none[i]), 0, &number));
}
