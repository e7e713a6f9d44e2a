/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an item is fetched from the store, old and new: all that the restored arm takes back.
 *
 * Old: the index that was read at the start says where the record is; one read, with no lock held.
 *
 * New: the index in memory is not trusted, so that a store which was compacted meanwhile is seen
 * without a restart. It is read again, part by part, for all lookups that wait; each is answered by
 * the first part read after it asked that holds its entry, and then reads its record straight into
 * its slot of the cache, which spares a copy. It looks cheap, and for the CPU it is: a few large
 * reads, shared. But every lookup now waits for far more I/O, lookups become ready together, and
 * the cache is locked while one of them reads.
 */
#include "store.h"

#include <errno.h>

#include "arm.h"
#include "cache.h"

#if ARM_NEW_STORE_ACCESS

struct store_lookup {
	uint32_t id;
	bool waiting;                        /* since before the read that is under way */
	bool done;
	int status;
	uint64_t block;                      /* the answer */
	struct store_lookup *next;
};

/* Answers those who asked before this part of the index was read and whose entry is in it. */
static void batch_answer(struct store *store, size_t at, int status)
{
	struct store_lookup **link = &store->batch, *lookup;

	while ((lookup = *link)) {
		size_t place = (size_t)lookup->id * STORE_ENTRY_BYTES;
		const struct store_entry *entry = &store->index[lookup->id];
		bool here = place >= at && place < at + STORE_READ_BYTES;

		if (!lookup->waiting || !here) {
			link = &lookup->next;
			continue;
		}
		lookup->block = entry->block;
		lookup->status = status < 0 ? status : entry->id == lookup->id ? 0 : -EIO;
		lookup->done = true;
		*link = lookup->next;
	}
	pthread_cond_broadcast(&store->batch_done);
}

/* Under the lock, which is given up while the disk is read: others may join meanwhile. */
static void batch_run(struct store *store)
{
	store->batch_running = true;
	for (size_t at = 0; at < STORE_INDEX_BYTES; at += STORE_READ_BYTES) {
		int status;

		for (struct store_lookup *lookup = store->batch; lookup; lookup = lookup->next)
			lookup->waiting = true;
		pthread_mutex_unlock(&store->batch_lock);
		status = store_read_index(store, at);
		pthread_mutex_lock(&store->batch_lock);
		batch_answer(store, at, status);
	}
	store->batch_running = false;
	pthread_cond_broadcast(&store->batch_done);
}

static int locate(struct store *store, uint32_t id, uint64_t *block)
{
	struct store_lookup lookup = { .id = id };

	pthread_mutex_lock(&store->batch_lock);
	lookup.next = store->batch;
	store->batch = &lookup;
	while (!lookup.done) {
		if (store->batch_running)
			pthread_cond_wait(&store->batch_done, &store->batch_lock);
		else
			batch_run(store);
	}
	pthread_mutex_unlock(&store->batch_lock);
	*block = lookup.block;
	return lookup.status;
}

int store_fetch(struct store *store, struct cache *cache, uint32_t id, struct record *ret)
{
	struct record *slot;
	uint64_t block;
	int r = locate(store, id, &block);

	if (r < 0)
		return r;
	slot = cache_hold(cache, id);
	r = store_read(store, block, id, slot);
	if (r == 0)
		*ret = *slot;
	cache_release(cache, id, r == 0);
	return r;
}

#else

int store_fetch(struct store *store, struct cache *cache, uint32_t id, struct record *ret)
{
	int r = store_read(store, store->index[id].block, id, ret);

	if (r == 0)
		cache_put(cache, ret);
	return r;
}

#endif
