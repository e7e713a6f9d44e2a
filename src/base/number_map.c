/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing, linear probing, at most four fifths full: eight keys lie in one cache line. The hash's upper half chooses the
 * slot by a multiplication, so that there may be any number of slots.
 */
#include "base/number_map.h"

#include "base/map.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

struct number_map {
	uint64_t *keys;                     /* 0: free */
	uint32_t *values;
	size_t count, slots;
};

static void slots_make(struct number_map *map, size_t slots)
{
	map->slots = slots;
	map->keys = xcalloc(slots, sizeof(*map->keys));
	map->values = xcalloc(slots, sizeof(*map->values));
}

struct number_map *number_map_new(void)
{
	struct number_map *map = xcalloc(1, sizeof(*map));

	slots_make(map, 16);
	return map;
}

void number_map_free(struct number_map *map)
{
	if (!map)
		return;
	free(map->keys);
	free(map->values);
	free(map);
}

/* The key's own, or the free one where it would go. */
static size_t slot_of(const struct number_map *map, uint64_t key)
{
	size_t slot = (size_t)((hash_bytes(&key, sizeof(key)) >> 32) * map->slots >> 32);

	while (map->keys[slot] && map->keys[slot] != key)
		slot = slot + 1 == map->slots ? 0 : slot + 1;
	return slot;
}

const uint32_t *number_map_find(const struct number_map *map, uint64_t key)
{
	size_t slot = slot_of(map, key);

	return map->keys[slot] ? &map->values[slot] : NULL;
}

static void map_grow(struct number_map *map)
{
	struct number_map old = *map;

	slots_make(map, old.slots + old.slots / 2);
	for (size_t i = 0; i < old.slots; i++)
		if (old.keys[i]) {
			size_t slot = slot_of(map, old.keys[i]);

			map->keys[slot] = old.keys[i];
			map->values[slot] = old.values[i];
		}
	free(old.keys);
	free(old.values);
}

void number_map_put(struct number_map *map, uint64_t key, uint32_t value)
{
	size_t slot = slot_of(map, key);

	assert(key);
	if (!map->keys[slot] && ++map->count * 5 > map->slots * 4) {
		map_grow(map);
		slot = slot_of(map, key);
	}
	map->keys[slot] = key;
	map->values[slot] = value;
}

size_t number_map_count(const struct number_map *map)
{
	return map->count;
}

void number_map_clear(struct number_map *map)
{
	memset(map->keys, 0, map->slots * sizeof(*map->keys));
	map->count = 0;
}

size_t number_map_bytes(const struct number_map *map)
{
	return sizeof(*map) + map->slots * (sizeof(*map->keys) + sizeof(*map->values));
}
