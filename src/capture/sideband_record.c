/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record of a perf ring, as man perf_event_open draws it: the header, a body by type, and at the end what
 * sample_id_all adds: pid, tid, time. Pure: bytes in, struct out.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "capture/sideband.h"

enum { TRAILER_SIZE = 16, KERNEL_BUILD_ID_SIZE = 20 };

struct mmap2_body {
	uint32_t pid, tid;
	uint64_t start, size, offset;
	union {
		struct { uint32_t major, minor; uint64_t inode, generation; };
		struct { uint8_t build_id_size, reserved[3], build_id[KERNEL_BUILD_ID_SIZE]; };
	};
	uint32_t protection, flags;
};
_Static_assert(sizeof(struct mmap2_body) == 64, "as the kernel lays it out");

struct task_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct body {
	const unsigned char *bytes;
	size_t size;                                 /* without the trailer */
	uint16_t misc;
};

static int decode_task(const struct body *body, struct sideband_record *ret, enum sideband_kind kind)
{
	struct task_body task;

	if (body->size < sizeof(task))
		return 0;
	memcpy(&task, body->bytes, sizeof(task));
	ret->kind = kind;
	ret->pid = task.pid;
	ret->tid = task.tid;
	ret->parent_pid = task.parent_pid;
	ret->parent_tid = task.parent_tid;
	return 1;
}

static int decode_comm(const struct body *body, struct sideband_record *ret)
{
	if (body->size < 9)
		return 0;
	ret->kind = body->misc & PERF_RECORD_MISC_COMM_EXEC ? SIDEBAND_EXEC : SIDEBAND_COMM;
	memcpy(&ret->pid, body->bytes, 4);
	memcpy(&ret->tid, body->bytes + 4, 4);
	(void)snprintf(ret->comm, sizeof(ret->comm), "%.*s", (int)(body->size - 8), (const char *)body->bytes + 8);
	return 1;
}

static void print_build_id(const struct mmap2_body *mmap2, char hex[HARVEST_BUILD_ID])
{
	size_t size = mmap2->build_id_size <= KERNEL_BUILD_ID_SIZE ? mmap2->build_id_size : 0;

	hex[0] = '\0';
	for (size_t i = 0; i < size; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", mmap2->build_id[i]);
}

static int decode_mapping(const struct body *body, struct sideband_record *ret, struct harvested_mapping *mapping)
{
	struct mmap2_body mmap2;

	if (body->size <= sizeof(mmap2))
		return 0;
	memcpy(&mmap2, body->bytes, sizeof(mmap2));
	if (!(mmap2.protection & PROT_EXEC) || mmap2.start + mmap2.size <= mmap2.start)
		return 0;
	ret->kind = SIDEBAND_MAPPING;
	ret->pid = mmap2.pid;
	ret->tid = mmap2.tid;
	ret->mapping = mapping;
	mapping->start = mmap2.start;
	mapping->end = mmap2.start + mmap2.size;
	mapping->offset = mmap2.offset;
	mapping->device = mapping->inode = 0;
	mapping->deleted = false;
	mapping->build_id[0] = '\0';
	if (body->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		print_build_id(&mmap2, mapping->build_id);
	} else {
		mapping->device = makedev(mmap2.major, mmap2.minor);
		mapping->inode = mmap2.inode;
	}
	(void)snprintf(mapping->path, sizeof(mapping->path), "%.*s", (int)(body->size - sizeof(mmap2)),
		       (const char *)body->bytes + sizeof(mmap2));
	harvest_normalize(mapping);
	return 1;
}

int sideband_decode(const void *bytes, size_t size, struct sideband_record *ret, struct harvested_mapping *mapping)
{
	struct perf_event_header header;
	struct body body;

	if (size < sizeof(header) + TRAILER_SIZE)
		return 0;
	memcpy(&header, bytes, sizeof(header));
	if (header.size != size)
		return 0;
	body = (struct body){ .bytes = (const unsigned char *)bytes + sizeof(header), .misc = header.misc,
			      .size = size - sizeof(header) - TRAILER_SIZE };
	*ret = (struct sideband_record){ 0 };
	memcpy(&ret->time_ns, (const unsigned char *)bytes + size - 8, sizeof(ret->time_ns));
	switch (header.type) {
	case PERF_RECORD_FORK: return decode_task(&body, ret, SIDEBAND_FORK);
	case PERF_RECORD_EXIT: return decode_task(&body, ret, SIDEBAND_EXIT);
	case PERF_RECORD_COMM: return decode_comm(&body, ret);
	case PERF_RECORD_MMAP2: return decode_mapping(&body, ret, mapping);
	default: return 0;
	}
}
