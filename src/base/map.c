/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries lie in one array of { value + 1, key }, so that a look-up touches one cache line in the common case. The
 * table is at most two thirds full. The hash is seeded once per process: a file cannot choose keys that collide.
 */
#include "base/map.h"

#include "base/memory.h"

#include <string.h>
#include <sys/random.h>

struct map {
	size_t key_size, stride, count, slots;      /* slots is a power of two */
	unsigned char *entries;                     /* per slot: u32 used, u32 value, key */
};

static uint64_t hash_seed(void)
{
	static uint64_t seed;

	if (!seed && getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = 0x9e3779b97f4a7c15;
	return seed |= 1;
}

static inline uint64_t word_at(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccd;
	return hash ^ hash >> 32;
}

/* Copies of a size that the compiler knows are one instruction; the last few bytes are the only others. */
uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = hash_seed() ^ (size * 0x9e3779b97f4a7c15), last = 0;

	for (; size >= 8; at += 8, size -= 8)
		hash = hash_mix(hash, word_at(at));
	if (!size)
		return hash;
	for (size_t i = 0; i < size; i++)
		last |= (uint64_t)at[i] << 8 * i;
	return hash_mix(hash, last);
}

struct map *map_new(size_t key_size)
{
	struct map *map = xcalloc(1, sizeof(*map));

	map->key_size = key_size;
	map->stride = (8 + key_size + 3) & ~(size_t)3;
	map->slots = 16;
	map->entries = xcalloc(map->slots, map->stride);
	return map;
}

void map_free(struct map *map)
{
	if (!map)
		return;
	free(map->entries);
	free(map);
}

bool bytes_equal(const void *one, const void *other, size_t size)
{
	const unsigned char *a = one, *b = other;

	for (; size >= 8; a += 8, b += 8, size -= 8)
		if (word_at(a) != word_at(b))
			return false;
	return !size || !memcmp(a, b, size);
}

static unsigned char *slot_of(const struct map *map, const void *key)
{
	size_t slot = hash_bytes(key, map->key_size) & (map->slots - 1);

	for (;;) {
		unsigned char *entry = map->entries + slot * map->stride;
		uint32_t used;

		memcpy(&used, entry, sizeof(used));
		if (!used || bytes_equal(entry + 8, key, map->key_size))
			return entry;
		slot = (slot + 1) & (map->slots - 1);
	}
}

uint32_t *map_find(const struct map *map, const void *key)
{
	unsigned char *entry = slot_of(map, key);

	return *(uint32_t *)(void *)entry ? (uint32_t *)(void *)(entry + 4) : NULL;
}

static void map_double(struct map *map)
{
	unsigned char *old = map->entries;
	size_t slots = map->slots;

	map->slots = slots * 2;
	map->entries = xcalloc(map->slots, map->stride);
	for (size_t i = 0; i < slots; i++) {
		unsigned char *entry = old + i * map->stride;

		if (*(uint32_t *)(void *)entry)
			memcpy(slot_of(map, entry + 8), entry, map->stride);
	}
	free(old);
}

uint32_t *map_put(struct map *map, const void *key, bool *added)
{
	unsigned char *entry = slot_of(map, key);
	bool is_new = !*(uint32_t *)(void *)entry;

	if (is_new) {
		if ((map->count + 1) * 3 > map->slots * 2) {
			map_double(map);
			entry = slot_of(map, key);
		}
		*(uint32_t *)(void *)entry = 1;
		*(uint32_t *)(void *)(entry + 4) = 0;
		memcpy(entry + 8, key, map->key_size);
		map->count++;
	}
	if (added)
		*added = is_new;
	return (uint32_t *)(void *)(entry + 4);
}

size_t map_count(const struct map *map)
{
	return map->count;
}

/* Whoever stands behind the hole and could not stand in his own place because of it moves up, so that no search ends too early. */
bool map_remove(struct map *map, const void *key)
{
	unsigned char *hole = slot_of(map, key);
	size_t mask = map->slots - 1, at = (size_t)(hole - map->entries) / map->stride, next = at;

	if (!*(uint32_t *)(void *)hole)
		return false;
	for (;;) {
		unsigned char *entry;
		size_t home;

		next = (next + 1) & mask;
		entry = map->entries + next * map->stride;
		if (!*(uint32_t *)(void *)entry)
			break;
		home = hash_bytes(entry + 8, map->key_size) & mask;
		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		memcpy(map->entries + at * map->stride, entry, map->stride);
		at = next;
	}
	memset(map->entries + at * map->stride, 0, map->stride);
	map->count--;
	return true;
}

void map_clear(struct map *map)
{
	memset(map->entries, 0, map->slots * map->stride);
	map->count = 0;
}
