/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an item is fetched from the store, old and new: all that the restored arm takes back.
 *
 * Old: the index that was read at the start says where the record is; one read, with no lock
 * held.
 *
 * New: the index in memory is not trusted, so that a store which was compacted meanwhile is seen
 * without a restart. It is read again, in three large reads, for a batch of lookups: those that
 * arrive meanwhile wait for it. Each then reads its record straight into its slot of the cache,
 * which spares a copy. It looks cheap, and for the CPU it is. But every lookup now waits for far
 * more I/O, the lookups of a batch become ready together, and the cache is locked while one of
 * them reads.
 */
#include "store.h"

#include <errno.h>

#include "arm.h"
#include "cache.h"

#if ARM_NEW_STORE_ACCESS

struct store_lookup {
	uint32_t id;
	uint64_t block;                      /* the answer */
	int status;
	bool done;
	struct store_lookup *next;
};

/* Under the lock, which is given up while the index is read: others may join until then. */
static void batch_run(struct store *store)
{
	int status;

	store->batch_running = true;
	pthread_mutex_unlock(&store->batch_lock);
	status = store_read_index(store);
	pthread_mutex_lock(&store->batch_lock);
	for (struct store_lookup *lookup = store->batch; lookup; lookup = lookup->next) {
		const struct store_entry *entry = &store->index[lookup->id];

		lookup->block = entry->block;
		lookup->status = status < 0 ? status : entry->id == lookup->id ? 0 : -EIO;
		lookup->done = true;
	}
	store->batch = NULL;
	store->batch_running = false;
	pthread_cond_broadcast(&store->batch_done);
}

static int locate(struct store *store, uint32_t id, uint64_t *block)
{
	struct store_lookup lookup = { .id = id };

	pthread_mutex_lock(&store->batch_lock);
	lookup.next = store->batch;
	store->batch = &lookup;
	while (!lookup.done && store->batch_running)
		pthread_cond_wait(&store->batch_done, &store->batch_lock);
	if (!lookup.done)
		batch_run(store);
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
