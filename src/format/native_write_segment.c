/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores what is many as segments. Rows whose numbers the file counts anew (texts, intervals,
 * requests) are copied a segment at a time; cells, stacks and parts are packed from where they lie.
 */
#include "format/native_writer.h"

#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static void segment_write(struct native *native, enum native_kind kind, uint32_t part,
			  const void *rows, size_t count)
{
	void *bytes;
	size_t size;

	segment_pack(&native_shapes[kind], rows, count, &bytes, &size);
	row_begin(native, TABLE_SEGMENT);
	row_number(native, native->stored);
	row_text(native, native_shapes[kind].kind);
	row_number(native, part);
	row_number(native, count);
	row_blob(native, bytes, size);
	row_end(native);
	free(bytes);
}

/* Fills one segment's rows from the profile's, from first on. */
typedef void fill_rows(struct native *native, const struct profile *profile, size_t first,
		       size_t count, void *into);

static void segments_write(struct native *native, const struct profile *profile,
			   enum native_kind kind, size_t first, size_t end, fill_rows *fill)
{
	size_t row_size = native_shapes[kind].row_size, most = end - first;
	void *rows;

	if (first >= end)
		return;
	rows = xcalloc(most < SEGMENT_ROWS_PACKED ? most : SEGMENT_ROWS_PACKED, row_size);
	for (uint32_t part = 0; first < end; part++) {
		size_t count = end - first < SEGMENT_ROWS_PACKED ? end - first
								 : SEGMENT_ROWS_PACKED;

		fill(native, profile, first, count, rows);
		segment_write(native, kind, part, rows, count);
		first += count;
	}
	free(rows);
}

static void fill_frames(struct native *native, const struct profile *profile, size_t first,
			size_t count, void *into)
{
	struct frame *rows = into;

	for (size_t i = 0; i < count; i++) {
		rows[i] = *profile_frame_at(profile, first + i);
		rows[i].name.index = native_frame_name(native, profile, &rows[i]);
		rows[i].path.index = native_frame_path(native, profile, &rows[i]);
	}
}

void native_segments_frames(struct native *native, const struct profile *profile)
{
	segments_write(native, profile, KIND_FRAME, native->written.frame + 1,
		       profile_frame_count(profile), fill_frames);
	native->written.frame = (uint32_t)profile_frame_count(profile) - 1;
}

static void fill_stacks(struct native *native, const struct profile *profile, size_t first,
			size_t count, void *into)
{
	struct stack *rows = into;

	(void)native;
	for (size_t i = 0; i < count; i++)
		rows[i] = profile_stack_at(profile, first + i);
}

void native_segments_stacks(struct native *native, const struct profile *profile)
{
	segments_write(native, profile, KIND_STACK, native->written.stack + 1,
		       profile_stack_count(profile), fill_stacks);
	native->written.stack = (uint32_t)profile_stack_count(profile) - 1;
}

static void fill_cells(struct native *native, const struct profile *profile, size_t first,
		       size_t count, void *into)
{
	(void)native;
	memcpy(into, profile_cell_at(profile, first), count * sizeof(struct cell));
}

static void fill_intervals(struct native *native, const struct profile *profile, size_t first,
			   size_t count, void *into)
{
	struct interval_row *rows = into;

	(void)native;
	for (size_t i = 0; i < count; i++) {
		const struct interval *row = profile_interval_at(profile, first + i);

		rows[i] = (struct interval_row){
			.start = row->start_ns,
			.length = row->end_ns - row->start_ns,
			.thread = row->thread.index,
			.evidence = row->evidence.index,
			.stack = row->stack.index,
			.waker = row->waker.index,
			.waker_stack = row->waker_stack.index,
			.dimension = row->dimension.index,
		};
	}
}

static void fill_links(struct native *native, const struct profile *profile, size_t first,
		       size_t count, void *into)
{
	struct link_row *rows = into;

	for (size_t i = 0; i < count; i++) {
		const struct link *row = profile_link_at(profile, first + i);

		rows[i] = (struct link_row){
			.start = row->start_ns,
			.length = row->end_ns - row->start_ns,
			.interval = native->written.intervals + row->interval,
			.kind = native_string(native, profile, row->kind),
			.object = row->object.index,
			.by = row->by.index,
			.stack = row->stack.index,
		};
	}
}

static void fill_requests(struct native *native, const struct profile *profile, size_t first,
			  size_t count, void *into)
{
	struct request_row *rows = into;

	for (size_t i = 0; i < count; i++) {
		const struct request *row = profile_request_at(profile, first + i);

		rows[i] = (struct request_row){
			.arrived = row->arrived_ns,
			.opened = row->opened_ns,
			.closed = row->closed_ns,
			.thread = row->thread.index,
			.class = native_string(native, profile, row->class),
			.outcome = native_string(native, profile, row->outcome),
			.trace_id = native_string(native, profile, row->trace_id),
			.one_in = row->one_in,
			.status = row->status,
			.overlap = row->overlap,
		};
	}
}

static void fill_parts(struct native *native, const struct profile *profile, size_t first,
		       size_t count, void *into)
{
	struct part *rows = into;

	for (size_t i = 0; i < count; i++) {
		rows[i] = *profile_part_at(profile, first + i);
		rows[i].request += native->written.requests;
	}
}

void native_segments_facts(struct native *native, const struct profile *profile)
{
	segments_write(native, profile, KIND_CELL, 0, profile_cell_count(profile), fill_cells);
	segments_write(native, profile, KIND_INTERVAL, 0, profile_interval_count(profile),
		       fill_intervals);
	segments_write(native, profile, KIND_LINK, 0, profile_link_count(profile), fill_links);
	segments_write(native, profile, KIND_REQUEST, 0, profile_request_count(profile),
		       fill_requests);
	segments_write(native, profile, KIND_PART, 0, profile_part_count(profile), fill_parts);
	native->written.intervals += (uint32_t)profile_interval_count(profile);
	native->written.requests += (uint32_t)profile_request_count(profile);
}

/* Texts must be stored before anything that refers to them, so they are looked for first. */
void native_strings_gather(struct native *native, const struct profile *profile, bool facts)
{
	for (size_t i = native->written.frame + 1; i < profile_frame_count(profile); i++) {
		(void)native_frame_name(native, profile, profile_frame_at(profile, i));
		(void)native_frame_path(native, profile, profile_frame_at(profile, i));
	}
	for (size_t i = 0; facts && i < profile_link_count(profile); i++)
		(void)native_string(native, profile, profile_link_at(profile, i)->kind);
	for (size_t i = 0; facts && i < profile_request_count(profile); i++) {
		const struct request *row = profile_request_at(profile, i);

		(void)native_string(native, profile, row->class);
		(void)native_string(native, profile, row->outcome);
		(void)native_string(native, profile, row->trace_id);
	}
}
