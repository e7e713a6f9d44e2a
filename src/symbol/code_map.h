/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a compiler said about the code of one file: at each address the chain of inlined calls, and the line. Flat sorted
 * tables in one block of bytes, so that the confined child which reads debug information can hand them over as they are,
 * and a cache can keep them. The block is hostile: it is checked once, when it is opened, and then used as it lies.
 *
 *	head      magic, base, counts
 *	covered   start, end            stretches that were asked about; outside of them nothing is known
 *	pieces    start, scope          from here to the next piece the innermost call is this scope
 *	scopes    parent, name, path, line       who called it, its name, and where it was called
 *	lines     start, path, line
 *	texts     each ends in a zero byte; the first is empty
 *
 * Addresses are relative to the base and lie within 4 GiB of it. Scope 0 is none; a parent stands before its children.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	CODE_DEPTH_LIMIT = 128,                      /* calls of one chain; the outermost ones beyond are cut */
	CODE_TABLE_LIMIT = 32 << 20,                 /* rows of one table */
	CODE_TEXT_LIMIT = 256 << 20,                 /* bytes of texts */
};

struct code_head {
	char magic[8];
	uint64_t base;
	uint32_t covered_count, piece_count, scope_count, line_count, text_bytes;
	uint32_t partial;                            /* 1: reading ended at a limit; what is here is right */
};
struct code_stretch { uint32_t start, end; };
struct code_piece { uint32_t start, scope; };
struct code_scope { uint32_t parent, name, path, line; };
struct code_line { uint32_t start, path, line; };
extern const char code_magic[8];

/* One block, taken apart. The pointers are borrowed from it. */
struct code_tables {
	const struct code_head *head;
	const struct code_stretch *covered;
	const struct code_piece *pieces;
	const struct code_scope *scopes;
	const struct code_line *lines;
	const char *texts;
};

struct code_map;

/* One call, innermost first: its name, and the line in it that was reached. "" and 0 where unknown. */
struct code_call {
	const char *name, *path;                     /* borrowed from the map; name as the file spells it (mangled) */
	uint32_t line;
};

/* Takes bytes (from malloc), also on failure. -EBADMSG: no such block, or a broken one. */
int code_map_open(void *bytes, size_t size, struct code_map **ret);
void code_map_free(struct code_map *map);            /* NULL is fine */
DEFINE_CLEANUP(code_map)

/* Whether the address was asked about: if not, that nothing is found says nothing. */
bool code_map_covers(const struct code_map *map, uint64_t address);
/* The chain at an address: a count of calls, 0 where nothing is known. A call may have a line and no name. */
size_t code_map_find(const struct code_map *map, uint64_t address, struct code_call calls[CODE_DEPTH_LIMIT]);

const struct code_tables *code_map_tables(const struct code_map *map);
const void *code_map_bytes(const struct code_map *map, size_t *ret_size);
