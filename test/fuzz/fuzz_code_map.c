/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a block of inline chains and lines, as it comes from a confined child or from the cache. What is accepted
 * is asked everything, and must come through a builder again with the same answers.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "symbol/code_builder.h"
#include "symbol/code_map.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct code_map *opened(const void *bytes, size_t size)
{
	struct code_map *map = NULL;
	char *copy = xmalloc(size + 1);

	if (size)
		memcpy(copy, bytes, size);
	return code_map_open(copy, size, &map) < 0 ? NULL : map;
}

static size_t ask(const struct code_map *map, uint64_t address)
{
	static struct code_call calls[CODE_DEPTH_LIMIT];
	size_t count = code_map_find(map, address, calls), bytes = 0;

	assert(count <= CODE_DEPTH_LIMIT);
	for (size_t i = 0; i < count; i++)
		bytes += strlen(calls[i].name) + strlen(calls[i].path);
	(void)code_map_covers(map, address);
	return count + bytes;
}

static void ask_all(const struct code_map *map)
{
	const struct code_tables *tables = code_map_tables(map);

	for (uint32_t i = 0; i < tables->head->piece_count; i++)
		for (int near = -1; near < 2; near++)
			(void)ask(map, tables->head->base + tables->pieces[i].start + (uint64_t)near);
	for (uint32_t i = 0; i < tables->head->line_count; i++)
		(void)ask(map, tables->head->base + tables->lines[i].start);
}

/* Twice through a builder gives the same block as once. */
static void build_again(const struct code_map *map)
{
	CLEANUP(code_builder) struct code_builder *first = code_builder_new(), *second = code_builder_new();
	size_t size, again_size;
	void *bytes, *again;

	code_builder_add_map(first, map);
	bytes = code_builder_pack(first, &size);
	CLEANUP(code_map) struct code_map *built = opened(bytes, size);
	assert(built);
	ask_all(built);
	code_builder_add_map(second, built);
	again = code_builder_pack(second, &again_size);
	CLEANUP(code_map) struct code_map *rebuilt = opened(again, again_size);
	assert(rebuilt);
	for (uint32_t i = 0; i < code_map_tables(built)->head->piece_count; i++) {
		uint64_t address = code_map_tables(built)->head->base + code_map_tables(built)->pieces[i].start;

		assert(ask(built, address) == ask(rebuilt, address));
	}
	free(bytes);
	free(again);
}

/* With a right head in front, so that the fuzzer works on the tables: the first five bytes are their lengths. */
static void with_head(const uint8_t *data, size_t size)
{
	struct code_head head = { .base = 0x1000 };
	CLEANUP_TEXT char *bytes = xcalloc(1, sizeof(head) + size + 2);
	size_t tables;

	if (size < 5)
		return;
	memcpy(head.magic, code_magic, sizeof(head.magic));
	head.covered_count = data[0] % 16;
	head.piece_count = data[1] % 64;
	head.scope_count = 1 + data[2] % 32;
	head.line_count = data[3] % 64;
	tables = head.covered_count * 8 + head.piece_count * 8 + head.scope_count * 16 + head.line_count * 12;
	if (size - 5 < tables)
		return;
	head.text_bytes = (uint32_t)(size - 5 - tables) + 2;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), data + 5, tables);
	memcpy(bytes + sizeof(head) + tables + 1, data + 5 + tables, size - 5 - tables);
	CLEANUP(code_map) struct code_map *map = opened(bytes, sizeof(head) + tables + head.text_bytes);

	if (!map)
		return;
	ask_all(map);
	build_again(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(code_map) struct code_map *map = opened(data, size);

	if (map) {
		ask_all(map);
		build_again(map);
	}
	with_head(data, size);
	return 0;
}
