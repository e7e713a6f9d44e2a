/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes and ids of a perf.data file. The structure grew with the kernel: its own size says how much of it a file
 * holds, and what is missing is 0.
 */
#include "format/perf_attribute.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void perf_events_init(struct perf_events *events)
{
	*events = (struct perf_events){ .by_id = map_new(sizeof(uint64_t)), .reads = map_new(sizeof(uint64_t)) };
}

void perf_events_done(struct perf_events *events)
{
	free(events->rows);
	free(events->last_reads);
	map_free(events->by_id);
	map_free(events->reads);
}

/* A big-endian compiler fills a word of bits from its other end, so the bits of each byte are turned round as well. */
static uint64_t flags_read(struct perf_bytes *bytes)
{
	const uint8_t *at = perf_take(bytes, 8);
	uint64_t word = 0;

	for (unsigned i = 0; at && i < 8; i++) {
		uint8_t byte = at[i];

		if (bytes->swapped)
			byte = (uint8_t)((byte * 0x0202020202ull & 0x010884422010ull) % 1023);
		word |= (uint64_t)byte << 8 * i;
	}
	return word;
}

enum { FLAG_FREQUENCY = 10, FLAG_SAMPLE_IDS = 18, FLAG_EXEC = 24 };

int perf_attribute_read(struct perf_bytes *bytes, struct perf_attribute *ret)
{
	struct perf_bytes head = *bytes;
	uint32_t type = perf_u32(&head), size = perf_u32(&head);
	const uint8_t *start;
	uint64_t flags;

	/* the first version's size was not written */
	size = size ? size : PERF_ATTRIBUTE_BYTES_LEAST;
	start = size < PERF_ATTRIBUTE_BYTES_LEAST || size > 4096 ? NULL : perf_take(bytes, size);
	if (!start)
		return -EBADMSG;
	head = perf_bytes_of(start + 8, size - 8, bytes->swapped);
	*ret = (struct perf_attribute){ .type = type, .config = perf_u64(&head), .period = perf_u64(&head) };
	ret->sample_type = perf_u64(&head);
	ret->read_format = perf_u64(&head);
	flags = flags_read(&head);
	ret->by_frequency = flags >> FLAG_FREQUENCY & 1;
	ret->has_sample_ids = flags >> FLAG_SAMPLE_IDS & 1;
	ret->marks_exec = flags >> FLAG_EXEC & 1;
	/* wake-up, breakpoint type, two configs */
	(void)perf_take(&head, 24);
	ret->branch_type = perf_u64(&head);
	ret->user_registers = perf_u64(&head);
	/* stack size, clock */
	(void)perf_u64(&head);
	ret->kernel_registers = perf_u64(&head);
	return 0;
}

struct perf_event *perf_events_add(struct perf_events *events, const struct perf_attribute *attribute)
{
	if (events->count == PERF_EVENT_LIMIT)
		return NULL;
	grow(events->rows, events->count, events->room);
	events->rows[events->count] = (struct perf_event){ .attribute = *attribute };
	return &events->rows[events->count++];
}

void perf_events_add_id(struct perf_events *events, uint64_t id, size_t index)
{
	if (map_count(events->by_id) < PERF_ID_LIMIT)
		*map_put(events->by_id, &id, NULL) = (uint32_t)index;
}

struct perf_event *perf_events_find(struct perf_events *events, uint64_t id)
{
	const uint32_t *index = map_find(events->by_id, &id);

	if (index && *index < events->count)
		return &events->rows[*index];
	return !id && events->count ? &events->rows[0] : NULL;
}

/* Ids lie where the first event's type says: perf writes no file in which they would not lie there for all. */
struct perf_event *perf_events_of_sample(struct perf_events *events, struct perf_bytes body)
{
	uint64_t type = events->count ? events->rows[0].attribute.sample_type : 0;

	if (events->count <= 1 || !(type & (PERF_HAS_ID | PERF_HAS_IDENTIFIER)))
		return events->count ? &events->rows[0] : NULL;
	if (!(type & PERF_HAS_IDENTIFIER))
		(void)perf_take(&body, 8u * (unsigned)__builtin_popcountll(type & (PERF_HAS_IP | PERF_HAS_TID | PERF_HAS_TIME |
										   PERF_HAS_ADDRESS)));
	return perf_events_find(events, perf_u64(&body));
}

struct perf_event *perf_events_of_record(struct perf_events *events, struct perf_bytes body)
{
	const struct perf_attribute *first = events->count ? &events->rows[0].attribute : NULL;
	size_t back = 8;

	if (events->count <= 1 || !first->has_sample_ids || !(first->sample_type & (PERF_HAS_ID | PERF_HAS_IDENTIFIER)))
		return events->count ? &events->rows[0] : NULL;
	if (!(first->sample_type & PERF_HAS_IDENTIFIER))
		back += 8u * (unsigned)__builtin_popcountll(first->sample_type & (PERF_HAS_CPU | PERF_HAS_STREAM));
	if (perf_bytes_left(&body) < back)
		return &events->rows[0];
	body.at = body.end - back;
	return perf_events_find(events, perf_u64(&body));
}

uint64_t perf_events_gain(struct perf_events *events, uint64_t id, uint64_t value)
{
	bool added = false;
	uint32_t *index = map_count(events->reads) < PERF_ID_LIMIT ? map_put(events->reads, &id, &added)
								   : map_find(events->reads, &id);
	uint64_t before;

	if (!index)
		return 0;
	if (added) {
		*index = (uint32_t)events->read_count;
		grow(events->last_reads, events->read_count, events->read_room);
		events->last_reads[events->read_count++] = 0;
	}
	before = events->last_reads[*index];
	events->last_reads[*index] = value;
	return value > before ? value - before : 0;
}

/* --- Names ---------------------------------------------------------------------------------------------------------- */

static const char *const hardware[] = { "cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
					"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles" };
static const char *const software[] = { "cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
					"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
					"bpf-output", "cgroup-switches" };
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const operations[] = { "load", "store", "prefetch" };

static void name_make(char *name, size_t size, const struct perf_attribute *attribute)
{
	/* the upper half names one of several kinds of processors */
	uint32_t config = (uint32_t)attribute->config, cache = config & 0xff, operation = config >> 8 & 0xff;

	if (attribute->type == PERF_HARDWARE && config < ARRAY_LENGTH(hardware))
		(void)snprintf(name, size, "%s", hardware[config]);
	else if (attribute->type == PERF_SOFTWARE && config < ARRAY_LENGTH(software))
		(void)snprintf(name, size, "%s", software[config]);
	else if (attribute->type == PERF_CACHE && cache < ARRAY_LENGTH(caches) && operation < ARRAY_LENGTH(operations))
		(void)snprintf(name, size, "%s-%s%s", caches[cache], operations[operation],
			       config >> 16 & 1 ? "-misses" : "s");
	else if (attribute->type == PERF_TRACEPOINT)
		(void)snprintf(name, size, "tracepoint-%" PRIu64, attribute->config);
	else if (attribute->type == PERF_RAW)
		(void)snprintf(name, size, "raw-0x%" PRIx64, attribute->config);
	else
		(void)snprintf(name, size, "type-%" PRIu32 "-config-0x%" PRIx64, attribute->type, attribute->config);
}

const char *perf_event_name(struct perf_event *event)
{
	if (!*event->name)
		name_make(event->name, sizeof(event->name), &event->attribute);
	return event->name;
}
