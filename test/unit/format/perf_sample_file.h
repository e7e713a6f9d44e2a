/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Makes recordings of perf byte by byte, in either byte order, so that a test says what each record holds:
 *
 *	struct recording recording = recording_start(swapped);
 *	recording_event(&recording, (struct recorded_event){ .type = 0, .config = 0, .sample_type = …, .id = 7, .name = "cycles" });
 *	recording_comm(&recording, 1, 1, "sh", 0);
 *	bytes = recording_file(&recording, &size);
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDED_EVENTS = 4, RECORDED_BYTES = 64 * 1024 };

struct recorded_event {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags, id;
	const char *name;
};

struct recording {
	int swapped;
	struct recorded_event events[RECORDED_EVENTS];
	size_t event_count;
	uint8_t data[RECORDED_BYTES];
	size_t size, record;             /* record: where the present one began */
};

static inline void put(struct recording *recording, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		recording->data[recording->size++] =
			(uint8_t)(value >> 8 * (recording->swapped ? width - 1 - i : i));
}

static inline void put_text(struct recording *recording, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(recording->data + recording->size, text, size);
	recording->size += size;
	while (recording->size % 8)
		recording->data[recording->size++] = 0;
}

static inline struct recording recording_start(int swapped)
{
	return (struct recording){ .swapped = swapped };
}

static inline void record_begin(struct recording *recording, uint32_t type, uint16_t misc)
{
	recording->record = recording->size;
	put(recording, type, 4);
	put(recording, misc, 2);
	put(recording, 0, 2);
}

static inline void record_end(struct recording *recording)
{
	size_t end = recording->size, size = end - recording->record;

	recording->size = recording->record + 6;
	put(recording, size, 2);
	recording->size = end;
}

static inline void recording_event(struct recording *recording, struct recorded_event event)
{
	recording->events[recording->event_count++] = event;
}

/* A big-endian compiler lays out bits from the other end of each byte. */
static inline void put_flags(struct recording *recording, uint64_t flags)
{
	for (size_t i = 0; i < 8; i++) {
		uint8_t byte = (uint8_t)(flags >> 8 * i), turned = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			turned |= (uint8_t)((byte >> bit & 1) << (7 - bit));
		recording->data[recording->size++] = recording->swapped ? turned : byte;
	}
}

static inline void put_attribute(struct recording *recording, const struct recorded_event *event)
{
	put(recording, event->type, 4);
	put(recording, 112, 4);
	put(recording, event->config, 8);
	put(recording, event->period, 8);
	put(recording, event->sample_type, 8);
	put(recording, event->read_format, 8);
	put_flags(recording, event->flags);
	for (size_t i = 48; i < 112; i += 8)
		put(recording, 0, 8);
}

/* The file: header, ids, attributes, records, one section of the names of events. The caller frees it. */
static inline uint8_t *recording_file(const struct recording *recording, size_t *ret_size)
{
	struct recording *file = calloc(1, sizeof(*file));
	uint64_t ids = 104, attributes = ids + 8 * recording->event_count, data = attributes + 128 * recording->event_count;
	uint64_t names = data + recording->size + 16, start;
	uint8_t *bytes;

	file->swapped = recording->swapped;
	put(file, 0x32454c4946524550ull, 8);
	put(file, 104, 8);
	put(file, 128, 8);
	put(file, attributes, 8);
	put(file, 128 * recording->event_count, 8);
	put(file, data, 8);
	put(file, recording->size, 8);
	put(file, 0, 8);
	put(file, 0, 8);
	put(file, 1ull << 12 | (recording->swapped ? 1ull << 3 : 0), 8);        /* names of events, and of the host */
	for (size_t i = 0; i < 3; i++)
		put(file, 0, 8);
	for (size_t i = 0; i < recording->event_count; i++)
		put(file, recording->events[i].id, 8);
	for (size_t i = 0; i < recording->event_count; i++) {
		put_attribute(file, &recording->events[i]);
		put(file, ids + 8 * i, 8);
		put(file, 8, 8);
	}
	memcpy(file->data + file->size, recording->data, recording->size);
	file->size += recording->size;
	if (recording->swapped) {               /* a section for the host, which is empty */
		put(file, names + 16, 8);
		put(file, 0, 8);
		names += 16;
	}
	put(file, names, 8);
	start = file->size;
	put(file, 0, 8);
	put(file, recording->event_count, 4);
	put(file, 112, 4);
	for (size_t i = 0; i < recording->event_count; i++) {
		put_attribute(file, &recording->events[i]);
		put(file, 1, 4);
		put(file, 16, 4);
		memcpy(file->data + file->size, recording->events[i].name, strlen(recording->events[i].name));
		file->size += 16;
		put(file, recording->events[i].id, 8);
	}
	*ret_size = file->size;
	file->size = start;
	put(file, *ret_size - names, 8);
	bytes = malloc(*ret_size);
	memcpy(bytes, file->data, *ret_size);
	free(file);
	return bytes;
}

/* The same as a pipe: attributes and names are records. */
static inline uint8_t *recording_pipe(const struct recording *recording, size_t *ret_size)
{
	struct recording *pipe = calloc(1, sizeof(*pipe));
	uint8_t *bytes;

	pipe->swapped = recording->swapped;
	put(pipe, 0x32454c4946524550ull, 8);
	put(pipe, 16, 8);
	for (size_t i = 0; i < recording->event_count; i++) {
		record_begin(pipe, 64, 0);
		put_attribute(pipe, &recording->events[i]);
		put(pipe, recording->events[i].id, 8);
		record_end(pipe);
		record_begin(pipe, 78, 0);
		put(pipe, 2, 8);
		put(pipe, recording->events[i].id, 8);
		put_text(pipe, recording->events[i].name);
		record_end(pipe);
	}
	memcpy(pipe->data + pipe->size, recording->data, recording->size);
	*ret_size = pipe->size + recording->size;
	bytes = malloc(*ret_size);
	memcpy(bytes, pipe->data, *ret_size);
	free(pipe);
	return bytes;
}

/* --- Records, with what follows the fields of all but samples: pid, tid, time, id ------------------------------------ */

enum { RECORDED_TYPE = 1 | 2 | 4 | 64 | 256 | 65536 | 32 };     /* ip, tid, time, id, period, identifier, chain */
#define RECORDED_FLAGS (1ull << 18 | 1ull << 24)

static inline void put_trailer(struct recording *recording, uint32_t pid, uint32_t tid, uint64_t time_ns, uint64_t id)
{
	put(recording, pid, 4);
	put(recording, tid, 4);
	put(recording, time_ns, 8);
	put(recording, id, 8);
	put(recording, id, 8);
}

static inline void recording_comm(struct recording *recording, uint32_t pid, uint32_t tid, const char *comm, int exec,
				  uint64_t time_ns)
{
	record_begin(recording, 3, exec ? 1 << 13 : 0);
	put(recording, pid, 4);
	put(recording, tid, 4);
	put_text(recording, comm);
	put_trailer(recording, pid, tid, time_ns, recording->events[0].id);
	record_end(recording);
}

static inline void recording_map(struct recording *recording, uint32_t pid, uint64_t start, uint64_t size, uint64_t offset,
				 const char *path, uint64_t time_ns)
{
	record_begin(recording, 10, 2);
	put(recording, pid, 4);
	put(recording, pid, 4);
	put(recording, start, 8);
	put(recording, size, 8);
	put(recording, offset, 8);
	for (size_t i = 0; i < 3; i++)
		put(recording, 0, 8);
	put(recording, 5, 4);
	put(recording, 2, 4);
	put_text(recording, path);
	put_trailer(recording, pid, pid, time_ns, recording->events[0].id);
	record_end(recording);
}

static inline void recording_fork(struct recording *recording, int exit, uint32_t pid, uint32_t parent_pid, uint32_t tid,
				  uint32_t parent_tid, uint64_t time_ns)
{
	record_begin(recording, exit ? 4 : 7, 0);
	put(recording, pid, 4);
	put(recording, parent_pid, 4);
	put(recording, tid, 4);
	put(recording, parent_tid, 4);
	put(recording, time_ns, 8);
	put_trailer(recording, pid, tid, time_ns, recording->events[0].id);
	record_end(recording);
}

struct recorded_sample { uint32_t pid, tid; uint64_t time_ns, id, period; uint16_t mode; const uint64_t *chain; size_t depth; };

static inline void recording_sample(struct recording *recording, struct recorded_sample sample)
{
	record_begin(recording, 9, sample.mode);
	put(recording, sample.id, 8);
	put(recording, sample.depth ? sample.chain[sample.depth - 1] : 0, 8);
	put(recording, sample.pid, 4);
	put(recording, sample.tid, 4);
	put(recording, sample.time_ns, 8);
	put(recording, sample.id, 8);
	put(recording, sample.period, 8);
	put(recording, sample.depth, 8);
	for (size_t i = 0; i < sample.depth; i++)
		put(recording, sample.chain[i], 8);
	record_end(recording);
}

static inline void recording_round(struct recording *recording)
{
	record_begin(recording, 68, 0);
	record_end(recording);
}
