/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What reading one perf.data file knows so far: its events, tasks and names, and the profile that it becomes.
 *
 *	perf_data ─▶ (inflate) ─▶ record ─▶ queue ─▶ task, stack ─▶ count ─▶ profile
 *	          └▶ feature: names of events, build ids, fields of tracepoints          └▶ schedule ─▶ ledger
 */
#include "format/perf_attribute.h"
#include "format/perf_sample.h"
#include "format/perf_stack.h"
#include "format/perf_task.h"
#include "format/seconds.h"

struct perf_inflate;
struct perf_queue;
struct perf_schedule;
struct perf_unwind;
struct tracepoints;

enum perf_record_type {
	PERF_MMAP = 1, PERF_LOST, PERF_COMM, PERF_EXIT, PERF_THROTTLE, PERF_UNTHROTTLE, PERF_FORK, PERF_READ_RECORD, PERF_SAMPLE,
	PERF_MMAP2, PERF_AUX, PERF_ITRACE_START, PERF_LOST_SAMPLES, PERF_SWITCH, PERF_SWITCH_CPU_WIDE, PERF_NAMESPACES,
	PERF_KSYMBOL, PERF_BPF_EVENT, PERF_CGROUP, PERF_TEXT_POKE, PERF_AUX_OUTPUT, PERF_CALLCHAIN_DEFERRED, PERF_KERNEL_END,
	PERF_TOOL_START = 64, PERF_HEADER_ATTR = 64, PERF_HEADER_EVENT_TYPE, PERF_HEADER_TRACING_DATA, PERF_HEADER_BUILD_ID,
	PERF_FINISHED_ROUND, PERF_ID_INDEX, PERF_AUXTRACE_INFO, PERF_AUXTRACE, PERF_AUXTRACE_ERROR, PERF_THREAD_MAP,
	PERF_CPU_MAP, PERF_STAT_CONFIG, PERF_STAT, PERF_STAT_ROUND, PERF_EVENT_UPDATE, PERF_TIME_CONV, PERF_HEADER_FEATURE,
	PERF_COMPRESSED, PERF_FINISHED_INIT, PERF_COMPRESSED2, PERF_BPF_METADATA, PERF_RECORD_END,
};
const char *perf_record_name(unsigned type);         /* "MMAP2"; NULL for one nobody knows */

enum { PERF_RECORD_HEAD = 8, PERF_RECORD_BYTES_LIMIT = 65536 };

struct perf_session {
	struct profile *profile;
	bool swapped, piped;
	struct seconds seconds;
	struct perf_events events;
	struct perf_tasks tasks;
	struct perf_stacks stacks;
	struct perf_queue *queue;
	struct perf_inflate *inflate;    /* made when the first compressed record comes */
	struct perf_schedule *schedule;  /* made when the first event of the scheduler comes */
	struct perf_unwind *unwind;      /* made when the first copied stack comes */
	struct tracepoints *tracepoints; /* NULL where the file does not hold how their fields lie */
	struct map *build_ids;           /* string id of a path → string id of its build id */
	bool has_clock;                  /* samples of a clock were taken for running time */
	uint32_t clock_event;            /* the one that were */
	uint64_t records[PERF_RECORD_END], unknown_records, damaged, ordered;
	uint64_t samples, period_sum, periods_given, lost, lost_samples, throttled, without_event, without_period, with_branches,
		with_user_stack, chained, switches_out;
	unsigned remarks;
	uint64_t first_ns, last_ns;      /* of samples */
	uint64_t window_start_ns, window_end_ns;         /* as the file says */
	uint64_t wall_ns, wall_clock_ns; /* one instant by the wall clock and by the clock of samples; 0 unknown */
};

void perf_session_init(struct perf_session *session, struct profile *profile, bool swapped);
void perf_session_done(struct perf_session *session);

/* One whole record, its head included; it may be queued. Bytes that follow some records outside (tracing data) come apart. */
int perf_session_record(struct perf_session *session, const uint8_t *record, size_t size);
/* How many bytes follow this record outside of it, as piped files hold them; 0 for most. */
uint64_t perf_record_trailing(const struct perf_session *session, const uint8_t *record, size_t size);
void perf_session_trailing(struct perf_session *session, unsigned type, const uint8_t *bytes, size_t size);
/* Gives what is queued, closes tasks and window, and tells the profile what was met. */
int perf_session_finish(struct perf_session *session);
/* The profile's provenance: perf_tell.c. */
void perf_session_tell(struct perf_session *session, uint64_t start_ns, uint64_t end_ns);
/* A warning that every report and conversion of the profile repeats. */
void perf_session_remark(struct perf_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A section of the header, by its number. */
void perf_feature_read(struct perf_session *session, unsigned feature, struct perf_bytes section);
void perf_feature_build_id(struct perf_session *session, struct perf_bytes record, uint16_t misc);
int perf_feature_attribute(struct perf_session *session, struct perf_bytes record);
void perf_feature_update(struct perf_session *session, struct perf_bytes record);
struct string_id perf_build_id_of(const struct perf_session *session, const char *path, size_t size);

/* A mapping, a name of kernel code: perf_map.c. */
void perf_map_record(struct perf_session *session, unsigned type, uint16_t misc, struct perf_bytes body);
void perf_symbol_record(struct perf_session *session, struct perf_bytes body);

/* A sample becomes cells: perf_count.c. */
void perf_count_sample(struct perf_session *session, struct perf_event *event, const struct perf_sample *sample);
