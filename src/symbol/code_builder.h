/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Collects what debug information says, in any order and overlapping as compilers leave it, and packs it into the block
 * that code_map.h draws. Runs in the confined child; what does not fit a limit is left out and the block marked partial.
 *
 *	uint32_t outer = code_builder_scope(builder, 0, "main", "", 0);
 *	uint32_t inner = code_builder_scope(builder, outer, "parse", "main.c", 12);     called in main.c:12
 *	code_builder_range(builder, 0x1000, 0x1080, outer);
 *	code_builder_range(builder, 0x1010, 0x1020, inner);
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct code_builder;
struct code_map;

struct code_builder *code_builder_new(void);
void code_builder_free(struct code_builder *builder);        /* NULL is fine */
DEFINE_CLEANUP(code_builder)

/* The number of a new scope; parent 0: a function of its own. Beyond the limit 0. */
uint32_t code_builder_scope(struct code_builder *builder, uint32_t parent, const char *name, const char *path,
			    uint32_t line);
/* Where ranges overlap, the one that begins last is the inner one; of equals, that of the later scope. */
void code_builder_range(struct code_builder *builder, uint64_t start, uint64_t end, uint32_t scope);
/* From here on it is this line, until the next; path NULL: here ends what is known. */
void code_builder_line(struct code_builder *builder, uint64_t start, const char *path, uint32_t line);
void code_builder_covered(struct code_builder *builder, uint64_t start, uint64_t end);
void code_builder_partial(struct code_builder *builder);
/* All that an earlier block holds. */
void code_builder_add_map(struct code_builder *builder, const struct code_map *map);

/* Ends adding. The block is the caller's to free. */
void *code_builder_pack(struct code_builder *builder, size_t *ret_size);
