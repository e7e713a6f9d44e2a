/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the small tables of a capture file into a profile: the mirror of native_write_table.c,
 * column by column.
 */
#include "format/native_reader.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static const char *const role_names[] = { "", "total", "split", "detail" };
static const char *const weighting_names[] = { "", "exact", "sampled", "estimated" };

/* The index of the row's next text among names, from 1. */
static int take_name(struct reader *reader, struct cursor *cursor, const char *const *names,
		     size_t count)
{
	const char *text = take_text(reader, cursor);

	for (size_t i = 1; i < count; i++)
		if (!strcmp(names[i], text))
			return (int)i;
	reader_damaged(reader, "table '%s' has the unknown word '%.40s'",
		       native_tables[cursor->table].name, text);
	return 1;
}

/* For each row stored with a slice: take its values, then step. */
#define EACH_STORED(reader, cursor, stored) \
	for (; cursor_has(reader, cursor, stored); cursor_step(reader, cursor))
#define EACH(reader, cursor) \
	for (; cursor_has_any(reader, cursor); cursor_step(reader, cursor))

void read_meta(struct reader *reader)
{
	struct cursor *cursor = &reader->cursors[TABLE_META];

	EACH(reader, cursor) {
		CLEANUP_TEXT char *key = xstrdup(take_text(reader, cursor));
		const char *value = take_text(reader, cursor);

		if (!strcmp(key, "sealed"))
			reader->sealed = !strcmp(value, "1");
		else if (!strcmp(key, "digest"))
			memccpy(reader->digest, value, 0, sizeof(reader->digest) - 1);
		else
			profile_set_meta(reader->profile, key, value);
	}
	profile_set_meta(reader->profile, "capture.sealed", reader->sealed ? "1" : "0");
}

void read_processes(struct reader *reader)
{
	struct cursor *cursor = &reader->cursors[TABLE_PROCESS];

	EACH(reader, cursor) {
		size_t next = profile_process_count(reader->profile);
		struct process row = { 0 };

		take_id(reader, cursor, next);
		row.pid = take_below(reader, cursor, 1ull << 32);
		row.generation = take_below(reader, cursor, 1ull << 32);
		row.namespace_pid = take_below(reader, cursor, 1ull << 32);
		row.parent_pid = take_below(reader, cursor, 1ull << 32);
		row.comm = take_string(reader, cursor);
		row.cgroup = take_string(reader, cursor);
		row.executable = take_string(reader, cursor);
		row.runtime = take_string(reader, cursor);
		row.pid_namespace = take_string(reader, cursor);
		row.arguments = take_string(reader, cursor);
		if (reader->code >= 0)
			reader_placed(reader, cursor, profile_process(reader->profile, row).index,
				      next);
	}
}

void read_threads(struct reader *reader)
{
	struct cursor *cursor = &reader->cursors[TABLE_THREAD];

	EACH(reader, cursor) {
		size_t next = profile_thread_count(reader->profile);
		struct thread row = { 0 };

		take_id(reader, cursor, next);
		row.process.index = take_below(reader, cursor,
					       profile_process_count(reader->profile));
		row.tid = take_below(reader, cursor, 1ull << 32);
		row.namespace_tid = take_below(reader, cursor, 1ull << 32);
		row.start_ns = take_number(reader, cursor);
		row.end_ns = take_number(reader, cursor);
		row.comm = take_string(reader, cursor);
		row.outside = take_truth(reader, cursor);
		row.born = take_truth(reader, cursor);
		row.died = take_truth(reader, cursor);
		row.kernel_runtime_ns = take_number(reader, cursor);
		if (reader->code >= 0)
			reader_placed(reader, cursor, profile_thread(reader->profile, row).index,
				      next);
	}
}

void read_classes(struct reader *reader)
{
	struct cursor *cursor = &reader->cursors[TABLE_CLASS];

	EACH(reader, cursor) {
		struct evidence_id evidence = { take_below(
			reader, cursor, profile_evidence_count(reader->profile)) };
		struct dimension_id class = { take_below(
			reader, cursor, profile_dimension_count(reader->profile)) };
		struct string_id rule = take_string(reader, cursor);
		bool ambiguous = take_truth(reader, cursor);

		if (reader->code >= 0)
			profile_evidence_class(reader->profile, evidence, class, rule, ambiguous);
	}
}

/* --- Symbols ---------------------------------------------------------------------------------- */

static struct string_id *symbol_texts(struct reader *reader, uint32_t *ret_count)
{
	struct cursor *cursor = &reader->cursors[TABLE_SYMBOL_TEXT];
	struct string_id *texts = NULL;
	size_t count = 0, room = 0;

	grow(texts, count, room);
	texts[count++] = (struct string_id){ 0 };
	EACH(reader, cursor) {
		take_id(reader, cursor, count);
		grow(texts, count, room);
		texts[count++] = take_string(reader, cursor);
	}
	*ret_count = (uint32_t)count;
	return texts;
}

void read_symbols(struct reader *reader)
{
	struct cursor *cursor = &reader->cursors[TABLE_SYMBOL];
	uint32_t count;
	struct string_id *texts = symbol_texts(reader, &count);

	EACH(reader, cursor) {
		struct symbol row = { 0 };

		row.frame.index = take_below(reader, cursor, profile_frame_count(reader->profile));
		(void)take_number(reader, cursor);       /* file and offset: the frame has them */
		(void)take_number(reader, cursor);
		row.depth = take_below(reader, cursor, 1ull << 32);
		row.name = texts[take_below(reader, cursor, count)];
		row.path = texts[take_below(reader, cursor, count)];
		row.line = take_below(reader, cursor, 1ull << 32);
		row.origin = texts[take_below(reader, cursor, count)];
		if (reader->code >= 0 && !row.frame.index)
			reader_damaged(reader, "a symbol names no frame");
		if (reader->code >= 0)
			profile_add_symbol(reader->profile, row);
	}
	free(texts);
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

void read_strings(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_STRING];

	if (!reader->string_count) {
		grow(reader->strings, reader->string_count, reader->string_room);
		reader->strings[reader->string_count++] = (struct string_id){ 0 };
	}
	EACH_STORED(reader, cursor, stored) {
		take_id(reader, cursor, reader->string_count);
		grow(reader->strings, reader->string_count, reader->string_room);
		reader->strings[reader->string_count++] = take_string(reader, cursor);
	}
}

/* Texts are copied: the statement's own go when another column is read. */
static void read_dimension(struct reader *reader, struct cursor *cursor)
{
	struct profile *profile = reader->profile;
	size_t next = profile_dimension_count(profile);
	struct dimension_row row = { 0 };
	struct dimension_id id, parent;
	const char *kind;

	take_id(reader, cursor, next);
	row.name = profile_text(profile, take_string(reader, cursor));
	parent.index = take_below(reader, cursor, next);
	row.unit = profile_text(profile, take_string(reader, cursor));
	kind = take_text(reader, cursor);
	row.kind = dimension_kind_of(kind);
	if (!row.kind || !*row.name)
		reader_damaged(reader, "a dimension has no name or the unknown kind '%.40s'", kind);
	row.meaning = profile_text(profile, take_string(reader, cursor));
	if (parent.index)
		row.parent = profile_text(profile,
					  profile_dimension_at(profile, parent.index)->name);
	if (reader->code < 0)
		return;
	id = profile_dimension(profile, &row);
	reader_placed(reader, cursor, id.index, next);
	if (reader->code >= 0 && !dimension_is(profile_dimension_at(profile, next)->parent, parent))
		reader_damaged(reader, "the part '%.40s' has a parent that is no state", row.name);
}

static void read_measure(struct reader *reader, struct cursor *cursor)
{
	size_t next = profile_measure_count(reader->profile);
	struct measure row = { 0 };

	take_id(reader, cursor, next);
	row.dimension.index = take_below(reader, cursor, profile_dimension_count(reader->profile));
	row.role = (enum measure_role)take_name(reader, cursor, role_names,
						ARRAY_LENGTH(role_names));
	row.weighting = (enum weighting)take_name(reader, cursor, weighting_names,
						  ARRAY_LENGTH(weighting_names));
	row.source = take_string(reader, cursor);
	row.period = take_number(reader, cursor);
	if (reader->code >= 0)
		reader_placed(reader, cursor, profile_measure(reader->profile, row).index, next);
}

void read_definitions(struct reader *reader, uint32_t stored)
{
	EACH_STORED(reader, &reader->cursors[TABLE_DIMENSION], stored)
		read_dimension(reader, &reader->cursors[TABLE_DIMENSION]);
	EACH_STORED(reader, &reader->cursors[TABLE_MEASURE], stored)
		read_measure(reader, &reader->cursors[TABLE_MEASURE]);
}

void read_files(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_FILE];

	EACH_STORED(reader, cursor, stored) {
		size_t next = profile_file_count(reader->profile);
		const char *path, *build_id;

		take_id(reader, cursor, next);
		path = profile_text(reader->profile, take_string(reader, cursor));
		build_id = profile_text(reader->profile, take_string(reader, cursor));
		if (reader->code >= 0)
			reader_placed(reader, cursor,
				      profile_file(reader->profile, path, build_id).index, next);
	}
}

void read_objects(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_OBJECT];

	EACH_STORED(reader, cursor, stored) {
		size_t next = profile_object_count(reader->profile);
		struct object row = { 0 };

		take_id(reader, cursor, next);
		row.kind = take_string(reader, cursor);
		row.name = take_string(reader, cursor);
		row.address = take_number(reader, cursor);
		if (reader->code >= 0)
			reader_placed(reader, cursor, profile_object(reader->profile, row).index,
				      next);
	}
}

static struct wait_evidence take_evidence(struct reader *reader, struct cursor *cursor)
{
	struct wait_evidence seen = { 0 };

	seen.task_state = (uint16_t)take_below(reader, cursor, 1 << 16);
	seen.syscall = (int16_t)take_number(reader, cursor);
	seen.flags = take_below(reader, cursor, 1ull << 32);
	seen.wake_context = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.contention = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.futex_word = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.futex_owner = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.futex_operation = take_below(reader, cursor, 1ull << 32);
	seen.file_type = (uint16_t)take_below(reader, cursor, 1 << 16);
	seen.socket_family = (uint16_t)take_below(reader, cursor, 1 << 16);
	seen.socket_type = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.socket_state = (uint8_t)take_below(reader, cursor, 1 << 8);
	seen.file_release = take_string(reader, cursor);
	seen.kernel_stack.index = take_below(reader, cursor, profile_stack_count(reader->profile));
	return seen;
}

void read_evidence(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_EVIDENCE];

	EACH_STORED(reader, cursor, stored) {
		size_t next = profile_evidence_count(reader->profile);
		struct wait_evidence seen;

		take_id(reader, cursor, next);
		seen = take_evidence(reader, cursor);
		if (reader->code >= 0)
			reader_placed(reader, cursor,
				      profile_evidence(reader->profile, &seen).index, next);
	}
}

void read_mappings(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_MAPPING];

	EACH_STORED(reader, cursor, stored) {
		struct mapping row = { 0 };

		row.process.index = take_below(reader, cursor,
					       profile_process_count(reader->profile));
		row.file.index = take_below(reader, cursor, profile_file_count(reader->profile));
		row.start = take_number(reader, cursor);
		row.end = take_number(reader, cursor);
		row.offset = take_number(reader, cursor);
		row.since_ns = take_number(reader, cursor);
		if (reader->code >= 0 && row.start >= row.end)
			reader_damaged(reader, "a mapping ends before it starts");
		if (reader->code >= 0)
			profile_mapping(reader->profile, row);
	}
}

/* --- Facts ------------------------------------------------------------------------------------ */

static struct slice_id take_slice(struct reader *reader, struct cursor *cursor)
{
	return (struct slice_id){ take_below(reader, cursor,
					     profile_slice_count(reader->profile)) };
}

static void read_completion(struct reader *reader, struct cursor *cursor)
{
	static const char *const outcomes[] = { "", "correct", "incorrect", "unjudged", "rejected", "retried", "abandoned" };
	struct completion row = { 0 };

	row.slice = take_slice(reader, cursor);
	row.source = take_string(reader, cursor);
	row.process.index = take_below(reader, cursor, profile_process_count(reader->profile));
	row.port = take_below(reader, cursor, 1ull << 32);
	row.class = take_string(reader, cursor);
	row.outcome = (enum outcome)take_name(reader, cursor, outcomes, ARRAY_LENGTH(outcomes));
	row.count = take_number(reader, cursor);
	if (reader->code >= 0)
		profile_add_completion(reader->profile, row);
}

static void read_loss(struct reader *reader, struct cursor *cursor)
{
	struct loss row = { 0 };

	row.slice = take_slice(reader, cursor);
	row.source = take_string(reader, cursor);
	row.seen = take_number(reader, cursor);
	row.lost = take_number(reader, cursor);
	if (reader->code >= 0)
		profile_add_loss(reader->profile, row);
}

static void read_own_cost(struct reader *reader, struct cursor *cursor)
{
	struct own_cost row = { 0 };

	row.slice = take_slice(reader, cursor);
	row.source = take_string(reader, cursor);
	row.ns = take_number(reader, cursor);
	row.events = take_number(reader, cursor);
	if (reader->code >= 0)
		profile_add_own_cost(reader->profile, row);
}

void read_counts(struct reader *reader, uint32_t stored)
{
	EACH_STORED(reader, &reader->cursors[TABLE_COMPLETION], stored)
		read_completion(reader, &reader->cursors[TABLE_COMPLETION]);
	EACH_STORED(reader, &reader->cursors[TABLE_LOSS], stored)
		read_loss(reader, &reader->cursors[TABLE_LOSS]);
	EACH_STORED(reader, &reader->cursors[TABLE_OWN_COST], stored)
		read_own_cost(reader, &reader->cursors[TABLE_OWN_COST]);
}

void read_guard_steps(struct reader *reader, uint32_t stored)
{
	struct cursor *cursor = &reader->cursors[TABLE_GUARD_STEP];

	EACH_STORED(reader, cursor, stored) {
		struct guard_step row = { .at_ns = take_number(reader, cursor) };

		row.action = take_string(reader, cursor);
		row.reason = take_string(reader, cursor);
		if (reader->code >= 0)
			profile_add_guard_step(reader->profile, row);
	}
}
