/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared cache. Items are numbered densely, so an array says which slot an item has. The
 * mutex is an ordinary one: when it is contended, threads wait in futex, and it names its owner.
 */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_NONE = UINT32_MAX };

struct slot {
	uint32_t id;
	bool used;                           /* second chance: looked up since the hand passed */
};

struct cache {
	pthread_mutex_t lock;
	struct record *records;              /* one per slot, each aligned for direct I/O */
	struct slot *slots;
	uint32_t *slot_of;                   /* by item */
	size_t slot_count, hand;
};

struct cache *cache_new(size_t slots, uint32_t items)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	pthread_mutex_init(&cache->lock, NULL);
	cache->slot_count = slots;
	cache->slots = malloc(slots * sizeof(*cache->slots));
	cache->slot_of = malloc(items * sizeof(*cache->slot_of));
	cache->records = aligned_alloc(RECORD_ALIGNMENT, slots * sizeof(*cache->records));
	if (!cache->slots || !cache->slot_of || !cache->records) {
		cache_free(cache);
		return NULL;
	}
	for (size_t i = 0; i < slots; i++)
		cache->slots[i] = (struct slot){ .id = SLOT_NONE };
	for (uint32_t i = 0; i < items; i++)
		cache->slot_of[i] = SLOT_NONE;
	memset(cache->records, 0, slots * sizeof(*cache->records));
	return cache;
}

void cache_free(struct cache *cache)
{
	if (!cache)
		return;
	pthread_mutex_destroy(&cache->lock);
	free(cache->records);
	free(cache->slot_of);
	free(cache->slots);
	free(cache);
}

bool cache_get(struct cache *cache, uint32_t id, struct record *ret)
{
	uint32_t index;

	pthread_mutex_lock(&cache->lock);
	index = cache->slot_of[id];
	if (index != SLOT_NONE) {
		*ret = cache->records[index];
		cache->slots[index].used = true;
	}
	pthread_mutex_unlock(&cache->lock);
	return index != SLOT_NONE;
}

/* The slot that the item has, or the next one that nobody used since the hand passed it. */
static uint32_t slot_claim(struct cache *cache, uint32_t id)
{
	uint32_t index = cache->slot_of[id];
	struct slot *slot;

	if (index != SLOT_NONE)
		return index;
	for (;;) {
		index = (uint32_t)cache->hand;
		slot = &cache->slots[index];
		cache->hand = (cache->hand + 1) % cache->slot_count;
		if (slot->id == SLOT_NONE || !slot->used)
			break;
		slot->used = false;
	}
	if (slot->id != SLOT_NONE)
		cache->slot_of[slot->id] = SLOT_NONE;
	*slot = (struct slot){ .id = id };
	cache->slot_of[id] = index;
	return index;
}

void cache_put(struct cache *cache, const struct record *record)
{
	pthread_mutex_lock(&cache->lock);
	cache->records[slot_claim(cache, record->id)] = *record;
	pthread_mutex_unlock(&cache->lock);
}

struct record *cache_hold(struct cache *cache, uint32_t id)
{
	pthread_mutex_lock(&cache->lock);
	return &cache->records[slot_claim(cache, id)];
}

void cache_release(struct cache *cache, uint32_t id, bool filled)
{
	if (!filled) {
		cache->slots[cache->slot_of[id]].id = SLOT_NONE;
		cache->slot_of[id] = SLOT_NONE;
	}
	pthread_mutex_unlock(&cache->lock);
}
