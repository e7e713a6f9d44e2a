/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The functions of one file, by address. Filled once, sorted once, then asked by binary search.
 *
 * A function covers its own size and nothing more: an address beyond every function has no name, never the nearest
 * one. One that has no size (libc's __restore_rt) is a label: it can be asked for its own address only. Where functions overlap, the one that begins last is meant; where several begin and end alike, the global name
 * is preferred to the local one, then the shorter, then the first in the alphabet, so that a name does not depend on
 * the order in a file.
 *
 *	symbol_table_add(table, &(struct symbol_function){ .start = 0x1000, .end = 0x1040, .name = "parse", .global = true });
 *	symbol_table_build(table);
 *	const char *name = symbol_table_name(table, 0x1010);
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum { SYMBOL_TABLE_LIMIT = 4 << 20 };               /* functions of one file; what is beyond is dropped and counted */

struct symbol_function {
	uint64_t start, end;                         /* end is the first address that is not part of it */
	const char *name;                            /* borrowed: lives as long as the table is asked */
	bool global;
};

struct symbol_table;

struct symbol_table *symbol_table_new(void);
void symbol_table_free(struct symbol_table *table);                  /* NULL is fine */
DEFINE_CLEANUP(symbol_table)

void symbol_table_add(struct symbol_table *table, const struct symbol_function *function);
void symbol_table_build(struct symbol_table *table);                 /* ends adding */
/* Once it is built: copies the names, each cut to so many bytes, so that what they were borrowed from may go. */
void symbol_table_own_names(struct symbol_table *table, size_t longest);
const char *symbol_table_name(const struct symbol_table *table, uint64_t address);       /* NULL where there is none */
const char *symbol_table_label(const struct symbol_table *table, uint64_t address);      /* likewise, by its very address */
/* The stretch of one name around an address. */
bool symbol_table_stretch(const struct symbol_table *table, uint64_t address, uint64_t *ret_start, uint64_t *ret_end);
size_t symbol_table_count(const struct symbol_table *table);         /* functions with a size that were added */
size_t symbol_table_dropped(const struct symbol_table *table);       /* beyond the limit */
size_t symbol_table_bytes(const struct symbol_table *table);
