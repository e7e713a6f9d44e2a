/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One dummy event per processor with mmap2, comm, comm_exec and task records. Each ring is in order of time, the
 * processors among each other are not: so a reading copies what is in all rings, sorts it and then hands it on.
 */
#include "capture/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "capture/host.h"

struct ring {
	int fd;
	struct perf_event_mmap_page *page;           /* the data follows on the next page; its size is a power of two */
};

struct pending {
	uint64_t time_ns;
	size_t at, size, order;                      /* where its bytes lie in copied */
};

struct sideband {
	struct ring *rings;
	size_t ring_count, ring_room;
	unsigned char *copied;
	size_t copied_size, copied_room;
	struct pending *pending;
	size_t pending_count, pending_room;
	struct sideband_statistics statistics;
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Kernels before 5.12 refuse the build id; the mapping's file is then read by the harvest. */
static int open_event(int processor)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1, .build_id = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = SIDEBAND_RING_BYTES / 2,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL) {
		attr.build_id = 0;
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

static int open_ring(struct sideband *sideband, int processor)
{
	struct ring ring = { .fd = open_event(processor) };

	if (ring.fd < 0)
		return ring.fd;
	ring.page = mmap(NULL, page_bytes() + SIDEBAND_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		int code = -errno;

		(void)close(ring.fd);
		return code;
	}
	grow(sideband->rings, sideband->ring_count, sideband->ring_room);
	sideband->rings[sideband->ring_count++] = ring;
	sideband->statistics.ring_bytes += SIDEBAND_RING_BYTES;
	return 0;
}

static struct sideband *refuse(struct error *err, int code)
{
	(void)fail(err, FAILURE_CANNOT, code, "cannot watch processes start and map files");
	if (code == -EACCES || code == -EPERM) {
		(void)error_because(err, "events of all processes take CAP_PERFMON");
		(void)error_try(err, "run as root, or see: crosscut doctor");
	}
	return NULL;
}

struct sideband *sideband_open(struct error *err)
{
	CLEANUP(sideband) struct sideband *sideband = xcalloc(1, sizeof(*sideband));
	struct host host;
	int r = -ENODEV;

	host_read(&host);
	for (uint32_t processor = 0; processor < host.processors_possible; processor++) {
		int code = open_ring(sideband, (int)processor);

		if (code == -ENODEV)
			continue;                    /* it is offline */
		if (code < 0 && !sideband->ring_count)
			return refuse(err, code);
		sideband->statistics.skipped += code < 0;
		r = 0;
	}
	return r < 0 ? refuse(err, r) : take(sideband);
}

void sideband_close(struct sideband *sideband)
{
	if (!sideband)
		return;
	for (size_t i = 0; i < sideband->ring_count; i++) {
		(void)munmap(sideband->rings[i].page, page_bytes() + SIDEBAND_RING_BYTES);
		(void)close(sideband->rings[i].fd);
	}
	free(sideband->rings);
	free(sideband->copied);
	free(sideband->pending);
	free(sideband);
}

static unsigned char *room_for(struct sideband *sideband, size_t size)
{
	if (sideband->copied_size + size > sideband->copied_room) {
		sideband->copied_room = sideband->copied_size + size;
		sideband->copied = xreallocarray(sideband->copied, sideband->copied_room, 1);
	}
	return sideband->copied + sideband->copied_size;
}

/* Copies what the kernel has written and gives the room back at once. */
static size_t copy_ring(struct sideband *sideband, const struct ring *ring)
{
	const unsigned char *data = (const unsigned char *)ring->page + page_bytes();
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
	size_t size = head - tail <= SIDEBAND_RING_BYTES ? (size_t)(head - tail) : 0;
	size_t start = tail % SIDEBAND_RING_BYTES, first = SIDEBAND_RING_BYTES - start < size ? SIDEBAND_RING_BYTES - start : size;
	unsigned char *to = room_for(sideband, size);

	if (!size)
		return 0;
	memcpy(to, data + start, first);
	memcpy(to + first, data, size - first);
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	sideband->copied_size += size;
	return size;
}

/* The time stands in the last eight bytes of every record: sample_id_all puts it there. */
static void note_record(struct sideband *sideband, size_t at, const struct perf_event_header *header)
{
	struct pending pending = { .at = at, .size = header->size, .order = sideband->pending_count };
	uint64_t lost;

	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(*header) + 16) {
		memcpy(&lost, sideband->copied + at + sizeof(*header) + 8, sizeof(lost));
		sideband->statistics.lost += lost;
		sideband->statistics.lost_rings++;
		return;
	}
	memcpy(&pending.time_ns, sideband->copied + at + header->size - 8, sizeof(pending.time_ns));
	grow(sideband->pending, sideband->pending_count, sideband->pending_room);
	sideband->pending[sideband->pending_count++] = pending;
}

static void note_records(struct sideband *sideband, size_t at, size_t end)
{
	struct perf_event_header header;

	for (; at + sizeof(header) <= end; at += header.size) {
		memcpy(&header, sideband->copied + at, sizeof(header));
		if (header.size < sizeof(header) + 8 || at + header.size > end)
			return;
		note_record(sideband, at, &header);
	}
}

static int compare_pending(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

int sideband_read(struct sideband *sideband, void (*call)(void *context, const struct sideband_record *record), void *context)
{
	CLEANUP_TEXT struct harvested_mapping *mapping = xmalloc(sizeof(*mapping));
	struct sideband_record record;
	int count = 0;

	sideband->copied_size = sideband->pending_count = 0;
	for (size_t i = 0; i < sideband->ring_count; i++) {
		size_t at = sideband->copied_size;

		note_records(sideband, at, at + copy_ring(sideband, &sideband->rings[i]));
	}
	if (sideband->pending_count)
		qsort(sideband->pending, sideband->pending_count, sizeof(*sideband->pending), compare_pending);
	for (size_t i = 0; i < sideband->pending_count; i++) {
		const struct pending *pending = &sideband->pending[i];

		if (!sideband_decode(sideband->copied + pending->at, pending->size, &record, mapping))
			continue;
		call(context, &record);
		count++;
	}
	sideband->statistics.records += (uint64_t)count;
	return count;
}

void sideband_statistics(const struct sideband *sideband, struct sideband_statistics *ret)
{
	*ret = sideband->statistics;
}
