/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a file says, whatever its format, one fact a line and sorted, so that two profiles are
 * the same where their lists are:
 *
 *	dimension	space	bytes	amount
 *	mapping	0x400000	0xfcb000	0x0	/usr/bin/server	1f2e3d
 *	cell	space	bytes	528909	57	[thread 0/0]	bytes=9216	0xc635c7@/usr/bin/server < …
 *
 * A frame is its address in memory where the mapping of its file is known, else in the file; names
 * follow, innermost inlined call first. build/print_facts FILE [as FORMAT]
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **lines;
static size_t line_count, line_room;

static void keep(struct text *line)
{
	grow(lines, line_count, line_room);
	lines[line_count++] = text_take(line);
}

static const struct mapping *mapping_of(const struct profile *profile, const struct frame *frame)
{
	for (size_t i = 0; frame->file.index && i < profile_mapping_count(profile); i++) {
		const struct mapping *row = profile_mapping_at(profile, i);

		if (file_is(row->file, frame->file) && frame->offset >= row->offset &&
		    frame->offset - row->offset < row->end - row->start)
			return row;
	}
	return NULL;
}

static void frame_print(const struct profile *profile, struct text *line, uint32_t index)
{
	const struct frame *frame = profile_frame_at(profile, index);
	const struct mapping *mapping = mapping_of(profile, frame);
	uint64_t address = mapping ? frame->offset - mapping->offset + mapping->start : frame->offset;
	size_t count;
	const struct symbol *symbols =
		profile_frame_symbols(profile, (struct frame_id){ index }, &count);

	text_print(line, "0x%" PRIx64 "@%s", address,
		   profile_text(profile, profile_file_at(profile, frame->file.index)->path));
	for (size_t i = 0; i < count; i++)
		text_print(line, "|%s %s:%u", profile_text(profile, symbols[i].name),
			   profile_text(profile, symbols[i].path), symbols[i].line);
	if (!count && frame->name.index)
		text_print(line, "|%s %s:%u:%u", profile_text(profile, frame->name),
			   profile_text(profile, frame->path), frame->line, frame->column);
}

static void cell_print(const struct profile *profile, const struct cell *cell)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	const struct dimension *dimension = profile_dimension_at(
		profile, profile_cell_dimension(profile, cell).index);
	const struct thread *thread = profile_thread_at(profile, cell->thread.index);
	struct text line = TEXT(16 << 20);
	struct stack_id stack = cell->stack;

	if (measure->role == ROLE_DETAIL)
		return;
	text_print(&line, "%s\t%s\t%s\t%.0f\t%" PRIu64 "\t[%s %u/%u]\t%s\t",
		   measure->role == ROLE_TOTAL ? "total" : "cell",
		   profile_text(profile, dimension->name), profile_text(profile, dimension->unit),
		   cell_weight(cell), cell->count, profile_text(profile, thread->comm),
		   profile_process_at(profile, thread->process.index)->pid, thread->tid,
		   profile_text(profile, profile_object_at(profile, cell->object.index)->name));
	if (profile_stack_at(profile, stack.index).status > STACK_COMPLETE)
		text_print(&line, "(%s) ",
			   stack_status_name(profile_stack_at(profile, stack.index).status));
	for (bool first = true; stack.index; first = false) {
		if (!first)
			text_print(&line, " < ");
		frame_print(profile, &line, profile_stack_at(profile, stack.index).frame.index);
		stack = profile_stack_at(profile, stack.index).parent;
	}
	keep(&line);
}

static void dimensions_print(const struct profile *profile)
{
	struct text line = TEXT(1 << 20);

	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		const struct dimension *row = profile_dimension_at(profile, i);

		text_print(&line, "dimension\t%s\t%s\t%s", profile_text(profile, row->name),
			   profile_text(profile, row->unit), dimension_kind_name(row->kind));
		keep(&line);
	}
	for (uint32_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *row = profile_measure_at(profile, i);

		if (row->role != ROLE_SPLIT)
			continue;
		text_print(&line, "measure\t%s\tperiod %" PRIu64 "\tweighting %d",
			   profile_text(profile,
					profile_dimension_at(profile, row->dimension.index)->name),
			   row->period, row->weighting);
		keep(&line);
	}
}

static void mappings_print(const struct profile *profile)
{
	for (size_t i = 0; i < profile_mapping_count(profile); i++) {
		const struct mapping *row = profile_mapping_at(profile, i);
		const struct file *file = profile_file_at(profile, row->file.index);
		struct text line = TEXT(1 << 20);

		text_print(&line, "mapping\t0x%" PRIx64 "\t0x%" PRIx64 "\t0x%" PRIx64 "\t%s\t%s",
			   row->start, row->end, row->offset, profile_text(profile, file->path),
			   profile_text(profile, file->build_id));
		keep(&line);
	}
}

static void metas_print(const struct profile *profile)
{
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		struct text line = TEXT(1 << 20);

		profile_meta_at(profile, i, &key, &value);
		text_print(&line, "meta\t%s\t%s", key, value);
		keep(&line);
	}
}

static int line_order(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int main(int argc, char **argv)
{
	CLEANUP(profile) struct profile *profile = NULL;
	struct error err = { 0 };

	if (argc < 2 || format_read(argv[1], &profile, &err) < 0) {
		(void)fprintf(stderr, "%s: %s\n", err.what, err.why);
		return 4;
	}
	dimensions_print(profile);
	mappings_print(profile);
	metas_print(profile);
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		cell_print(profile, profile_cell_at(profile, i));
	qsort(lines, line_count, sizeof(*lines), line_order);
	for (size_t i = 0; i < line_count; i++) {
		(void)puts(lines[i]);
		free(lines[i]);
	}
	free(lines);
	return 0;
}
