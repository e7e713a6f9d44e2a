/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Finds a row of an array by its key where the array has millions of rows: four bytes a slot, since the keys stay in the rows.
 * A map keeps a copy of each key, which for small rows is most of the memory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct row_index;

enum { ROW_KEY_LIMIT = 64 };
#define ROW_NONE UINT32_MAX                                     /* "not there" */

struct row_index_options {
	size_t key_size;                                        /* at most ROW_KEY_LIMIT */
	/* Fills all bytes of a key, which has no padding. */
	void (*key_of)(const void *rows, uint32_t row, void *ret);
	bool (*is_elsewhere)(const void *rows, uint32_t row);   /* found without the index, and never added; NULL: none is */
};

struct row_index *row_index_new(const struct row_index_options *options);
void row_index_free(struct row_index *index);                   /* NULL is fine */
DEFINE_CLEANUP(row_index)

/* rows: the array as it is now, which may have moved, or whatever else key_of() finds a row in. */
uint32_t row_index_find(const struct row_index *index, const void *rows, const void *key);
/* After the row was appended; its key must not be there yet. Rows are added one after the other, from any first one on, save
 * those that are found elsewhere. */
void row_index_add(struct row_index *index, const void *rows, uint32_t row);
/* While its key can still be read; from now on is_elsewhere() says so of it. */
void row_index_remove(struct row_index *index, const void *rows, uint32_t row);
void row_index_clear(struct row_index *index);
size_t row_index_bytes(const struct row_index *index);
