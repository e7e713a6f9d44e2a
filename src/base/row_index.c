/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing, linear probing, at most two thirds full, as base/map is, whose seeded hash it uses. Of a key's hash a slot
 * keeps five bits beside the row: whoever looks for something that is not there seldom has to read the rows, which lie
 * anywhere in memory.
 */
#include "base/row_index.h"

#include "base/map.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BITS = 27, ROW_MASK = (1 << ROW_BITS) - 1 };

struct row_index {
	struct row_index_options options;
	uint32_t *slots;                        /* some bits of the hash, and row + 1 below them; 0: free */
	size_t slot_count, count;               /* slot_count is a power of two */
	uint32_t first, end;                    /* the rows are the first one and those that follow it, up to the end */
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

static uint64_t hash_of(const struct row_index *index, const void *rows, uint32_t row)
{
	unsigned char key[ROW_KEY_LIMIT];

	index->options.key_of(rows, row, key);
	return hash_bytes(key, index->options.key_size);
}

/* The highest bits, since the lowest choose the slot. */
static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~(uint32_t)ROW_MASK;
}

uint32_t row_index_find(const struct row_index *index, const void *rows, const void *key)
{
	uint64_t hash = hash_bytes(key, index->options.key_size);
	size_t slot = hash & (index->slot_count - 1);
	unsigned char other[ROW_KEY_LIMIT];

	for (; index->slots[slot]; slot = (slot + 1) & (index->slot_count - 1)) {
		uint32_t row = (index->slots[slot] & ROW_MASK) - 1;

		if ((index->slots[slot] & ~(uint32_t)ROW_MASK) != tag_of(hash))
			continue;
		index->options.key_of(rows, row, other);
		if (bytes_equal(other, key, index->options.key_size))
			return row;
	}
	return ROW_NONE;
}

/* Of a key that is not there: nobody is asked for his. */
static void put(struct row_index *index, const void *rows, uint32_t row)
{
	uint64_t hash = hash_of(index, rows, row);
	size_t slot = hash & (index->slot_count - 1);

	while (index->slots[slot])
		slot = (slot + 1) & (index->slot_count - 1);
	index->slots[slot] = tag_of(hash) | (row + 1);
}

/* In the order of the rows: they are read one after the other, and the old slots need not stay meanwhile. */
static void grow_slots(struct row_index *index, const void *rows)
{
	free(index->slots);
	index->slot_count *= 2;
	index->slots = xcalloc(index->slot_count, sizeof(*index->slots));
	for (uint32_t row = index->first; row < index->end; row++)
		if (!index->options.is_elsewhere || !index->options.is_elsewhere(rows, row))
			put(index, rows, row);
}

void row_index_add(struct row_index *index, const void *rows, uint32_t row)
{
	if (!index->count)
		index->first = index->end = row;
	assert(row >= index->end && row < ROW_MASK && (index->options.is_elsewhere || row == index->end));
	if ((index->count + 1) * 3 > index->slot_count * 2)
		grow_slots(index, rows);
	put(index, rows, row);
	index->end = row + 1;
	index->count++;
}

/* Whoever stands behind the hole and could not stand in his own place because of it moves up, as in a map. */
void row_index_remove(struct row_index *index, const void *rows, uint32_t row)
{
	size_t mask = index->slot_count - 1, at = hash_of(index, rows, row) & mask, next;

	assert(index->options.is_elsewhere);
	while (index->slots[at] && (index->slots[at] & ROW_MASK) != row + 1)
		at = (at + 1) & mask;
	if (!index->slots[at])
		return;
	for (next = (at + 1) & mask; index->slots[next]; next = (next + 1) & mask) {
		size_t home = hash_of(index, rows, (index->slots[next] & ROW_MASK) - 1) & mask;

		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		index->slots[at] = index->slots[next];
		at = next;
	}
	index->slots[at] = 0;
	index->count--;
}

void row_index_clear(struct row_index *index)
{
	memset(index->slots, 0, index->slot_count * sizeof(*index->slots));
	index->count = 0;
}

size_t row_index_bytes(const struct row_index *index)
{
	return sizeof(*index) + index->slot_count * sizeof(*index->slots);
}
