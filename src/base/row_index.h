/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Finds a row of an array by its key where the array has millions of rows: four bytes a slot, since the keys stay in the rows.
 * A map keeps a copy of each key, which for small rows is most of the memory.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct row_index;

enum { ROW_KEY_LIMIT = 64 };
#define ROW_NONE UINT32_MAX                                     /* "not there" */

struct row_index_options {
	size_t row_size, key_size;                              /* key_size: at most ROW_KEY_LIMIT */
	void (*key_of)(const void *row, void *ret);             /* fills all bytes of a key, which has no padding */
};

struct row_index *row_index_new(const struct row_index_options *options);
void row_index_free(struct row_index *index);                   /* NULL is fine */
DEFINE_CLEANUP(row_index)

/* rows: the array as it is now; it may have moved. */
uint32_t row_index_find(const struct row_index *index, const void *rows, const void *key);
/* After the row was appended; its key must not be there yet. Rows are added one after the other, from any first one on. */
void row_index_add(struct row_index *index, const void *rows, uint32_t row);
void row_index_clear(struct row_index *index);
