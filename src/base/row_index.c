/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing, linear probing, at most two thirds full, as base/map is, whose seeded hash it uses. */
#include "base/row_index.h"

#include "base/map.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct row_index {
	struct row_index_options options;
	uint32_t *slots;                        /* row + 1; 0: free */
	size_t slot_count, count;               /* slot_count is a power of two */
};

struct row_index *row_index_new(const struct row_index_options *options)
{
	struct row_index *index = xcalloc(1, sizeof(*index));

	assert(options->key_size <= ROW_KEY_LIMIT);
	index->options = *options;
	index->slot_count = 16;
	index->slots = xcalloc(index->slot_count, sizeof(*index->slots));
	return index;
}

void row_index_free(struct row_index *index)
{
	if (!index)
		return;
	free(index->slots);
	free(index);
}

static void key_at(const struct row_index *index, const void *rows, uint32_t row, unsigned char key[ROW_KEY_LIMIT])
{
	index->options.key_of((const char *)rows + row * index->options.row_size, key);
}

/* The slot of the key, or the free one where it belongs. */
static uint32_t *slot_of(const struct row_index *index, const void *rows, const void *key)
{
	size_t slot = hash_bytes(key, index->options.key_size) & (index->slot_count - 1);
	unsigned char other[ROW_KEY_LIMIT];

	for (; index->slots[slot]; slot = (slot + 1) & (index->slot_count - 1)) {
		key_at(index, rows, index->slots[slot] - 1, other);
		if (bytes_equal(other, key, index->options.key_size))
			break;
	}
	return &index->slots[slot];
}

uint32_t row_index_find(const struct row_index *index, const void *rows, const void *key)
{
	return *slot_of(index, rows, key) - 1;  /* 0 is free: it becomes ROW_NONE */
}

/* Of a key that is not there: nobody is asked for his. */
static void put(struct row_index *index, const void *rows, uint32_t row)
{
	unsigned char key[ROW_KEY_LIMIT];
	size_t slot;

	key_at(index, rows, row, key);
	slot = hash_bytes(key, index->options.key_size) & (index->slot_count - 1);
	while (index->slots[slot])
		slot = (slot + 1) & (index->slot_count - 1);
	index->slots[slot] = row + 1;
}

static void grow_slots(struct row_index *index, const void *rows)
{
	uint32_t *old = index->slots;
	size_t count = index->slot_count;

	index->slot_count = count * 2;
	index->slots = xcalloc(index->slot_count, sizeof(*index->slots));
	for (size_t i = 0; i < count; i++)
		if (old[i])
			put(index, rows, old[i] - 1);
	free(old);
}

void row_index_add(struct row_index *index, const void *rows, uint32_t row)
{
	if ((index->count + 1) * 3 > index->slot_count * 2)
		grow_slots(index, rows);
	put(index, rows, row);
	index->count++;
}

void row_index_clear(struct row_index *index)
{
	memset(index->slots, 0, index->slot_count * sizeof(*index->slots));
	index->count = 0;
}
