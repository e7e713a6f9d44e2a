/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the small tables: what is new of those that only grow, and what changed of those that live
 * (processes, threads, the classes of evidence).
 */
#include "format/native_writer.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/redaction.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

static const char *const role_names[] = { "", "total", "split", "detail" };
static const char *const weighting_names[] = { "", "exact", "sampled", "estimated" };

static void row_string(struct native *native, const struct profile *profile, struct string_id id)
{
	row_text(native, profile_text(profile, id));
}

static void row_name(struct native *native, const struct profile *profile, enum redacted kind, struct string_id id)
{
	row_text(native, redaction_name(native->redaction, kind, profile_text(profile, id)));
}

/* The file's own numbers for the texts that segments refer to; the first use stores the text. */
static uint32_t string_number(struct native *native, const struct profile *profile, struct string_id id, bool generated)
{
	if (!id.index)
		return 0;
	while (id.index >= native->string_room) {
		size_t room = native->string_room ? native->string_room * 2 : 1024;

		native->string_numbers = xreallocarray(native->string_numbers, room,
						       sizeof(*native->string_numbers));
		memset(native->string_numbers + native->string_room, 0,
		       (room - native->string_room) * sizeof(*native->string_numbers));
		native->string_room = room;
	}
	if (!native->string_numbers[id.index]) {
		native->string_numbers[id.index] = ++native->written.string;
		row_begin(native, TABLE_STRING);
		row_number(native, native->written.string);
		if (generated)
			row_name(native, profile, REDACTED_GENERATED, id);
		else
			row_string(native, profile, id);
		row_number(native, native->stored);
		row_end(native);
	}
	return native->string_numbers[id.index];
}

uint32_t native_string(struct native *native, const struct profile *profile, struct string_id id)
{
	return string_number(native, profile, id, false);
}

/* What an interpreter says of a frame holds the script's path as a rule. */
uint32_t native_frame_name(struct native *native, const struct profile *profile, const struct frame *frame)
{
	return string_number(native, profile, frame->name, native->redaction && frame->method == METHOD_INTERPRETER);
}

uint32_t native_frame_path(struct native *native, const struct profile *profile, const struct frame *frame)
{
	return string_number(native, profile, frame->path, native->redaction);
}

/* Keys that the file keeps for itself, or that a reader made. */
static bool meta_is_own(const char *key)
{
	return !strcmp(key, "sealed") || !strcmp(key, "digest") || !strcmp(key, "capture.sealed");
}

static void meta_write(struct native *native, const char *key, const char *value)
{
	row_begin(native, TABLE_META);
	row_text(native, key);
	row_text(native, value);
	row_end(native);
}

void native_write_meta(struct native *native, const struct profile *profile)
{
	if (native->redaction)
		meta_write(native, "capture.redacted", "1");
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		const char *key, *value;

		profile_meta_at(profile, i, &key, &value);
		value = redaction_meta(native->redaction, key, value);
		if (!meta_is_own(key) && value)
			meta_write(native, key, value);
	}
}

/* --- Tables that live ------------------------------------------------------------------------- */

static uint64_t *mark_of(struct native_marks *marks, size_t index)
{
	size_t page = index / MARK_PAGE;

	while (page >= marks->room) {
		size_t room = marks->room ? marks->room * 2 : 16;

		marks->pages = xreallocarray(marks->pages, room, sizeof(*marks->pages));
		memset(marks->pages + marks->room, 0, (room - marks->room) * sizeof(*marks->pages));
		marks->room = room;
	}
	if (!marks->pages[page])
		marks->pages[page] = xcalloc(MARK_PAGE, sizeof(**marks->pages));
	return &marks->pages[page][index % MARK_PAGE];
}

static bool mark_changed(struct native_marks *marks, size_t index, const void *row, size_t size)
{
	uint64_t hash = hash_bytes(row, size) | 1, *mark = mark_of(marks, index);

	if (*mark == hash)
		return false;
	*mark = hash;
	return true;
}

/* Those from the first one up to the end went. Returns the end. */
static size_t marks_drop(struct native_marks *marks, size_t first, size_t end)
{
	for (size_t page = (first + MARK_PAGE - 1) / MARK_PAGE; page < end / MARK_PAGE && page < marks->room; page++)
		free(take(marks->pages[page]));
	return end;
}

void native_marks_free(struct native_marks *marks)
{
	(void)marks_drop(marks, 0, marks->room * MARK_PAGE);
	free(marks->pages);
	*marks = (struct native_marks){ 0 };
}

static void process_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct process *row = profile_process_at(profile, i);

	row_begin(native, TABLE_PROCESS);
	row_number(native, i);
	row_number(native, row->pid);
	row_number(native, row->generation);
	row_number(native, row->namespace_pid);
	row_number(native, row->parent_pid);
	row_name(native, profile, REDACTED_COMM, row->comm);
	row_name(native, profile, REDACTED_CGROUP, row->cgroup);
	row_name(native, profile, REDACTED_FILE, row->executable);
	row_string(native, profile, row->runtime);
	row_name(native, profile, REDACTED_NAMESPACE, row->pid_namespace);
	row_text(native, native->redaction ? "" : profile_text(profile, row->arguments));
	row_end(native);
}

static void thread_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct thread *row = profile_thread_at(profile, i);

	row_begin(native, TABLE_THREAD);
	row_number(native, i);
	row_number(native, row->process.index);
	row_number(native, row->tid);
	row_number(native, row->namespace_tid);
	row_number(native, row->start_ns);
	row_number(native, row->end_ns);
	row_name(native, profile, REDACTED_COMM, row->comm);
	row_number(native, row->outside);
	row_number(native, row->born);
	row_number(native, row->died);
	row_number(native, row->kernel_runtime_ns);
	row_end(native);
}

static void class_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct evidence *row = profile_evidence_at(profile, i);

	row_begin(native, TABLE_CLASS);
	row_number(native, i);
	row_number(native, row->class.index);
	row_string(native, profile, row->rule);
	row_number(native, row->ambiguous);
	row_end(native);
}

void native_write_living(struct native *native, const struct profile *profile)
{
	struct native_marks *processes = &native->processes, *threads = &native->threads;

	for (size_t i = 1; i < profile_process_count(profile);
	     i = marks_drop(processes, i + 1, profile_process_next(profile, i + 1)))
		if (mark_changed(processes, i, profile_process_at(profile, i), sizeof(struct process)))
			process_write(native, profile, i);
	for (size_t i = 1; i < profile_thread_count(profile);
	     i = marks_drop(threads, i + 1, profile_thread_next(profile, i + 1)))
		if (mark_changed(threads, i, profile_thread_at(profile, i), sizeof(struct thread)))
			thread_write(native, profile, i);
	for (size_t i = 1; i <= native->written.evidence && i < profile_evidence_count(profile);
	     i++) {
		const struct evidence *row = profile_evidence_at(profile, i);
		uint32_t class[3] = { row->class.index, row->rule.index, row->ambiguous };

		if (mark_changed(&native->classes, i, class, sizeof(class)))
			class_write(native, profile, i);
	}
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

static void dimension_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct dimension *row = profile_dimension_at(profile, i);

	row_begin(native, TABLE_DIMENSION);
	row_number(native, i);
	row_string(native, profile, row->name);
	row_number(native, row->parent.index);
	row_string(native, profile, row->unit);
	row_text(native, dimension_kind_name(row->kind));
	row_string(native, profile, row->meaning);
	row_number(native, native->stored);
	row_end(native);
}

static void measure_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct measure *row = profile_measure_at(profile, i);

	row_begin(native, TABLE_MEASURE);
	row_number(native, i);
	row_number(native, row->dimension.index);
	row_text(native, role_names[row->role]);
	row_text(native, weighting_names[row->weighting]);
	row_string(native, profile, row->source);
	row_number(native, row->period);
	row_number(native, native->stored);
	row_end(native);
}

static void file_write(struct native *native, const struct profile *profile, size_t i)
{
	row_begin(native, TABLE_FILE);
	row_number(native, i);
	row_name(native, profile, REDACTED_FILE, profile_file_at(profile, i)->path);
	row_string(native, profile, profile_file_at(profile, i)->build_id);
	row_number(native, native->stored);
	row_end(native);
}

static void object_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct object *row = profile_object_at(profile, i);

	row_begin(native, TABLE_OBJECT);
	row_number(native, i);
	row_string(native, profile, row->kind);
	row_name(native, profile, REDACTED_OBJECT, row->name);
	row_number(native, row->address);
	row_number(native, native->stored);
	row_end(native);
}

static void evidence_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct wait_evidence *seen = &profile_evidence_at(profile, i)->seen;

	row_begin(native, TABLE_EVIDENCE);
	row_number(native, i);
	row_number(native, seen->task_state);
	row_number(native, (uint64_t)(int64_t)seen->syscall);
	row_number(native, seen->flags);
	row_number(native, seen->wake_context);
	row_number(native, seen->contention);
	row_number(native, seen->futex_word);
	row_number(native, seen->futex_owner);
	row_number(native, seen->futex_operation);
	row_number(native, seen->file_type);
	row_number(native, seen->socket_family);
	row_number(native, seen->socket_type);
	row_number(native, seen->socket_state);
	row_string(native, profile, seen->file_release);
	row_number(native, seen->kernel_stack.index);
	row_number(native, native->stored);
	row_end(native);
}

static void mapping_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct mapping *row = profile_mapping_at(profile, i);

	row_begin(native, TABLE_MAPPING);
	row_number(native, row->process.index);
	row_number(native, row->file.index);
	row_number(native, row->start);
	row_number(native, row->end);
	row_number(native, row->offset);
	row_number(native, row->since_ns);
	row_number(native, native->stored);
	row_end(native);
}

/* Stores the rows of a dictionary beyond those that are stored; row 0 is none and never stored. */
#define WRITE_NEW(noun)                                                                      \
	while (native->written.noun + 1 < profile_##noun##_count(profile))                   \
		noun##_write(native, profile, ++native->written.noun)

void native_write_definitions(struct native *native, const struct profile *profile)
{
	WRITE_NEW(dimension);
	WRITE_NEW(measure);
}

/* The order is the one in which a reader needs them; doc/format.md and native_read.c have the same.
 */
void native_write_dictionaries(struct native *native, const struct profile *profile)
{
	WRITE_NEW(file);
	native_segments_frames(native, profile);
	native_segments_stacks(native, profile);
	WRITE_NEW(object);
	WRITE_NEW(evidence);
	while (native->written.mapping < profile_mapping_count(profile)) {
		if (profile_mapping_next(profile, native->written.mapping) == native->written.mapping)
			mapping_write(native, profile, native->written.mapping);
		native->written.mapping++;
	}
}

/* --- Facts ------------------------------------------------------------------------------------ */

/* A status of HTTP is a number; what a log's expression matched is the user's own text. */
static void row_class(struct native *native, const struct profile *profile, const struct completion *row)
{
	if (strcmp(profile_text(profile, row->source), "log"))
		row_string(native, profile, row->class);
	else
		row_name(native, profile, REDACTED_CLASS, row->class);
}

static void completion_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct completion *row = profile_completion_at(profile, i);

	row_begin(native, TABLE_COMPLETION);
	row_number(native, row->slice.index);
	row_string(native, profile, row->source);
	row_number(native, row->process.index);
	row_number(native, row->port);
	row_class(native, profile, row);
	row_text(native, outcome_name(row->outcome));
	row_number(native, row->count);
	row_number(native, native->stored);
	row_end(native);
}

static void loss_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct loss *row = profile_loss_at(profile, i);

	row_begin(native, TABLE_LOSS);
	row_number(native, row->slice.index);
	row_string(native, profile, row->source);
	row_number(native, row->seen);
	row_number(native, row->lost);
	row_number(native, native->stored);
	row_end(native);
}

static void own_cost_write(struct native *native, const struct profile *profile, size_t i)
{
	const struct own_cost *row = profile_own_cost_at(profile, i);

	row_begin(native, TABLE_OWN_COST);
	row_number(native, row->slice.index);
	row_string(native, profile, row->source);
	row_number(native, row->ns);
	row_number(native, row->events);
	row_number(native, native->stored);
	row_end(native);
}

void native_write_facts(struct native *native, const struct profile *profile)
{
	native_segments_facts(native, profile);
	for (size_t i = 0; i < profile_completion_count(profile); i++)
		completion_write(native, profile, i);
	for (size_t i = 0; i < profile_loss_count(profile); i++)
		loss_write(native, profile, i);
	for (size_t i = 0; i < profile_own_cost_count(profile); i++)
		own_cost_write(native, profile, i);
}

void native_write_guard_steps(struct native *native, const struct profile *profile)
{
	while (native->written.guard_step < profile_guard_step_count(profile)) {
		const struct guard_step *row = profile_guard_step_at(profile,
								     native->written.guard_step++);

		row_begin(native, TABLE_GUARD_STEP);
		row_number(native, row->at_ns);
		row_string(native, profile, row->action);
		row_string(native, profile, row->reason);
		row_number(native, native->stored);
		row_end(native);
	}
}
