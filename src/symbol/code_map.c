/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every number that leads somewhere is checked when the block is opened, so that a question costs two binary searches and
 * the walk along the chain, and no checks: some hundred nanoseconds, where asking DWARF again would cost microseconds.
 */
#include "symbol/code_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char code_magic[8] = "XCODE\0\0\2";

struct code_map {
	char *bytes;
	size_t size;
	struct code_tables tables;
};

static bool has_limits(const struct code_head *head)
{
	return head->covered_count <= CODE_TABLE_LIMIT && head->piece_count <= CODE_TABLE_LIMIT &&
	       head->scope_count <= CODE_TABLE_LIMIT && head->line_count <= CODE_TABLE_LIMIT &&
	       head->text_bytes <= CODE_TEXT_LIMIT && head->scope_count > 0 && head->text_bytes > 0 && head->partial <= 1;
}

/* Where each table begins follows from the counts alone. */
static bool take_apart(const char *bytes, size_t size, struct code_tables *ret)
{
	const struct code_head *head = (const void *)bytes;
	size_t at = sizeof(*head);

	if (size < sizeof(*head) || memcmp(head->magic, code_magic, sizeof(code_magic)) != 0 || !has_limits(head))
		return false;
	ret->head = head;
	ret->covered = (const void *)(bytes + at);
	at += head->covered_count * sizeof(*ret->covered);
	ret->pieces = (const void *)(bytes + at);
	at += head->piece_count * sizeof(*ret->pieces);
	ret->scopes = (const void *)(bytes + at);
	at += head->scope_count * sizeof(*ret->scopes);
	ret->lines = (const void *)(bytes + at);
	at += head->line_count * sizeof(*ret->lines);
	ret->texts = bytes + at;
	return at + head->text_bytes == size;
}

static bool are_stretches_whole(const struct code_tables *tables)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < tables->head->covered_count; i++) {
		const struct code_stretch *row = &tables->covered[i];

		if (row->start < least || row->end <= row->start)
			return false;
		least = row->end;
	}
	return true;
}

static bool are_pieces_whole(const struct code_tables *tables)
{
	for (uint32_t i = 0; i < tables->head->piece_count; i++)
		if (tables->pieces[i].scope >= tables->head->scope_count ||
		    (i && tables->pieces[i].start <= tables->pieces[i - 1].start))
			return false;
	return true;
}

static bool are_scopes_whole(const struct code_tables *tables)
{
	for (uint32_t i = 0; i < tables->head->scope_count; i++) {
		const struct code_scope *row = &tables->scopes[i];

		if ((i ? row->parent >= i : row->parent > 0) || row->name >= tables->head->text_bytes ||
		    row->path >= tables->head->text_bytes)
			return false;
	}
	return true;
}

static bool are_lines_whole(const struct code_tables *tables)
{
	for (uint32_t i = 0; i < tables->head->line_count; i++)
		if (tables->lines[i].path >= tables->head->text_bytes ||
		    (i && tables->lines[i].start <= tables->lines[i - 1].start))
			return false;
	return true;
}

static bool are_texts_whole(const struct code_tables *tables)
{
	return !tables->texts[0] && !tables->texts[tables->head->text_bytes - 1];
}

int code_map_open(void *bytes, size_t size, struct code_map **ret)
{
	struct code_tables tables;

	if (!take_apart(bytes, size, &tables) || !are_stretches_whole(&tables) || !are_pieces_whole(&tables) ||
	    !are_scopes_whole(&tables) || !are_lines_whole(&tables) || !are_texts_whole(&tables)) {
		free(bytes);
		return -EBADMSG;
	}
	*ret = xcalloc(1, sizeof(**ret));
	**ret = (struct code_map){ .bytes = bytes, .size = size, .tables = tables };
	return 0;
}

void code_map_free(struct code_map *map)
{
	if (!map)
		return;
	free(map->bytes);
	free(map);
}

/* The last row that begins at or before `at`, as an index plus one; 0 where none does. */
#define LAST_AT(rows, count, at)                                      \
	({                                                            \
		uint32_t low = 0, high = (count);                     \
		while (low < high) {                                  \
			uint32_t middle = low + (high - low) / 2;     \
			if ((rows)[middle].start <= (at))             \
				low = middle + 1;                     \
			else                                          \
				high = middle;                        \
		}                                                     \
		low;                                                  \
	})

static bool relative(const struct code_map *map, uint64_t address, uint32_t *ret)
{
	uint64_t base = map->tables.head->base;

	if (address < base || address - base > UINT32_MAX)
		return false;
	*ret = (uint32_t)(address - base);
	return true;
}

bool code_map_covers(const struct code_map *map, uint64_t address)
{
	const struct code_tables *tables = &map->tables;
	uint32_t at, found;

	if (!relative(map, address, &at))
		return false;
	found = LAST_AT(tables->covered, tables->head->covered_count, at);
	return found && at < tables->covered[found - 1].end;
}

static size_t follow_chain(const struct code_tables *tables, uint32_t scope, struct code_call calls[CODE_DEPTH_LIMIT])
{
	const char *path = calls[0].path;
	uint32_t line = calls[0].line;
	size_t count = 0;

	while (scope && count < CODE_DEPTH_LIMIT) {
		const struct code_scope *row = &tables->scopes[scope];

		calls[count++] = (struct code_call){ .name = tables->texts + row->name, .path = path, .line = line };
		path = tables->texts + row->path;
		line = row->line;
		scope = row->parent;
	}
	return count;
}

size_t code_map_find(const struct code_map *map, uint64_t address, struct code_call calls[CODE_DEPTH_LIMIT])
{
	const struct code_tables *tables = &map->tables;
	uint32_t at, piece, line;
	size_t count;

	if (!relative(map, address, &at))
		return 0;
	line = LAST_AT(tables->lines, tables->head->line_count, at);
	piece = LAST_AT(tables->pieces, tables->head->piece_count, at);
	calls[0] = (struct code_call){ .name = "", .path = "" };
	if (line) {
		calls[0].path = tables->texts + tables->lines[line - 1].path;
		calls[0].line = tables->lines[line - 1].line;
	}
	count = piece ? follow_chain(tables, tables->pieces[piece - 1].scope, calls) : 0;
	return count || !*calls[0].path ? count : 1;
}

const struct code_tables *code_map_tables(const struct code_map *map)
{
	return &map->tables;
}

const void *code_map_bytes(const struct code_map *map, size_t *ret_size)
{
	*ret_size = map->size;
	return map->bytes;
}
