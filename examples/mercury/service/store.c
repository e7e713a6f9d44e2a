/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the store and reads its blocks, past the page cache: the service has a cache of its own.
 * How an item is fetched stands alone, in store_fetch.c.
 */
#define _GNU_SOURCE 1
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int read_whole(const struct store *store, void *into, size_t size, off_t at)
{
	const size_t whole = size;
	const off_t start = at;

	while (size) {
		ssize_t n = pread(store->fd, into, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		into = (char *)into + n;
		size -= (size_t)n;
		at += n;
	}
	if (store->drop)
		(void)posix_fadvise(store->fd, start, (off_t)whole, POSIX_FADV_DONTNEED);
	return 0;
}

static int head_read(const struct store *store, void *block)
{
	static const struct store_head expected = STORE_HEAD;
	int r = read_whole(store, block, STORE_BLOCK_BYTES, 0);

	if (r < 0)
		return r == -EIO ? -EINVAL : r;
	return memcmp(block, &expected, sizeof(expected)) ? -EINVAL : 0;
}

/* Not every file system can read past the page cache, and some say so only at the first read. */
static int file_open(struct store *store, const char *path)
{
	void *block = aligned_alloc(STORE_BLOCK_BYTES, STORE_BLOCK_BYTES);

	if (!block)
		return -ENOMEM;
	store->fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (store->fd < 0 || pread(store->fd, block, STORE_BLOCK_BYTES, 0) < 0) {
		if (store->fd >= 0)
			close(store->fd);
		store->drop = true;
		store->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	free(block);
	return store->fd < 0 ? -errno : 0;
}

/* On huge pages where there are some: a large read then has few pieces. */
static int index_load(struct store *store)
{
	int r;

	if (posix_memalign((void **)&store->index, STORE_INDEX_ALIGNMENT, STORE_INDEX_BYTES) != 0)
		store->index = NULL;
	if (!store->index)
		return -ENOMEM;
	(void)madvise(store->index, STORE_INDEX_BYTES, MADV_HUGEPAGE);
	memset(store->index, 0, STORE_INDEX_BYTES);
	r = head_read(store, store->index);
	for (size_t at = 0; at < STORE_INDEX_BYTES && r == 0; at += STORE_READ_BYTES)
		r = store_read_index(store, at);
	return r;
}

int store_open(struct store *store, const char *path)
{
	int r = 0;

	*store = (struct store){ .fd = -1 };
	pthread_mutex_init(&store->batch_lock, NULL);
	pthread_cond_init(&store->batch_done, NULL);
	if (access(path, F_OK) < 0)
		r = store_create(path);
	if (r == 0)
		r = file_open(store, path);
	if (r == 0)
		r = index_load(store);
	if (r < 0)
		store_close(store);
	return r;
}

void store_close(struct store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	free(store->index);
	pthread_cond_destroy(&store->batch_done);
	pthread_mutex_destroy(&store->batch_lock);
}

int store_read_index(struct store *store, size_t at)
{
	return read_whole(store, (char *)store->index + at, STORE_READ_BYTES,
			  (off_t)(STORE_INDEX_BLOCK * STORE_BLOCK_BYTES + at));
}

int store_read(const struct store *store, uint64_t block, uint32_t id, struct record *ret)
{
	int r = read_whole(store, ret, sizeof(*ret), (off_t)(block * STORE_BLOCK_BYTES));

	if (r < 0)
		return r;
	return record_is(ret, id) ? 0 : -EIO;
}
