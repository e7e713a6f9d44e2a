/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the store's file: 150 MiB, written once in order, synced, and dropped from the page cache
 * so that the first lookups find the disk. It appears under its name only when it is whole.
 */
#define _GNU_SOURCE 1
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_RECORDS = 128 };

/* Records lie scattered, as after years of updates: a factor prime to their number permutes. */
static uint32_t item_at(uint32_t position)
{
	return position * 9973u % STORE_ITEMS;
}

static int write_whole(int fd, const void *bytes, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes = (const char *)bytes + n;
		size -= (size_t)n;
		at += n;
	}
	return 0;
}

static int write_head(int fd)
{
	union {
		struct store_head head;
		char bytes[STORE_BLOCK_BYTES];
	} page = { .bytes = { 0 } };

	page.head = (struct store_head)STORE_HEAD;
	return write_whole(fd, &page, sizeof(page), 0);
}

/* Fills the index on the way. */
static int write_records(int fd, struct store_entry *index)
{
	struct record *batch = calloc(WRITE_RECORDS, sizeof(*batch));
	int r = batch ? 0 : -ENOMEM;

	for (uint32_t from = 0; from < STORE_ITEMS && r == 0; from += WRITE_RECORDS) {
		uint64_t block = STORE_RECORD_BLOCK + (uint64_t)from * STORE_RECORD_BLOCKS;

		for (uint32_t i = 0; i < WRITE_RECORDS; i++) {
			uint32_t id = item_at(from + i);

			record_make(&batch[i], id);
			index[id] = (struct store_entry){ .id = id, .version = batch[i].version,
				.block = block + (uint64_t)i * STORE_RECORD_BLOCKS };
			snprintf(index[id].title, sizeof(index[id].title), "Item %u", id);
		}
		r = write_whole(fd, batch, WRITE_RECORDS * sizeof(*batch),
				(off_t)(block * STORE_BLOCK_BYTES));
	}
	free(batch);
	return r;
}

static int write_all(int fd)
{
	struct store_entry *index = calloc(STORE_ITEMS, sizeof(*index));
	int r = index ? write_records(fd, index) : -ENOMEM;

	if (r == 0)
		r = write_whole(fd, index, STORE_INDEX_BYTES,
				(off_t)STORE_INDEX_BLOCK * STORE_BLOCK_BYTES);
	if (r == 0)
		r = write_head(fd);
	free(index);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);   /* best effort: warms the start */
	return r;
}

int store_create(const char *path)
{
	char *partial;
	int fd, r;

	if (asprintf(&partial, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(partial, O_CLOEXEC);                      /* 0600 */
	r = fd < 0 ? -errno : write_all(fd);
	if (r == 0 && rename(partial, path) < 0)
		r = -errno;
	if (fd >= 0) {
		close(fd);
		if (r < 0)
			(void)unlink(partial);
	}
	free(partial);
	return r;
}
