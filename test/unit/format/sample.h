/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A profile with something in every table and in every column, filled slice by slice, and a comparison of every table
 * of two profiles. Texts are compared as texts: their numbers are each profile's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "format/format.h"
#include "format/native.h"
#include "profile/profile.h"

#ifndef SAMPLE_CELLS
#define SAMPLE_CELLS 400                             /* sampled cells per slice */
#endif
enum { SAMPLE_SECOND = 1000000000, SAMPLE_SLICES = 3 };

struct sample {
	struct profile *profile;
	struct process_id process;
	struct thread_id thread, waker;
	struct measure_id waits, split, oncpu;
	struct evidence_id evidence[2];
	struct object_id object;
	struct file_id program, kernel;
};

static inline struct stack_id sample_stack(struct sample *sample, uint32_t salt)
{
	struct profile *profile = sample->profile;
	struct stack_id stack = { 0 };

	for (uint32_t depth = 0; depth < 6; depth++) {
		struct frame frame = { .file = sample->program, .offset = 0x1000 + 64 * depth + (depth == 5 ? 0x10000 + salt : 0),
				       .method = METHOD_FRAME_POINTER };

		stack = profile_stack(profile, stack, profile_frame(profile, frame), STACK_UNVERIFIED);
	}
	return stack;
}

static inline struct stack_id sample_kernel_stack(struct sample *sample)
{
	struct profile *profile = sample->profile;
	struct frame frame = { .file = sample->kernel, .offset = 0xffffffff81012345, .method = METHOD_KERNEL,
			       .name = profile_string(profile, "io_schedule"), .line = 7, .column = 3,
			       .path = profile_string(profile, "kernel/sched/core.c") };

	return profile_stack(profile, (struct stack_id){ 0 }, profile_frame(profile, frame), STACK_COMPLETE);
}

static inline void sample_evidence(struct sample *sample)
{
	struct profile *profile = sample->profile;
	struct wait_evidence seen = {
		.task_state = 2, .syscall = SYSCALL_NONE, .flags = EVIDENCE_IOWAIT | EVIDENCE_LOST, .wake_context = WAKE_SOFTIRQ,
		.contention = 3, .futex_word = FUTEX_WORD_THREAD, .futex_owner = FUTEX_OWNER_THREAD, .futex_operation = 128,
		.file_type = 0100000, .socket_family = 2, .socket_type = 1, .socket_state = 10,
		.file_release = profile_string(profile, "sock_close"), .kernel_stack = sample_kernel_stack(sample),
	};

	sample->evidence[0] = profile_evidence(profile, &seen);
	seen.syscall = 202;
	sample->evidence[1] = profile_evidence(profile, &seen);
	profile_evidence_class(profile, sample->evidence[0], profile_dimension(profile, dimension_row_find("disk", "read")),
			       profile_string(profile, "disk-read"), false);
	profile_evidence_class(profile, sample->evidence[1], profile_dimension(profile, dimension_row_find("idle", "queue")),
			       profile_string(profile, "idle-queue"), true);
}

static inline void sample_threads(struct sample *sample)
{
	struct profile *profile = sample->profile;

	sample->process = profile_process(profile, (struct process){
		.pid = 4242, .generation = 1, .namespace_pid = 7, .parent_pid = 1, .comm = profile_string(profile, "store"),
		.cgroup = profile_string(profile, "/a/b"), .executable = profile_string(profile, "/usr/bin/store"),
		.runtime = profile_string(profile, "python 3.11"), .pid_namespace = profile_string(profile, "4026531836"),
		.arguments = profile_string(profile, "store --now"),
	});
	sample->thread = profile_thread(profile, (struct thread){ .process = sample->process, .tid = 4243, .namespace_tid = 8,
								  .start_ns = SAMPLE_SECOND, .comm = profile_string(profile, "new"),
								  .born = true });
	sample->waker = profile_thread(profile, (struct thread){ .tid = 9, .outside = true, .start_ns = SAMPLE_SECOND,
								 .comm = profile_string(profile, "kworker") });
}

static inline struct sample sample_start(void)
{
	struct sample sample = { .profile = profile_new() };
	struct profile *profile = sample.profile;
	struct string_id sched = profile_string(profile, "sched");

	profile_set_meta(profile, "label.build", "b17 'quoted'; DROP TABLE meta");
	profile_set_meta_number(profile, "capture.start_wall_ns", 1764410400000000000);
	sample.program = profile_file(profile, "/usr/bin/store", "abcdef0123456789");
	sample.kernel = profile_file(profile, "[kernel]", NULL);
	sample_threads(&sample);
	profile_mapping(profile, (struct mapping){ sample.process, sample.program, 0x400000, 0x480000, 0x1000, 5 });
	sample_evidence(&sample);
	sample.waits = profile_measure(profile, (struct measure){ .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT, .source = sched });
	sample.split = profile_measure(profile, (struct measure){ .role = ROLE_SPLIT, .weighting = WEIGHTING_SAMPLED, .source = sched,
								  .period = 10101010 });
	sample.oncpu = profile_measure(profile, (struct measure){
		.dimension = profile_dimension(profile, dimension_row_find("oncpu", "user")), .role = ROLE_TOTAL,
		.weighting = WEIGHTING_EXACT, .source = sched });
	sample.object = profile_object(profile, (struct object){ profile_string(profile, "lock"), profile_string(profile, "cache"),
								 0xffff888000000000 });
	return sample;
}

static inline void sample_cells(struct sample *sample, struct slice_id slice, uint32_t number)
{
	struct profile *profile = sample->profile;
	struct cell cell = { .slice = slice, .thread = sample->thread, .measure = sample->oncpu, .count = 3,
			     .value = 700000000, .maximum = 300000000 };

	profile_add_cell(profile, cell);
	cell.measure = sample->waits;
	cell.evidence = sample->evidence[number % 2];
	cell.value = 300000000;
	profile_add_cell(profile, cell);
	cell.measure = sample->split;
	for (uint32_t i = 0; i < SAMPLE_CELLS; i++) {
		cell.stack = sample_stack(sample, number * SAMPLE_CELLS + i);
		cell.object = i % 3 ? sample->object : (struct object_id){ 0 };
		cell.other = i % 2 ? sample->waker : (struct thread_id){ 0 };
		cell.other_stack = i % 5 ? (struct stack_id){ 0 } : cell.stack;
		cell.p_log2 = (uint8_t)(i % 8);
		cell.length_log2 = (uint8_t)(i % 40);
		cell.count = i;
		cell.value = i * 1000003ull;
		cell.maximum = UINT64_MAX - i;
		cell.variance = i * 0.25;
		profile_add_cell(profile, cell);
	}
}

static inline void sample_details(struct sample *sample, struct slice_id slice, uint32_t number)
{
	struct profile *profile = sample->profile;
	struct stack_id stack = sample_stack(sample, 3);
	uint32_t interval = (uint32_t)profile_interval_count(profile), request = (uint32_t)profile_request_count(profile);
	uint64_t start = number * (uint64_t)SAMPLE_SECOND;
	char trace_id[32];

	(void)snprintf(trace_id, sizeof(trace_id), "trace-%u", number);
	profile_add_interval(profile, (struct interval){ sample->thread, start, start + 5000, sample->evidence[0], stack,
							 sample->waker, stack, { 2 } });
	profile_add_interval(profile, (struct interval){ sample->waker, start + 10, start + 10, { 0 }, { 0 }, { 0 }, { 0 }, { 1 } });
	profile_add_link(profile, (struct link){ interval + 1, profile_string(profile, "device"), start, start + 4000, sample->object,
						 sample->waker, stack });
	profile_add_request(profile, (struct request){ sample->thread, profile_string(profile, "GET /"),
						       profile_string(profile, "correct"), profile_string(profile, trace_id), true,
						       16, 200, start, start + 1, start + 78 });
	profile_add_part(profile, (struct part){ request, sample->evidence[1], { 3 }, stack, sample->waker, 77 });
	profile_add_completion(profile, (struct completion){ slice, profile_string(profile, "http"), sample->process, 80,
							     profile_string(profile, "200"), OUTCOME_CORRECT, 100 + number });
	profile_add_completion(profile, (struct completion){ slice, profile_string(profile, "http"), { 0 }, 80,
							     profile_string(profile, "503"), OUTCOME_INCORRECT, 1 });
	profile_add_loss(profile, (struct loss){ slice, profile_string(profile, "ring"), 1000, number });
	profile_add_own_cost(profile, (struct own_cost){ slice, profile_string(profile, "bpf"), 12345, 99 });
	profile_add_guard_step(profile, (struct guard_step){ start, profile_string(profile, "thin"),
							     profile_string(profile, "cost over 2 %") });
}

/* Slice number, from 1. */
static inline struct slice_id sample_slice(struct sample *sample, uint32_t number)
{
	struct slice_id slice = profile_slice(sample->profile, number * (uint64_t)SAMPLE_SECOND,
					      (number + 1) * (uint64_t)SAMPLE_SECOND);

	sample_cells(sample, slice, number);
	sample_details(sample, slice, number);
	return slice;
}

static inline void sample_end(struct sample *sample)
{
	struct profile *profile = sample->profile;
	struct thread *thread = profile_thread_edit(profile, sample->thread);

	thread->end_ns = (SAMPLE_SLICES + 1) * (uint64_t)SAMPLE_SECOND;
	thread->died = true;
	thread->comm = profile_string(profile, "worker");
	thread->kernel_runtime_ns = 2100000000;
	profile_thread_edit(profile, sample->waker)->end_ns = thread->end_ns;
	profile_process_edit(profile, sample->process)->comm = profile_string(profile, "store-2");
	profile_add_guard_step(profile, (struct guard_step){ thread->end_ns, profile_string(profile, "end"), { 0 } });
	profile_add_symbol(profile, (struct symbol){ { 2 }, 1, profile_string(profile, "outer"), profile_string(profile, "a.c"),
						     profile_string(profile, "dwarf"), 10 });
	profile_add_symbol(profile, (struct symbol){ { 2 }, 0, profile_string(profile, "inner"), profile_string(profile, "b.h"),
						     profile_string(profile, "dwarf"), 20 });
}

/* All slices at once, as nobody cleared anything. */
static inline struct profile *sample_whole(void)
{
	struct sample sample = sample_start();

	for (uint32_t number = 1; number <= SAMPLE_SLICES; number++)
		(void)sample_slice(&sample, number);
	sample_end(&sample);
	return sample.profile;
}

/* Records it into a file, a slice at a time; false where that failed. */
static inline bool sample_record(const char *path, bool seal, struct error *err)
{
	struct sample sample = sample_start();
	struct native *native = native_new();
	int r = native_create(native, path, true, 0, err);

	for (uint32_t number = 1; r >= 0 && number <= SAMPLE_SLICES; number++) {
		r = native_slice(native, sample.profile, sample_slice(&sample, number), err);
		profile_clear_facts(sample.profile);
	}
	sample_end(&sample);
	if (r >= 0 && seal)
		r = native_seal(native, sample.profile, err);
	native_free(native);
	profile_free(sample.profile);
	return r >= 0;
}

/* --- Comparing ------------------------------------------------------------------------------------------------------ */

struct difference { const struct profile *a, *b; char text[128]; };

#define DIFFER(what) ((void)snprintf(d->text, sizeof(d->text), "%s %zu", what, i), false)
#define SAME(condition, what) do { if (!(condition)) return DIFFER(what); } while (0)
#define SAME_TEXT(id) SAME(!strcmp(profile_text(d->a, a->id), profile_text(d->b, b->id)), #id)
#define SAME_ID(id) SAME(a->id.index == b->id.index, #id)
#define SAME_NUMBER(member) SAME(a->member == b->member, #member)
#define COMPARE(noun, first, ...)                                                                       \
	static inline bool noun##_same(struct difference *d)                                            \
	{                                                                                               \
		size_t i = profile_##noun##_count(d->a);                                                \
		SAME(i == profile_##noun##_count(d->b), #noun " count");                                \
		for (i = first; i < profile_##noun##_count(d->a); i++) {                                \
			const struct noun *a = profile_##noun##_at(d->a, i), *b = profile_##noun##_at(d->b, i); \
			__VA_ARGS__                                                                     \
		}                                                                                       \
		return true;                                                                            \
	}

COMPARE(dimension, 1, SAME_TEXT(name); SAME_TEXT(unit); SAME_TEXT(meaning); SAME_ID(parent); SAME_NUMBER(kind);)
COMPARE(measure, 1, SAME_ID(dimension); SAME_NUMBER(role); SAME_NUMBER(weighting); SAME_TEXT(source); SAME_NUMBER(period);)
COMPARE(slice, 1, SAME_NUMBER(start_ns); SAME_NUMBER(end_ns);)
COMPARE(process, 1, SAME_NUMBER(pid); SAME_NUMBER(generation); SAME_NUMBER(namespace_pid); SAME_NUMBER(parent_pid);
	SAME_TEXT(comm); SAME_TEXT(cgroup); SAME_TEXT(executable); SAME_TEXT(runtime); SAME_TEXT(pid_namespace);
	SAME_TEXT(arguments);)
COMPARE(thread, 1, SAME_ID(process); SAME_NUMBER(tid); SAME_NUMBER(namespace_tid); SAME_NUMBER(start_ns);
	SAME_NUMBER(end_ns); SAME_TEXT(comm); SAME_NUMBER(outside); SAME_NUMBER(born); SAME_NUMBER(died);
	SAME_NUMBER(kernel_runtime_ns);)
COMPARE(file, 1, SAME_TEXT(path); SAME_TEXT(build_id);)
COMPARE(mapping, 0, SAME_ID(process); SAME_ID(file); SAME_NUMBER(start); SAME_NUMBER(end); SAME_NUMBER(offset);
	SAME_NUMBER(since_ns);)
COMPARE(frame, 1, SAME_ID(file); SAME_NUMBER(offset); SAME_TEXT(name); SAME_NUMBER(line); SAME_NUMBER(method);
	SAME_TEXT(path); SAME_NUMBER(column);)
COMPARE(object, 1, SAME_TEXT(kind); SAME_TEXT(name); SAME_NUMBER(address);)
COMPARE(evidence, 1, SAME_NUMBER(seen.task_state); SAME_NUMBER(seen.syscall); SAME_NUMBER(seen.flags);
	SAME_NUMBER(seen.wake_context); SAME_NUMBER(seen.contention); SAME_NUMBER(seen.futex_word);
	SAME_NUMBER(seen.futex_owner); SAME_NUMBER(seen.futex_operation); SAME_NUMBER(seen.file_type);
	SAME_NUMBER(seen.socket_family); SAME_NUMBER(seen.socket_type); SAME_NUMBER(seen.socket_state);
	SAME_TEXT(seen.file_release); SAME_ID(seen.kernel_stack); SAME_ID(class); SAME_TEXT(rule); SAME_NUMBER(ambiguous);)
COMPARE(cell, 0, SAME_ID(slice); SAME_ID(thread); SAME_ID(measure); SAME_ID(evidence); SAME_ID(stack); SAME_ID(object);
	SAME_ID(other); SAME_ID(other_stack); SAME_NUMBER(p_log2); SAME_NUMBER(length_log2); SAME_NUMBER(count);
	SAME_NUMBER(value); SAME_NUMBER(maximum); SAME_NUMBER(variance);)
COMPARE(interval, 0, SAME_ID(thread); SAME_NUMBER(start_ns); SAME_NUMBER(end_ns); SAME_ID(evidence); SAME_ID(stack);
	SAME_ID(waker); SAME_ID(waker_stack); SAME_ID(dimension);)
COMPARE(link, 0, SAME_NUMBER(interval); SAME_TEXT(kind); SAME_NUMBER(start_ns); SAME_NUMBER(end_ns); SAME_ID(object);
	SAME_ID(by); SAME_ID(stack);)
COMPARE(request, 0, SAME_ID(thread); SAME_TEXT(class); SAME_TEXT(outcome); SAME_TEXT(trace_id); SAME_NUMBER(overlap);
	SAME_NUMBER(one_in); SAME_NUMBER(arrived_ns); SAME_NUMBER(opened_ns); SAME_NUMBER(closed_ns);)
COMPARE(part, 0, SAME_NUMBER(request); SAME_ID(evidence); SAME_ID(dimension); SAME_NUMBER(ns);)
COMPARE(completion, 0, SAME_ID(slice); SAME_TEXT(source); SAME_ID(process); SAME_NUMBER(port); SAME_TEXT(class);
	SAME_NUMBER(outcome); SAME_NUMBER(count);)
COMPARE(loss, 0, SAME_ID(slice); SAME_TEXT(source); SAME_NUMBER(seen); SAME_NUMBER(lost);)
COMPARE(own_cost, 0, SAME_ID(slice); SAME_TEXT(source); SAME_NUMBER(ns); SAME_NUMBER(events);)
COMPARE(guard_step, 0, SAME_NUMBER(at_ns); SAME_TEXT(action); SAME_TEXT(reason);)
COMPARE(symbol, 0, SAME_ID(frame); SAME_NUMBER(depth); SAME_TEXT(name); SAME_TEXT(path); SAME_TEXT(origin); SAME_NUMBER(line);)

static inline bool stack_same(struct difference *d)
{
	size_t i = profile_stack_count(d->a);

	SAME(i == profile_stack_count(d->b), "stack count");
	for (i = 1; i < profile_stack_count(d->a); i++) {
		struct stack a = profile_stack_at(d->a, i), b = profile_stack_at(d->b, i);

		SAME(stack_is(a.parent, b.parent) && frame_is(a.frame, b.frame) && a.status == b.status, "stack");
	}
	return true;
}

static inline bool meta_same(struct difference *d)
{
	for (size_t i = 0; i < profile_meta_count(d->a); i++) {
		const char *key, *value, *other;

		profile_meta_at(d->a, i, &key, &value);
		other = profile_meta(d->b, key);
		if (strcmp(key, "capture.sealed"))
			SAME(other && !strcmp(other, value), "meta");
	}
	return true;
}

/* NULL, or the first difference ("comm 3"), valid until the next call. Both frozen: symbols are sorted then. */
static inline const char *profile_difference(const struct profile *a, const struct profile *b)
{
	static struct difference difference;
	struct difference *d = &difference;

	*d = (struct difference){ a, b, "" };
	return dimension_same(d) && measure_same(d) && slice_same(d) && process_same(d) && thread_same(d) && file_same(d) &&
	       mapping_same(d) && frame_same(d) && stack_same(d) && object_same(d) && evidence_same(d) && cell_same(d) &&
	       interval_same(d) && link_same(d) && request_same(d) && part_same(d) && completion_same(d) && loss_same(d) &&
	       own_cost_same(d) && guard_step_same(d) && symbol_same(d) && meta_same(d) ? NULL : d->text;
}
