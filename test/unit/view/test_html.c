/* SPDX-License-Identifier: Apache-2.0 */
/* The page is one file, keeps foreign names from becoming markup, and packs what is large so that it can be unpacked. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "test.h"
#include "json_reader.h"
#include "rendered.h"

static struct document *make(size_t nodes)
{
	struct document *document = document_new("crosscut.ledger/1", "</title><script>alert(1)</script>");
	struct tree *tree = tree_new("ns", "exact");

	tree_add(tree, 0, tree_name(tree, "</script><!--"), (double)nodes - 1, 0, 0);
	for (size_t i = 1; i < nodes; i++)
		tree_add(tree, 1, tree_name(tree, "f"), 1, 1, 1);
	(void)document_add_tree(document, "trees.oncpu", "On CPU", tree);
	return document;
}

static size_t occurrences(const char *text, const char *of)
{
	size_t count = 0;

	for (const char *at = strstr(text, of); at; at = strstr(at + 1, of))
		count++;
	return count;
}

/* What stands in the element "document", or fails. */
static char *embedded(const char *html, const char *type)
{
	CLEANUP_TEXT char *start = xasprintf("<script type=\"%s\" id=\"document\">", type);
	const char *from = strstr(html, start), *to;

	assert_non_null(from);
	from += strlen(start);
	to = strstr(from, "</script>");
	assert_non_null(to);
	return xstrndup(from, (size_t)(to - from));
}

static size_t unbase64(const char *text, unsigned char *into)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, held = 0;
	size_t count = 0;

	for (; *text && *text != '='; text++) {
		const char *letter = strchr(alphabet, *text);

		assert_non_null(letter);
		bits = bits << 6 | (unsigned)(letter - alphabet);
		held += 6;
		if (held >= 8) {
			held -= 8;
			into[count++] = (unsigned char)(bits >> held);
		}
	}
	return count;
}

static char *unpacked(const char *text)
{
	unsigned char *packed = xmalloc(strlen(text));
	size_t size = unbase64(text, packed), room = 64 << 20;
	char *json = xmalloc(room);
	z_stream stream = { .next_in = packed, .avail_in = (unsigned)size, .next_out = (Bytef *)json, .avail_out = (unsigned)room - 1 };

	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	json[stream.total_out] = 0;
	inflateEnd(&stream);
	free(packed);
	return json;
}

TEST(foreign_names_cannot_end_the_script_that_holds_them)
{
	CLEANUP(document) struct document *document = make(2);
	CLEANUP_TEXT char *html = rendered(document, "html", (struct view_style){ 0 });
	CLEANUP_TEXT char *json = embedded(html, "application/json");

	assert_null(strchr(json, '<'));
	assert_true(json_is_valid(json));
	assert_json(json, "$.trees.oncpu.names[0]", "</script><!--");
	assert_non_null(strstr(html, "<title>&#60;/title&#62;&#60;script&#62;"));
	assert_int_equal(occurrences(html, "<script"), 2);
	assert_int_equal(occurrences(html, "</script"), 2);
}

TEST(what_is_large_is_packed_and_unpacks_to_the_same_answer)
{
	static const size_t sizes[] = { 2001, 2002, 2003, 50000 };

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		CLEANUP(document) struct document *document = make(sizes[i]);
		CLEANUP_TEXT char *html = rendered(document, "html", (struct view_style){ 0 });
		CLEANUP_TEXT char *packed = embedded(html, "application/gzip");
		CLEANUP_TEXT char *json = unpacked(packed);

		assert_json_length(json, "$.trees.oncpu.value", sizes[i]);
	}
}

TEST(nothing_outside_the_file_may_load)
{
	CLEANUP(document) struct document *document = make(2);
	CLEANUP_TEXT char *html = rendered(document, "html", (struct view_style){ 0 });

	assert_non_null(strstr(html, "default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(html, "unsafe-inline"));
	assert_int_equal(occurrences(html, " src="), 0);
	assert_int_equal(occurrences(html, "@import"), 0);
	assert_int_equal(occurrences(html, "<!--crosscut:"), 0);
}
