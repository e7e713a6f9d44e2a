/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the timeline of a profile as a Perfetto trace: a protocol buffer whose packets stream one after the other. Each
 * process and thread is a track, states and slices begin and end on it, what may overlap has a track of its own, a wake is
 * a flow from the waker to the woken, and what was counted in each slice is a counter.
 *
 * Field numbers from protos/perfetto/trace (trace_packet, track_descriptor, track_event, counter_descriptor) of
 * github.com/google/perfetto.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/choice.h"
#include "format/content.h"
#include "format/format.h"
#include "format/protobuf.h"
#include "format/timeline.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

extern const struct format perfetto_format;

enum { TRACE_PACKET = 1 };
enum packet { PACKET_TRUSTED_USER = 3, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_SEQUENCE_FLAGS = 13,
	      PACKET_TIMESTAMP_CLOCK = 58, PACKET_TRACK_DESCRIPTOR = 60 };
enum track { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum counter { COUNTER_UNIT_NAME = 6 };
enum event { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORIES = 22, EVENT_NAME = 23, EVENT_COUNTER_VALUE = 30,
	     EVENT_FLOWS = 47, EVENT_ENDING_FLOWS = 48 };
enum event_type { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };

/* The monotonic clock, on which captures lie; imports say no other. Tracks are numbered in four ranges. */
enum { CLOCK_OF_CAPTURES = 3, SEQUENCE = 1, SEQUENCE_CLEARED = 1, NAME_LIMIT = 4096, MESSAGE_LIMIT = 64 * 1024 };
#define TRACKS_OF_PROCESSES (1ull << 40)
#define TRACKS_OF_THREADS (2ull << 40)
#define TRACKS_OF_INTERVALS (3ull << 40)
#define TRACKS_OF_COUNTERS (4ull << 40)

struct perfetto_writer {
	const struct profile *profile;
	struct output *to;
	struct text packet, message, part;
	bool started;
};

static void text_put(struct text *to, unsigned field, const char *text)
{
	if (*text)
		protobuf_bytes(to, field, text, strlen(text));
}

static void packet_write(struct perfetto_writer *writer)
{
	struct text framed = TEXT(2 * MESSAGE_LIMIT);

	protobuf_number(&writer->packet, PACKET_SEQUENCE, SEQUENCE);
	if (!writer->started)
		protobuf_number(&writer->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	writer->started = true;
	protobuf_message(&framed, TRACE_PACKET, &writer->packet);
	output_write(writer->to, text_string(&framed), framed.size);
	text_done(&framed);
	text_clear(&writer->packet);
	text_clear(&writer->message);
	text_clear(&writer->part);
}

/* --- Tracks ----------------------------------------------------------------------------------------- */

static void descriptor_write(struct perfetto_writer *writer)
{
	protobuf_message(&writer->packet, PACKET_TRACK_DESCRIPTOR, &writer->message);
	packet_write(writer);
}

static void process_write(struct perfetto_writer *writer, uint32_t index)
{
	const struct process *process = profile_process_at(writer->profile, index);

	protobuf_number(&writer->part, PROCESS_PID, timeline_pid(writer->profile, (struct process_id){ index }));
	text_put(&writer->part, PROCESS_NAME, profile_text(writer->profile, process->comm));
	protobuf_number(&writer->message, TRACK_UUID, TRACKS_OF_PROCESSES + index);
	protobuf_message(&writer->message, TRACK_PROCESS, &writer->part);
	descriptor_write(writer);
}

static void thread_write(struct perfetto_writer *writer, uint32_t index)
{
	const struct thread *thread = profile_thread_at(writer->profile, index);

	protobuf_number(&writer->part, THREAD_PID, timeline_pid(writer->profile, thread->process));
	protobuf_number(&writer->part, THREAD_TID, timeline_tid(writer->profile, (struct thread_id){ index }));
	text_put(&writer->part, THREAD_NAME, profile_text(writer->profile, thread->comm));
	protobuf_number(&writer->message, TRACK_UUID, TRACKS_OF_THREADS + index);
	if (thread->process.index)
		protobuf_number(&writer->message, TRACK_PARENT, TRACKS_OF_PROCESSES + thread->process.index);
	protobuf_message(&writer->message, TRACK_THREAD, &writer->part);
	descriptor_write(writer);
}

static void counter_track_write(struct perfetto_writer *writer, uint32_t dimension)
{
	const struct dimension *row = profile_dimension_at(writer->profile, dimension);
	CLEANUP_TEXT char *name = choice_name(writer->profile, (struct dimension_id){ dimension });

	text_put(&writer->part, COUNTER_UNIT_NAME, profile_text(writer->profile, row->unit));
	protobuf_number(&writer->message, TRACK_UUID, TRACKS_OF_COUNTERS + dimension);
	text_put(&writer->message, TRACK_NAME, name);
	protobuf_message(&writer->message, TRACK_COUNTER, &writer->part);
	descriptor_write(writer);
}

/* --- Events ----------------------------------------------------------------------------------------- */

static void event_write(struct perfetto_writer *writer, uint64_t time_ns, enum event_type type, uint64_t track)
{
	protobuf_number(&writer->message, EVENT_TYPE, type);
	protobuf_number(&writer->message, EVENT_TRACK, track);
	if (time_ns)
		protobuf_number(&writer->packet, PACKET_TIMESTAMP, time_ns);
	else
		protobuf_zero(&writer->packet, PACKET_TIMESTAMP);
	protobuf_number(&writer->packet, PACKET_TIMESTAMP_CLOCK, CLOCK_OF_CAPTURES);
	protobuf_message(&writer->packet, PACKET_TRACK_EVENT, &writer->message);
	packet_write(writer);
}

/* From the waker to the woken, both at the instant of the wake. */
static void wake_write(struct perfetto_writer *writer, const struct interval *interval, uint64_t flow)
{
	protobuf_fixed64(&writer->message, EVENT_FLOWS, flow);
	text_put(&writer->message, EVENT_NAME, "wakes");
	event_write(writer, interval->end_ns, TYPE_INSTANT, TRACKS_OF_THREADS + interval->waker.index);
	protobuf_fixed64(&writer->message, EVENT_ENDING_FLOWS, flow);
	text_put(&writer->message, EVENT_NAME, "woken");
	event_write(writer, interval->end_ns, TYPE_INSTANT, TRACKS_OF_THREADS + interval->thread.index);
}

static void interval_write(struct perfetto_writer *writer, uint32_t index)
{
	const struct interval *interval = profile_interval_at(writer->profile, index);
	enum timeline_kind kind = timeline_kind(writer->profile, interval);
	uint64_t track = kind == TIMELINE_ASYNCHRONOUS ? TRACKS_OF_INTERVALS + index
						       : TRACKS_OF_THREADS + interval->thread.index;
	char text[NAME_LIMIT];
	const char *name = timeline_name(writer->profile, interval, text, sizeof(text));

	if (kind == TIMELINE_ASYNCHRONOUS) {
		protobuf_number(&writer->message, TRACK_UUID, track);
		protobuf_number(&writer->message, TRACK_PARENT, TRACKS_OF_THREADS + interval->thread.index);
		text_put(&writer->message, TRACK_NAME, name);
		descriptor_write(writer);
	}
	text_put(&writer->message, EVENT_CATEGORIES, kind == TIMELINE_STATE ? "state" : "slice");
	text_put(&writer->message, EVENT_NAME, name);
	event_write(writer, interval->start_ns, TYPE_BEGIN, track);
	event_write(writer, interval->end_ns, TYPE_END, track);
	if (interval->waker.index)
		wake_write(writer, interval, index + 1);
}

static int interval_order(const void *left, const void *right, void *profile)
{
	const struct interval *a = profile_interval_at(profile, *(const uint32_t *)left);
	const struct interval *b = profile_interval_at(profile, *(const uint32_t *)right);

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

/* By time, and what lasts longer first: at one instant a reader nests slices as it meets them. */
static void intervals_write(struct perfetto_writer *writer)
{
	size_t count = profile_interval_count(writer->profile);
	uint32_t *order = xcalloc(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), interval_order, (void *)writer->profile);
	for (size_t i = 0; i < count; i++)
		interval_write(writer, order[i]);
	free(order);
}

static void counters_write(struct perfetto_writer *writer, bool *tracked, uint32_t slice)
{
	size_t count;
	struct timeline_count *counts = timeline_counts(writer->profile, slice, &count);

	for (uint32_t i = 1; counts && i < count; i++) {
		if (!counts[i].value)
			continue;
		if (!tracked[i])
			counter_track_write(writer, i);
		tracked[i] = true;
		protobuf_number(&writer->message, EVENT_COUNTER_VALUE, counts[i].value);
		event_write(writer, profile_slice_at(writer->profile, slice)->start_ns, TYPE_COUNTER,
			    TRACKS_OF_COUNTERS + i);
	}
	free(counts);
}

static int perfetto_write(const struct profile *profile, const struct format_options *options, struct output *to,
			  struct error *err)
{
	struct perfetto_writer writer = { .profile = profile, .to = to, .packet = TEXT(MESSAGE_LIMIT),
					  .message = TEXT(MESSAGE_LIMIT), .part = TEXT(MESSAGE_LIMIT) };
	bool *tracked;
	int r = timeline_check(profile, err);

	(void)options;                               /* a timeline holds every dimension */
	if (r < 0)
		return r;
	tracked = xcalloc(profile_dimension_count(profile) + 1, sizeof(*tracked));
	for (uint32_t i = 1; i < profile_process_count(profile); i++)
		process_write(&writer, i);
	for (uint32_t i = 1; i < profile_thread_count(profile); i++)
		thread_write(&writer, i);
	intervals_write(&writer);
	for (uint32_t i = 1; i < profile_slice_count(profile); i++)
		counters_write(&writer, tracked, i);
	free(tracked);
	text_done(&writer.packet);
	text_done(&writer.message);
	text_done(&writer.part);
	return 0;
}

/* --- Files of others -------------------------------------------------------------------------------- */

/* When, or from which writer: what no message of that place in another format has. */
static bool packet_fits(struct protobuf packet, bool *marked)
{
	struct protobuf_field field;

	while (protobuf_next(&packet, &field)) {
		bool is_mark = field.number == PACKET_TRUSTED_USER || field.number == PACKET_TIMESTAMP ||
			       field.number == PACKET_SEQUENCE;

		if (is_mark && field.wire != PROTOBUF_VARINT)
			return false;
		*marked |= is_mark;
	}
	return !packet.broken;
}

/* Packets and nothing else, as far as the head goes. Other formats that begin like that are surer of themselves. */
static int perfetto_recognise(const void *head, size_t size)
{
	struct protobuf file = { head, (const unsigned char *)head + size, false };
	struct protobuf_field field;
	bool marked = false;

	while (protobuf_next(&file, &field))
		if (field.number != TRACE_PACKET || !protobuf_is_bytes(&field) || !packet_fits(protobuf_nested(&field), &marked))
			return 0;
	return marked ? 45 : 0;
}

const struct format perfetto_format = {
	.name = "perfetto",
	.summary = "the timeline, for ui.perfetto.dev",
	.suffix = ".pftrace",
	.recognise = perfetto_recognise,
	.instead = "what Perfetto's traceconv makes of it: json IN OUT of slices, systrace IN OUT of the scheduler, profile IN of stacks",
	.write = perfetto_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(PARTS) | KEEPS(UNITS) | KEEPS(PROCESSES) | KEEPS(THREADS) | KEEPS(COMMS) | KEEPS(TIME) |
		 KEEPS(INTERVALS) | KEEPS(WAKERS),
};
