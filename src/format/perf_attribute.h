/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The events of a perf.data file: what was counted, and which fields its samples have. Records name their event by an id;
 * where one file has several events and no ids (old perf), all records are the first event's.
 *
 * Source: include/uapi/linux/perf_event.h and tools/perf/util/evlist.c of Linux.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/perf_bytes.h"
#include "profile/id.h"

struct map;

enum perf_sample_type {
	PERF_HAS_IP = 1 << 0, PERF_HAS_TID = 1 << 1, PERF_HAS_TIME = 1 << 2, PERF_HAS_ADDRESS = 1 << 3,
	PERF_HAS_READ = 1 << 4, PERF_HAS_CALLCHAIN = 1 << 5, PERF_HAS_ID = 1 << 6, PERF_HAS_CPU = 1 << 7,
	PERF_HAS_PERIOD = 1 << 8, PERF_HAS_STREAM = 1 << 9, PERF_HAS_RAW = 1 << 10, PERF_HAS_BRANCHES = 1 << 11,
	PERF_HAS_USER_REGISTERS = 1 << 12, PERF_HAS_USER_STACK = 1 << 13, PERF_HAS_WEIGHT = 1 << 14,
	PERF_HAS_DATA_SOURCE = 1 << 15, PERF_HAS_IDENTIFIER = 1 << 16, PERF_HAS_TRANSACTION = 1 << 17,
	PERF_HAS_KERNEL_REGISTERS = 1 << 18, PERF_HAS_PHYSICAL = 1 << 19, PERF_HAS_AUX = 1 << 20,
	PERF_HAS_CGROUP = 1 << 21, PERF_HAS_DATA_PAGE = 1 << 22, PERF_HAS_CODE_PAGE = 1 << 23,
	PERF_HAS_WEIGHTS = 1 << 24, PERF_HAS_KNOWN = (1 << 25) - 1,
};
enum perf_read_format { PERF_READ_ENABLED = 1, PERF_READ_RUNNING = 2, PERF_READ_ID = 4, PERF_READ_GROUP = 8, PERF_READ_LOST = 16 };
enum perf_type { PERF_HARDWARE, PERF_SOFTWARE, PERF_TRACEPOINT, PERF_CACHE, PERF_RAW, PERF_BREAKPOINT };
enum { PERF_SOFTWARE_CPU_CLOCK, PERF_SOFTWARE_TASK_CLOCK };
enum { PERF_BRANCH_HAS_INDEX = 1 << 17, PERF_BRANCH_HAS_COUNTERS = 1 << 19 };

struct perf_attribute {
	uint32_t type;
	uint64_t config, period;         /* period: or the frequency */
	uint64_t sample_type, read_format, branch_type, user_registers, kernel_registers;
	bool by_frequency, has_sample_ids, marks_exec;
};

struct perf_event {
	struct perf_attribute attribute;
	char name[256];                  /* "cycles:u"; "" until known */
	struct measure_id measures[2];   /* by stack, of user and of kernel code; made when the first sample comes */
	struct measure_id total;         /* by thread; none where another total tells it */
	uint64_t samples, period_sum;
	struct tracepoint *tracepoint;   /* borrowed; NULL unless the file says how its fields lie */
	bool looked;                     /* for it */
	uint8_t role;                    /* enum perf_role: what the ledger makes of it */
};

struct perf_events {
	struct perf_event *rows;
	size_t count, room;
	struct map *by_id;               /* u64 id → index */
	struct map *reads;               /* u64 id → index in last_reads */
	uint64_t *last_reads;
	size_t read_count, read_room;
};

enum { PERF_EVENT_LIMIT = 4096, PERF_ID_LIMIT = 1 << 20, PERF_ATTRIBUTE_BYTES_LEAST = 64 };

void perf_events_init(struct perf_events *events);
void perf_events_done(struct perf_events *events);
/* Reads as much of an attribute as was written; the cursor stands behind it. -EBADMSG where it makes no sense. */
int perf_attribute_read(struct perf_bytes *bytes, struct perf_attribute *ret);
/* NULL beyond the limit. */
struct perf_event *perf_events_add(struct perf_events *events, const struct perf_attribute *attribute);
void perf_events_add_id(struct perf_events *events, uint64_t id, size_t index);
/* The event of a sample or of another record, by what stands in its body; NULL where its id is nobody's. */
struct perf_event *perf_events_of_sample(struct perf_events *events, struct perf_bytes body);
struct perf_event *perf_events_of_record(struct perf_events *events, struct perf_bytes body);
struct perf_event *perf_events_find(struct perf_events *events, uint64_t id);
/* What one member of a group counted since its last sample. */
uint64_t perf_events_gain(struct perf_events *events, uint64_t id, uint64_t value);
/* The name the file gave, or what perf would call it. */
const char *perf_event_name(struct perf_event *event);
