/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout is the kernel's interface (kernel/bpf/ringbuf.c): a page with the reader's position, a page with the writers', then the
 * records, each behind a header of eight bytes whose first word holds the length and two flags.
 */
#include "capture/ring.h"

#include "base/error.h"
#include "base/memory.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct ring {
	size_t size, page;                      /* size is a power of two */
	void *reader, *writer;                  /* mapped: the reader's page, the writers' and the records behind it */
	const unsigned char *records;
	unsigned char *wrapped;                 /* the record that wraps */
	size_t wrapped_room;
};

int ring_open(struct ring **ret, int map_fd, struct error *err)
{
	struct bpf_map_info info = { 0 };
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(map_fd, &info, &size) < 0)
		return fail(err, FAILURE_CANNOT, -errno, "cannot ask for the ring's size");
	return ring_map(ret, map_fd, info.max_entries, err);
}

int ring_map(struct ring **ret, int map_fd, size_t size, struct error *err)
{
	CLEANUP(ring) struct ring *ring = xcalloc(1, sizeof(*ring));

	ring->size = size;
	ring->page = (size_t)sysconf(_SC_PAGESIZE);
	ring->writer = MAP_FAILED;
	ring->reader = mmap(NULL, ring->page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	ring->writer = mmap(NULL, ring->page + ring->size, PROT_READ, MAP_SHARED, map_fd, (off_t)ring->page);
	if (ring->reader == MAP_FAILED || ring->writer == MAP_FAILED)
		return fail(err, FAILURE_CANNOT, -errno, "cannot map the ring");
	ring->records = (const unsigned char *)ring->writer + ring->page;
	*ret = take(ring);
	return 0;
}

void ring_free(struct ring *ring)
{
	if (!ring)
		return;
	if (ring->reader != MAP_FAILED)
		(void)munmap(ring->reader, ring->page);
	if (ring->writer != MAP_FAILED)
		(void)munmap(ring->writer, ring->page + ring->size);
	free(ring->wrapped);
	free(ring);
}

static const void *record_at(struct ring *ring, size_t at, size_t size)
{
	size_t before_end = ring->size - at;

	if (size <= before_end)
		return ring->records + at;
	if (ring->wrapped_room < size) {
		ring->wrapped_room = size;
		ring->wrapped = xreallocarray(ring->wrapped, size, 1);
	}
	memcpy(ring->wrapped, ring->records + at, before_end);
	memcpy(ring->wrapped + before_end, ring->records, size - before_end);
	return ring->wrapped;
}

void ring_read(struct ring *ring, ring_function *call, void *context)
{
	unsigned long *reader = ring->reader, at = *reader;
	unsigned long end = __atomic_load_n((unsigned long *)ring->writer, __ATOMIC_ACQUIRE);
	size_t mask = ring->size - 1;

	while (at < end) {
		uint32_t word = __atomic_load_n((const uint32_t *)(const void *)(ring->records + (at & mask)), __ATOMIC_ACQUIRE);
		size_t size = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT)        /* reserved, not written yet: the ring is read up to here */
			break;
		if (!(word & BPF_RINGBUF_DISCARD_BIT) && size <= ring->size)
			call(context, record_at(ring, (at + BPF_RINGBUF_HDR_SZ) & mask, size), size);
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~(size_t)7;
		__atomic_store_n(reader, at, __ATOMIC_RELEASE);
	}
}
