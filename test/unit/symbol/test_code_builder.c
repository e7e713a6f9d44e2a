/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/code_builder.h"
#include "symbol/code_map.h"

static struct code_map *packed(struct code_builder *builder)
{
	struct code_map *map = NULL;
	size_t size;
	void *bytes = code_builder_pack(builder, &size);

	assert_int_equal(code_map_open(bytes, size, &map), 0);
	return map;
}

/* "parse/main.c:20 main/main.c:12", innermost first; "-" where nothing is known. */
static const char *chain_at(const struct code_map *map, uint64_t address)
{
	static char text[1024];
	struct code_call calls[CODE_DEPTH_LIMIT];
	size_t count = code_map_find(map, address, calls), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && i < 8; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s/%s:%u", i ? " " : "", calls[i].name, calls[i].path,
				       calls[i].line);
	return count ? text : "-";
}

static struct code_map *two_calls(uint64_t base)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	uint32_t outer = code_builder_scope(builder, 0, "main", "", 0);
	uint32_t inner = code_builder_scope(builder, outer, "parse", "main.c", 12);
	uint32_t next = code_builder_scope(builder, 0, "next", "", 0);

	code_builder_range(builder, base + 0x10, base + 0x20, inner);
	code_builder_range(builder, base, base + 0x40, outer);
	code_builder_range(builder, base + 0x40, base + 0x50, next);
	code_builder_line(builder, base, "main.c", 11);
	code_builder_line(builder, base + 0x10, "parse.h", 20);
	code_builder_line(builder, base + 0x20, "main.c", 13);
	code_builder_line(builder, base + 0x50, NULL, 0);
	code_builder_line(builder, base + 0x40, NULL, 0);
	code_builder_line(builder, base + 0x40, "next.c", 7);
	code_builder_covered(builder, base, base + 0x50);
	return packed(builder);
}

TEST(an_address_has_its_chain_of_calls_and_each_its_line)
{
	CLEANUP(code_map) struct code_map *map = two_calls(0x1000);

	assert_string_equal(chain_at(map, 0x1000), "main/main.c:11");
	assert_string_equal(chain_at(map, 0x100f), "main/main.c:11");
	assert_string_equal(chain_at(map, 0x1010), "parse/parse.h:20 main/main.c:12");
	assert_string_equal(chain_at(map, 0x1020), "main/main.c:13");
	assert_string_equal(chain_at(map, 0x1040), "next/next.c:7");
	assert_string_equal(chain_at(map, 0x104f), "next/next.c:7");
	assert_string_equal(chain_at(map, 0x1050), "-");
	assert_string_equal(chain_at(map, 0xfff), "-");
	assert_string_equal(chain_at(map, UINT64_MAX), "-");
}

TEST(what_was_not_asked_about_is_told_from_what_has_nothing)
{
	CLEANUP(code_map) struct code_map *map = two_calls(0x1000);

	assert_true(code_map_covers(map, 0x1000));
	assert_true(code_map_covers(map, 0x104f));
	assert_false(code_map_covers(map, 0x1050));
	assert_false(code_map_covers(map, 0xfff));
}

TEST(ranges_that_cross_are_cut_where_the_later_one_begins)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	uint32_t first = code_builder_scope(builder, 0, "first", "", 0), second = code_builder_scope(builder, 0, "second", "", 0);

	code_builder_range(builder, 0x100, 0x200, first);
	code_builder_range(builder, 0x180, 0x280, second);
	code_builder_range(builder, 0x300, 0x300, first);
	code_builder_range(builder, 0x300, 0x200, first);
	CLEANUP(code_map) struct code_map *map = packed(builder);

	assert_string_equal(chain_at(map, 0x17f), "first/:0");
	assert_string_equal(chain_at(map, 0x1ff), "second/:0");
	assert_string_equal(chain_at(map, 0x27f), "second/:0");
	assert_string_equal(chain_at(map, 0x280), "-");
	assert_string_equal(chain_at(map, 0x300), "-");
}

TEST(two_blocks_are_joined_without_loss)
{
	CLEANUP(code_map) struct code_map *left = two_calls(0x1000), *right = two_calls(0x9000);
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();

	code_builder_add_map(builder, right);
	code_builder_add_map(builder, left);
	CLEANUP(code_map) struct code_map *map = packed(builder);

	for (uint64_t at = 0; at < 0x60; at++) {
		char expected[1024];

		(void)snprintf(expected, sizeof(expected), "%s", chain_at(left, 0x1000 + at));
		assert_string_equal(chain_at(map, 0x1000 + at), expected);
		assert_string_equal(chain_at(map, 0x9000 + at), expected);
		assert_int_equal(code_map_covers(map, 0x9000 + at), code_map_covers(left, 0x1000 + at));
	}
	assert_false(code_map_covers(map, 0x5000));
}

TEST(what_lies_beyond_four_gigabytes_is_left_out_and_said)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	uint32_t scope = code_builder_scope(builder, 0, "far", "", 0);

	code_builder_range(builder, 0x1000, 0x2000, scope);
	code_builder_range(builder, 0x300000000, 0x300001000, scope);
	CLEANUP(code_map) struct code_map *map = packed(builder);

	assert_string_equal(chain_at(map, 0x1000), "far/:0");
	assert_string_equal(chain_at(map, 0x300000000), "-");
	assert_int_equal(code_map_tables(map)->head->partial, 1);
}

TEST(an_empty_block_is_whole)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	CLEANUP(code_map) struct code_map *map = packed(builder);

	assert_string_equal(chain_at(map, 0), "-");
	assert_false(code_map_covers(map, 0));
}
