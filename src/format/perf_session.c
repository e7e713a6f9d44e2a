/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a perf.data file, each by its type: what has a time is queued and comes back in order, what perf made up as it
 * started (time 0) and its own records are dealt with at once. A record that is too short for its type is counted and left
 * out; the rest of the file can still be read, since its size was right.
 */
#include "format/perf_session.h"

#include "base/map.h"
#include "format/perf_inflate.h"
#include "format/perf_queue.h"
#include "format/perf_schedule.h"
#include "format/perf_space.h"
#include "format/perf_unwind.h"
#include "format/tracepoint.h"
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { MISC_EXEC = 1 << 13, MISC_SWITCH_OUT = 1 << 13 };

static const char *const record_names[PERF_RECORD_END] = {
	[PERF_MMAP] = "MMAP", [PERF_LOST] = "LOST", [PERF_COMM] = "COMM", [PERF_EXIT] = "EXIT", [PERF_THROTTLE] = "THROTTLE",
	[PERF_UNTHROTTLE] = "UNTHROTTLE", [PERF_FORK] = "FORK", [PERF_READ_RECORD] = "READ", [PERF_SAMPLE] = "SAMPLE",
	[PERF_MMAP2] = "MMAP2", [PERF_AUX] = "AUX", [PERF_ITRACE_START] = "ITRACE_START", [PERF_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_SWITCH] = "SWITCH", [PERF_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE", [PERF_NAMESPACES] = "NAMESPACES",
	[PERF_KSYMBOL] = "KSYMBOL", [PERF_BPF_EVENT] = "BPF_EVENT", [PERF_CGROUP] = "CGROUP", [PERF_TEXT_POKE] = "TEXT_POKE",
	[PERF_AUX_OUTPUT] = "AUX_OUTPUT_HW_ID", [PERF_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[PERF_HEADER_ATTR] = "HEADER_ATTR", [PERF_HEADER_EVENT_TYPE] = "EVENT_TYPE", [PERF_HEADER_TRACING_DATA] = "TRACING_DATA",
	[PERF_HEADER_BUILD_ID] = "BUILD_ID", [PERF_FINISHED_ROUND] = "FINISHED_ROUND", [PERF_ID_INDEX] = "ID_INDEX",
	[PERF_AUXTRACE_INFO] = "AUXTRACE_INFO", [PERF_AUXTRACE] = "AUXTRACE", [PERF_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[PERF_THREAD_MAP] = "THREAD_MAP", [PERF_CPU_MAP] = "CPU_MAP", [PERF_STAT_CONFIG] = "STAT_CONFIG", [PERF_STAT] = "STAT",
	[PERF_STAT_ROUND] = "STAT_ROUND", [PERF_EVENT_UPDATE] = "EVENT_UPDATE", [PERF_TIME_CONV] = "TIME_CONV",
	[PERF_HEADER_FEATURE] = "FEATURE", [PERF_COMPRESSED] = "COMPRESSED", [PERF_FINISHED_INIT] = "FINISHED_INIT",
	[PERF_COMPRESSED2] = "COMPRESSED2", [PERF_BPF_METADATA] = "BPF_METADATA",
};

const char *perf_record_name(unsigned type)
{
	return type < PERF_RECORD_END ? record_names[type] : NULL;
}

struct head { uint32_t type; uint16_t misc, size; };

static struct head head_read(const uint8_t *record, bool swapped)
{
	struct perf_bytes bytes = perf_bytes_of(record, PERF_RECORD_HEAD, swapped);
	struct head head = { .type = perf_u32(&bytes) };

	head.misc = perf_u16(&bytes);
	head.size = perf_u16(&bytes);
	return head;
}

/* --- What happened, in order ------------------------------------------------------------------------------------------ */

static void sample_record(struct perf_session *session, uint16_t misc, struct perf_bytes body)
{
	struct perf_event *event = perf_events_of_sample(&session->events, body);
	struct perf_sample sample;

	if (!event)
		session->without_event++;
	else if (perf_sample_read(&event->attribute, misc, body, &sample) < 0)
		session->damaged++;
	else
		perf_count_sample(session, event, &sample);
}

static void comm_record(struct perf_session *session, uint16_t misc, struct perf_bytes body, uint64_t time_ns)
{
	uint32_t pid = perf_u32(&body), tid = perf_u32(&body);
	const char *name;
	size_t size = perf_text_size(&body, &name);

	if (body.failed)
		session->damaged++;
	else
		perf_tasks_named(&session->tasks, pid, tid, name, size, misc & MISC_EXEC, time_ns);
}

static void life_record(struct perf_session *session, unsigned type, struct perf_bytes body, uint64_t time_ns)
{
	uint32_t pid = perf_u32(&body), parent_pid = perf_u32(&body), tid = perf_u32(&body), parent_tid = perf_u32(&body);
	uint64_t own_ns = perf_u64(&body);

	/* what perf made up as it started has no time: those threads were there before */
	if (body.failed)
		session->damaged++;
	else if (type == PERF_FORK)
		perf_tasks_forked(&session->tasks, pid, tid, parent_pid, parent_tid, time_ns ? time_ns : own_ns);
	else
		perf_tasks_exited(&session->tasks, pid, tid, time_ns ? time_ns : own_ns);
}

static void namespaces_record(struct perf_session *session, struct perf_bytes body)
{
	enum { PID_NAMESPACE = 3 };
	uint32_t pid = perf_u32(&body);
	char name[32];
	uint64_t count;

	(void)perf_u32(&body);
	count = perf_u64(&body);
	if (count <= PID_NAMESPACE || !perf_take(&body, 16ul * PID_NAMESPACE + 8))
		return;
	(void)snprintf(name, sizeof(name), "pid:[%" PRIu64 "]", perf_u64(&body));
	if (!body.failed)
		profile_process_edit(session->profile, perf_tasks_process(&session->tasks, pid)->id)->pid_namespace =
			profile_string(session->profile, name);
}

static int ordered_record(void *context, const uint8_t *record, size_t size, uint64_t time_ns)
{
	struct perf_session *session = context;
	struct head head = head_read(record, session->swapped);
	struct perf_bytes body = perf_bytes_of(record + PERF_RECORD_HEAD, size - PERF_RECORD_HEAD, session->swapped);

	switch (head.type) {
	case PERF_SAMPLE: sample_record(session, head.misc, body); break;
	case PERF_MMAP: case PERF_MMAP2: perf_map_record(session, head.type, head.misc, body); break;
	case PERF_COMM: comm_record(session, head.misc, body, time_ns); break;
	case PERF_FORK: case PERF_EXIT: life_record(session, head.type, body, time_ns); break;
	case PERF_LOST:
		(void)perf_u64(&body);
		session->lost += perf_u64(&body);
		break;
	case PERF_LOST_SAMPLES: session->lost_samples += perf_u64(&body); break;
	case PERF_THROTTLE: session->throttled++; break;
	case PERF_SWITCH: case PERF_SWITCH_CPU_WIDE: session->switches_out += !!(head.misc & MISC_SWITCH_OUT); break;
	case PERF_NAMESPACES: namespaces_record(session, body); break;
	case PERF_KSYMBOL: perf_symbol_record(session, body); break;
	default: break;                 /* counted by its type, and that is all that is known to be useful of it */
	}
	return 0;
}

/* --- As they come ----------------------------------------------------------------------------------------------------- */

static uint64_t time_of(struct perf_session *session, const struct head *head, struct perf_bytes body)
{
	const struct perf_event *event;
	struct perf_sample sample;
	uint64_t before;

	if (head->type == PERF_SAMPLE) {
		event = perf_events_of_sample(&session->events, body);
		if (!event || !(event->attribute.sample_type & PERF_HAS_TIME))
			return 0;
		before = event->attribute.sample_type & (PERF_HAS_IDENTIFIER | PERF_HAS_IP | PERF_HAS_TID);
		(void)perf_take(&body, 8u * (unsigned)__builtin_popcountll(before));
		return perf_u64(&body);
	}
	event = perf_events_of_record(&session->events, body);
	if (!event)
		return 0;
	perf_sample_id_read(&event->attribute, body, &sample);
	return sample.time_ns;
}

static int kernel_record(struct perf_session *session, const struct head *head, const uint8_t *record, size_t size)
{
	uint64_t time_ns = time_of(session, head, perf_bytes_of(record + PERF_RECORD_HEAD, size - PERF_RECORD_HEAD, session->swapped));

	if (!time_ns || time_ns == UINT64_MAX)
		return ordered_record(session, record, size, 0);
	session->ordered++;
	return perf_queue_put(session->queue, record, size, time_ns);
}

static int inflated_record(void *context, const uint8_t *record, size_t size)
{
	uint32_t type = head_read(record, ((struct perf_session *)context)->swapped).type;

	return type == PERF_COMPRESSED || type == PERF_COMPRESSED2 ? -EBADMSG : perf_session_record(context, record, size);
}

static int compressed_record(struct perf_session *session, unsigned type, struct perf_bytes body)
{
	uint64_t size = perf_bytes_left(&body);

	if (type == PERF_COMPRESSED2)
		size = perf_u64(&body);
	if (size > perf_bytes_left(&body))
		return -EBADMSG;
	if (!session->inflate)
		session->inflate = perf_inflate_new();
	return perf_inflate_put(session->inflate, body.at, size, session->swapped, inflated_record, session);
}

static int tool_record(struct perf_session *session, const struct head *head, struct perf_bytes body)
{
	uint64_t feature;

	switch (head->type) {
	case PERF_HEADER_ATTR: return perf_feature_attribute(session, body);
	case PERF_FINISHED_ROUND: return perf_queue_round(session->queue);
	case PERF_COMPRESSED: case PERF_COMPRESSED2: return compressed_record(session, head->type, body);
	case PERF_HEADER_BUILD_ID: perf_feature_build_id(session, body, head->misc); break;
	case PERF_EVENT_UPDATE: perf_feature_update(session, body); break;
	case PERF_HEADER_FEATURE:
		feature = perf_u64(&body);
		if (feature < 256 && !body.failed)
			perf_feature_read(session, (unsigned)feature, body);
		break;
	default: break;
	}
	return 0;
}

int perf_session_record(struct perf_session *session, const uint8_t *record, size_t size)
{
	struct head head = head_read(record, session->swapped);

	if (!perf_record_name(head.type)) {
		session->unknown_records++;
		return 0;
	}
	session->records[head.type]++;
	if (head.type < PERF_KERNEL_END)
		return kernel_record(session, &head, record, size);
	return tool_record(session, &head,
			   perf_bytes_of(record + PERF_RECORD_HEAD, size - PERF_RECORD_HEAD, session->swapped));
}

uint64_t perf_record_trailing(const struct perf_session *session, const uint8_t *record, size_t size)
{
	struct head head = head_read(record, session->swapped);
	struct perf_bytes body = perf_bytes_of(record + PERF_RECORD_HEAD, size - PERF_RECORD_HEAD, session->swapped);

	if (head.type == PERF_AUXTRACE)
		return perf_u64(&body);
	return head.type == PERF_HEADER_TRACING_DATA ? perf_u32(&body) : 0;
}

void perf_session_trailing(struct perf_session *session, unsigned type, const uint8_t *bytes, size_t size)
{
	if (type == PERF_HEADER_TRACING_DATA && !session->tracepoints)
		session->tracepoints = tracepoints_read(bytes, size);
}

/* --- Beginning and end ------------------------------------------------------------------------------------------------ */

void perf_session_init(struct perf_session *session, struct profile *profile, bool swapped)
{
	*session = (struct perf_session){ .profile = profile, .swapped = swapped, .build_ids = map_new(sizeof(uint32_t)) };
	seconds_init(&session->seconds, profile);
	perf_events_init(&session->events);
	perf_tasks_init(&session->tasks, profile);
	perf_stacks_init(&session->stacks, profile, swapped);
	session->queue = perf_queue_new(ordered_record, session);
}

void perf_session_done(struct perf_session *session)
{
	seconds_done(&session->seconds);
	perf_events_done(&session->events);
	perf_tasks_done(&session->tasks);
	perf_stacks_done(&session->stacks);
	perf_queue_free(session->queue);
	perf_inflate_free(session->inflate);
	perf_schedule_free(session->schedule);
	perf_unwind_free(session->unwind);
	tracepoints_free(session->tracepoints);
	map_free(session->build_ids);
}

int perf_session_finish(struct perf_session *session)
{
	int r = perf_queue_flush(session->queue);
	uint64_t start_ns, end_ns;

	if (r < 0)
		return r;
	start_ns = session->window_start_ns && session->window_start_ns <= session->first_ns ? session->window_start_ns
											      : session->first_ns;
	end_ns = session->window_end_ns > session->last_ns ? session->window_end_ns : session->last_ns;
	perf_tasks_close(&session->tasks, start_ns, end_ns);
	perf_schedule_finish(session, end_ns);
	seconds_finish(&session->seconds, start_ns, end_ns);
	perf_session_tell(session, start_ns, end_ns);
	return 0;
}
