/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the segments of a capture file into a profile. Every id is compared with its table before it
 * becomes a row, and all segments together may hold only as many rows as the file's size can
 * explain: a small file cannot fill the memory.
 */
#include "format/native_reader.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds a row; false where an id of it does not exist. */
typedef bool add_row(struct reader *reader, const void *row);

#define HAS(noun, id) ((id).index < profile_##noun##_count(profile))

static struct string_id *string_at(struct reader *reader, uint32_t number)
{
	return number < reader->string_count ? &reader->strings[number] : NULL;
}

static bool add_frame(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	struct frame row = *(const struct frame *)bytes;
	struct string_id *name = string_at(reader, row.name.index), *path = string_at(reader, row.path.index);
	size_t next = profile_frame_count(profile);

	if (!HAS(file, row.file) || !name || !path || row.method >= METHOD_COUNT)
		return false;
	row.name = *name;
	row.path = *path;
	return profile_frame(profile, row).index == next;
}

static bool add_stack(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct stack *row = bytes;
	size_t next = profile_stack_count(profile);

	if (!HAS(stack, row->parent) || !HAS(frame, row->frame) || row->status < STACK_UNVERIFIED ||
	    row->status >= STACK_STATUS_COUNT)
		return false;
	return profile_stack(profile, row->parent, row->frame, row->status).index == next;
}

static bool add_cell(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct cell *row = bytes;

	if (!HAS(slice, row->slice) || !HAS(thread, row->thread) || !HAS(measure, row->measure) ||
	    !row->measure.index || !HAS(evidence, row->evidence) || !HAS(stack, row->stack) ||
	    !HAS(object, row->object) || !HAS(thread, row->other) ||
	    !HAS(stack, row->other_stack) || row->p_log2 > 63 || row->length_log2 > 63 ||
	    !isfinite(row->variance))
		return false;
	if (!row->evidence.index &&
	    !profile_measure_at(profile, row->measure.index)->dimension.index)
		return false;
	profile_add_cell(profile, *row);
	return true;
}

static bool add_interval(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct interval_row *row = bytes;
	struct interval interval = {
		.thread = { row->thread },
		.start_ns = row->start,
		.end_ns = row->start + row->length,
		.evidence = { row->evidence },
		.stack = { row->stack },
		.waker = { row->waker },
		.waker_stack = { row->waker_stack },
		.dimension = { row->dimension },
	};

	if (!HAS(thread, interval.thread) || interval.end_ns < interval.start_ns ||
	    !HAS(evidence, interval.evidence) || !HAS(stack, interval.stack) ||
	    !HAS(thread, interval.waker) || !HAS(stack, interval.waker_stack) ||
	    !HAS(dimension, interval.dimension))
		return false;
	profile_add_interval(profile, interval);
	return true;
}

static bool add_link(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct link_row *row = bytes;
	struct string_id *kind = string_at(reader, row->kind);
	struct link link = {
		.interval = row->interval,
		.start_ns = row->start,
		.end_ns = row->start + row->length,
		.object = { row->object },
		.by = { row->by },
		.stack = { row->stack },
	};

	if (!kind || link.interval >= profile_interval_count(profile) ||
	    !HAS(object, link.object) || !HAS(thread, link.by) || !HAS(stack, link.stack))
		return false;
	link.kind = *kind;
	profile_add_link(profile, link);
	return true;
}

static bool add_request(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct request_row *row = bytes;
	struct string_id *class = string_at(reader, row->class),
			 *outcome = string_at(reader, row->outcome);
	struct string_id *trace_id = string_at(reader, row->trace_id);

	if (row->thread >= profile_thread_count(profile) || !class || !outcome || !trace_id ||
	    row->overlap > 1)
		return false;
	profile_add_request(profile, (struct request){
					     .thread = { row->thread },
					     .class = *class,
					     .outcome = *outcome,
					     .trace_id = *trace_id,
					     .overlap = row->overlap != 0,
					     .one_in = row->one_in,
					     .status = row->status,
					     .arrived_ns = row->arrived,
					     .opened_ns = row->opened,
					     .closed_ns = row->closed,
				     });
	return true;
}

static bool add_part(struct reader *reader, const void *bytes)
{
	struct profile *profile = reader->profile;
	const struct part *row = bytes;

	if (row->request >= profile_request_count(profile) || !HAS(evidence, row->evidence) ||
	    !HAS(dimension, row->dimension) || !HAS(stack, row->stack) || !HAS(thread, row->other))
		return false;
	profile_add_part(profile, *row);
	return true;
}

static add_row *const adders[KIND_COUNT] = {
	[KIND_FRAME] = add_frame,	[KIND_STACK] = add_stack, [KIND_CELL] = add_cell,
	[KIND_INTERVAL] = add_interval, [KIND_LINK] = add_link,	  [KIND_REQUEST] = add_request,
	[KIND_PART] = add_part,
};

static int kind_of(const char *name)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		if (!strcmp(native_shapes[kind].kind, name))
			return kind;
	return KIND_COUNT;
}

static void rows_add(struct reader *reader, int kind, const unsigned char *rows, size_t count)
{
	for (size_t i = 0; i < count && reader->code >= 0; i++)
		if (!adders[kind](reader, rows + i * native_shapes[kind].row_size))
			reader_damaged(reader,
				       "row %zu of a segment '%s' refers to something that does "
				       "not exist, or is there twice",
				       i, native_shapes[kind].kind);
}

static void segment_read(struct reader *reader, int kind, const void *bytes, size_t size,
			 uint64_t said)
{
	struct error why;
	CLEANUP_TEXT char *rows = NULL;
	void *unpacked = NULL;
	size_t count = 0;

	if (segment_unpack(&native_shapes[kind], bytes, size, &unpacked, &count, &why) < 0) {
		reader_damaged(reader, "a segment '%s': %s", native_shapes[kind].kind, why.why);
		return;
	}
	rows = unpacked;
	if (count != said)
		reader_damaged(reader,
			       "a segment '%s' has another number of rows than its table says",
			       native_shapes[kind].kind);
	if (count > reader->row_budget)
		reader_damaged(reader, "its segments hold more rows than its size can explain");
	if (reader->code < 0)
		return;
	reader->row_budget -= count;
	rows_add(reader, kind, unpacked, count);
}

/* Frames and stacks only, or whatever follows; a kind that we do not know came with a later minor
 * version and is passed over. */
static void segments_read(struct reader *reader, uint32_t stored, bool dictionaries)
{
	struct cursor *cursor = &reader->cursors[TABLE_SEGMENT];

	while (reader->code >= 0 && cursor->row && cursor->stored == stored) {
		const void *bytes;
		uint64_t rows;
		size_t size;
		int kind;

		cursor->at = 1;
		kind = kind_of(take_text(reader, cursor));
		if (dictionaries && kind != KIND_FRAME && kind != KIND_STACK)
			return;
		if (!cursor_has(reader, cursor, stored))
			return;
		cursor->at = 3;
		rows = take_number(reader, cursor);
		bytes = take_blob(reader, cursor, &size);
		if (kind < KIND_COUNT && reader->code >= 0)
			segment_read(reader, kind, bytes, size, rows);
		cursor_step(reader, cursor);
	}
}

void read_stack_segments(struct reader *reader, uint32_t stored)
{
	segments_read(reader, stored, true);
}

void read_fact_segments(struct reader *reader, uint32_t stored)
{
	segments_read(reader, stored, false);
}
