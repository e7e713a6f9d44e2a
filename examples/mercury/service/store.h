/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: one file, made when it is missing, only read afterwards.
 *
 *   block 0        head: magic, number of items, where the index and the records begin
 *   blocks 1..N    index: one entry of 256 bytes per item, in order of the ids
 *   then           records, three blocks each, in an order of their own
 *
 * A block is 4 KiB. Records are read past the page cache (O_DIRECT) where the file system can do
 * it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common/record.h"

enum {
	STORE_ITEMS = 12288,
	STORE_BLOCK_BYTES = 4096,
	STORE_INDEX_BLOCK = 1,
	STORE_ENTRY_BYTES = 256,
	STORE_INDEX_BYTES = STORE_ITEMS * STORE_ENTRY_BYTES,
	STORE_READ_BYTES = 1536 * 1024,          /* the largest single read */
	STORE_INDEX_ALIGNMENT = 2 * 1024 * 1024, /* a huge page */
	STORE_RECORD_BLOCK = STORE_INDEX_BLOCK + STORE_INDEX_BYTES / STORE_BLOCK_BYTES,
	STORE_RECORD_BLOCKS = RECORD_BYTES / STORE_BLOCK_BYTES,
};

struct store_entry {
	uint32_t id;
	uint32_t version;
	uint64_t block;                      /* where its record is */
	uint64_t changed_at;
	char title[104];
	char keywords[128];
};

_Static_assert(sizeof(struct store_entry) == STORE_ENTRY_BYTES, "an entry is its bytes on disk");
_Static_assert(STORE_INDEX_BYTES % STORE_READ_BYTES == 0 &&
	       STORE_READ_BYTES % STORE_ENTRY_BYTES == 0, "no read ends within an entry");


struct store_head {
	uint64_t magic;
	uint32_t format, items, entry_bytes, record_bytes;
};

#define STORE_HEAD { 0x3179727563726d00u, 1, STORE_ITEMS, STORE_ENTRY_BYTES, RECORD_BYTES }

struct cache;
struct store_lookup;

struct store {
	int fd;                              /* past the page cache, or as near as it gets */
	bool drop;                           /* no O_DIRECT on this file system: what was read
						is dropped from the page cache instead */
	struct store_entry *index;           /* read when the store is opened */
	pthread_mutex_t batch_lock;          /* for a store access that works in batches */
	pthread_cond_t batch_done;
	struct store_lookup *batch;
	bool batch_running;
};

/* Makes the file at `path`, mode 0600, under another name first: a file of this name is whole. */
int  store_create(const char *path);

/* Opens the file, makes it when it is missing. A file that is no store is refused (-EINVAL), never
 * replaced. Negative errno on failure. */
int  store_open(struct store *store, const char *path);
void store_close(struct store *store);

/* Reads the part of the index that begins here into its place in memory, in one large read. */
int  store_read_index(struct store *store, size_t at);

/* Reads a record into memory that is aligned to a block. -EIO if it is not that item's. */
int  store_read(const struct store *store, uint64_t block, uint32_t id, struct record *ret);

/* Reads an item that the cache does not have, and leaves it there: the one function in which the
 * arms differ in how they use the disk. `ret` is aligned to a block. */
int  store_fetch(struct store *store, struct cache *cache, uint32_t id, struct record *ret);
