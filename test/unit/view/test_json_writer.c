/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer writes is read back by a parser that we did not write. */
#include "view/json_writer.h"

#include <iconv.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "test.h"
#include "json_reader.h"

static struct text written = TEXT(1 << 20);
static struct output to;

static struct json_writer writer(void)
{
	text_clear(&written);
	output_to_text(&to, &written);
	return (struct json_writer){ .to = &to };
}

static void assert_written(const char *expected)
{
	assert_string_equal(text_string(&written), expected);
}

TEST(commas_and_nesting_come_by_themselves)
{
	struct json_writer json = writer();

	json_object_begin(&json);
	json_key(&json, "a");
	json_array_begin(&json);
	json_signed(&json, 1);
	json_array_begin(&json);
	json_array_end(&json);
	json_none(&json);
	json_array_end(&json);
	json_key(&json, "b");
	json_truth(&json, false);
	json_object_end(&json);
	assert_written("{\"a\":[1,[],null],\"b\":false}");
}

TEST(integers_are_exact_beyond_what_a_double_can_hold)
{
	struct json_writer json = writer();

	json_array_begin(&json);
	json_signed(&json, INT64_MIN);
	json_unsigned(&json, UINT64_MAX);
	json_signed(&json, (INT64_C(1) << 53) + 1);
	json_array_end(&json);
	assert_written("[-9223372036854775808,18446744073709551615,9007199254740993]");
}

TEST(numbers_read_back_the_same_and_stay_short)
{
	static const double numbers[] = { 0.1, 1.0 / 3, 6.02214076e23, -2.5e-300, 5e-324, 1.7976931348623157e308, 3 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct json_writer json = writer();

		json_number(&json, numbers[i]);
		assert_true(strtod(text_string(&written), NULL) == numbers[i]);
		assert_true(strlen(text_string(&written)) <= 24);
	}
	(void)writer();
	json_number(&(struct json_writer){ .to = &to }, 0.1);
	assert_written("0.1");
}

TEST(what_is_not_finite_is_null)
{
	struct json_writer json = writer();

	json_array_begin(&json);
	json_number(&json, NAN);
	json_number(&json, -INFINITY);
	json_array_end(&json);
	assert_written("[null,null]");
}

TEST(controls_and_quotes_are_escaped)
{
	struct json_writer json = writer();

	json_text(&json, "a\"b\\c\n\t\x01\x7f\xc2\x9b\xe2\x80\xa8z");
	assert_written("\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\\u009b\\u2028z\"");
}

TEST(markup_is_escaped_only_for_a_page)
{
	struct json_writer json = writer();

	json_text(&json, "</script>&");
	assert_written("\"</script>&\"");
	json = writer();
	json.markup_safe = true;
	json_text(&json, "</script>&");
	assert_written("\"\\u003c/script\\u003e\\u0026\"");
}

static bool utf8_is_valid(const char *text)
{
	char *from = (char *)text, into[256], *onto = into;
	size_t from_size = strlen(text), room = sizeof(into);
	iconv_t how = iconv_open("UCS-4LE", "UTF-8");
	bool valid = iconv(how, &from, &from_size, &onto, &room) != (size_t)-1;

	iconv_close(how);
	return valid;
}

TEST(any_bytes_come_out_as_a_text_that_readers_accept)
{
	for (unsigned first = 1; first < 256; first += 3) {
		for (unsigned second = 1; second < 256; second++) {
			struct json_writer json = writer();
			char text[] = { (char)first, (char)second, (char)(first ^ second ^ 0x80), 'x', 0 };

			json_text(&json, text);
			assert_true(utf8_is_valid(text_string(&written)));
			assert_true(json_is_valid(text_string(&written)));
		}
	}
}

TEST(good_utf8_passes_as_it_is)
{
	struct json_writer json = writer();

	json_text(&json, "größe 表 🔥");
	assert_written("\"größe 表 🔥\"");
}
