/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/code_builder.h"
#include "symbol/code_map.h"

static char *small_block(size_t *ret_size)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	uint32_t outer = code_builder_scope(builder, 0, "outer", "", 0);

	code_builder_range(builder, 0x100, 0x200, outer);
	code_builder_range(builder, 0x120, 0x140, code_builder_scope(builder, outer, "inner", "a.c", 3));
	code_builder_line(builder, 0x100, "a.c", 1);
	code_builder_line(builder, 0x120, "b.c", 2);
	code_builder_line(builder, 0x200, NULL, 0);
	code_builder_covered(builder, 0x100, 0x200);
	return code_builder_pack(builder, ret_size);
}

/* Opens a copy with `size` bytes of which one word was changed, and asks it everything. */
static int open_changed(const char *block, size_t size, size_t at, uint32_t value)
{
	struct code_call calls[CODE_DEPTH_LIMIT];
	struct code_map *map = NULL;
	char *copy = malloc(size + 1);
	size_t depth = 0;
	int r;

	memcpy(copy, block, size);
	if (at + sizeof(value) <= size)
		memcpy(copy + at, &value, sizeof(value));
	r = code_map_open(copy, size, &map);
	for (uint64_t address = 0xf0; r == 0 && address < 0x210; address++) {
		depth = code_map_find(map, address, calls);
		for (size_t i = 0; i < depth; i++)
			assert_true(strlen(calls[i].name) < size && strlen(calls[i].path) < size);
		(void)code_map_covers(map, address);
	}
	code_map_free(map);
	return r;
}

TEST(a_block_that_is_cut_or_longer_is_refused)
{
	size_t size;
	char *block = small_block(&size);

	assert_int_equal(open_changed(block, size, size, 0), 0);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(open_changed(block, cut, cut, 0), -EBADMSG);
	block = realloc(block, size + 8);
	memset(block + size, 0, 8);
	assert_int_equal(open_changed(block, size + 1, size + 1, 0), -EBADMSG);
	free(block);
}

TEST(no_changed_number_leads_outside)
{
	static const uint32_t values[] = { 0, 1, 2, 0x7f, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };
	size_t size, refused = 0;
	char *block = small_block(&size);

	for (size_t at = 0; at < size; at += 4)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			refused += open_changed(block, size, at, values[i]) < 0;
	assert_true(refused > size / 4);
	free(block);
}

TEST(a_parent_that_comes_later_is_refused)
{
	size_t size;
	char *block = small_block(&size);
	const struct code_head *head = (const void *)block;
	size_t scopes = sizeof(*head) + head->covered_count * 8 + head->piece_count * 8;

	assert_int_equal(open_changed(block, size, scopes + sizeof(struct code_scope), 1), -EBADMSG);
	assert_int_equal(open_changed(block, size, scopes + sizeof(struct code_scope), 2), -EBADMSG);
	assert_int_equal(open_changed(block, size, scopes + sizeof(struct code_scope), 0), 0);
	free(block);
}
