/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Profiles for tests, written as a capture would fill them: states from exact cells, waits with
 * evidence, stacks from sampled cells. mercury() is the teaching case whose figures everyone can
 * check by hand:
 *
 *	per correct completion        baseline   candidate
 *	oncpu                           8.0 ms      7.4 ms      parse: 3.2 ms, then 3.5 ms
 *	disk                           10.0 ms     42.0 ms
 *	runnable                        4.0 ms     20.0 ms
 *	lock                            2.0 ms     10.0 ms
 *	correct completions            100,000      80,000      in 60 s, by 128 worker threads
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define UNUSED_HELPER __attribute__((unused)) static

enum { BUILDER_SECOND = 1000000000, BUILDER_PERIOD = 10101010 };
#define BUILDER_START (1000ull * BUILDER_SECOND)

UNUSED_HELPER struct dimension_id built_dimension(struct profile *profile, const char *path)
{
	char text[128];
	char *slash;
	const struct dimension_row *row;

	(void)snprintf(text, sizeof(text), "%s", path);
	slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	row = dimension_row_find(slash ? text : NULL, slash ? slash + 1 : text);
	if (!row)
		abort();
	return profile_dimension(profile, row);
}

/* A slice of that time: the one there is, or a new one. */
UNUSED_HELPER struct slice_id built_slice(struct profile *profile, uint64_t start_ns,
					  uint64_t end_ns)
{
	for (uint32_t i = 1; i < profile_slice_count(profile); i++)
		if (profile_slice_at(profile, i)->start_ns == start_ns &&
		    profile_slice_at(profile, i)->end_ns == end_ns)
			return (struct slice_id){ i };
	return profile_slice(profile, start_ns, end_ns);
}

/* "main;serve;parse", root first; a frame "[k]read" is the kernel's, "?libc.so" has no name. */
UNUSED_HELPER struct stack_id built_stack(struct profile *profile, const char *path,
					  enum stack_status status)
{
	struct stack_id stack = { 0 };
	char text[1024], *rest = text, *name;

	(void)snprintf(text, sizeof(text), "%s", path);
	while ((name = strsep(&rest, ";"))) {
		struct frame frame = { .method = METHOD_FRAME_POINTER };

		if (!strncmp(name, "[k]", 3)) {
			frame.method = METHOD_KERNEL;
			frame.file = profile_file(profile, "[kernel]", NULL);
			name += 3;
		}
		if (*name == '?') {
			frame.file = profile_file(profile, name + 1, NULL);
			frame.offset = 0x1234;
		} else {
			frame.name = profile_string(profile, name);
		}
		stack = profile_stack(profile, stack, profile_frame(profile, frame), status);
	}
	return stack;
}

UNUSED_HELPER struct process_id built_process(struct profile *profile, uint32_t pid,
					      const char *comm)
{
	return profile_process(
		profile, (struct process){ .pid = pid,
					   .comm = profile_string(profile, comm),
					   .cgroup = profile_string(profile, "/system.slice") });
}

UNUSED_HELPER struct thread_id built_thread(struct profile *profile, struct process_id process,
					    uint32_t tid, const char *comm, uint64_t start_ns,
					    uint64_t end_ns)
{
	return profile_thread(profile, (struct thread){ .process = process,
							.tid = tid,
							.start_ns = start_ns,
							.end_ns = end_ns,
							.comm = profile_string(profile, comm) });
}

/* A wait's evidence; flags and context tell those of one class apart. */
UNUSED_HELPER struct evidence_id built_evidence(struct profile *profile, const char *class,
						uint32_t flags, enum wake_context context)
{
	struct dimension_id dimension = built_dimension(profile, class);
	struct wait_evidence seen = { .task_state = 1,
				      .syscall = (int16_t)dimension.index,
				      .flags = flags,
				      .wake_context = (uint8_t)context };
	struct evidence_id id = profile_evidence(profile, &seen);

	profile_evidence_class(profile, id, dimension, profile_string(profile, "test"), false);
	return id;
}

UNUSED_HELPER struct measure_id built_measure(struct profile *profile, const char *path,
					      enum measure_role role, enum weighting weighting,
					      const char *source, uint64_t period)
{
	return profile_measure(profile,
			       (struct measure){ .dimension = path ? built_dimension(profile, path)
								   : (struct dimension_id){ 0 },
						 .role = role,
						 .weighting = weighting,
						 .source = profile_string(profile, source),
						 .period = period });
}

/* Exact time in a state that is no wait: "oncpu", "runnable/woken"; or an amount. */
UNUSED_HELPER void built_total(struct profile *profile, struct slice_id slice,
			       struct thread_id thread, const char *path, uint64_t value,
			       uint64_t count, uint64_t maximum)
{
	profile_add_cell(profile,
			 (struct cell){ .slice = slice,
					.thread = thread,
					.value = value,
					.count = count,
					.maximum = maximum,
					.measure = built_measure(profile, path, ROLE_TOTAL,
								 WEIGHTING_EXACT, "sched", 0) });
}

UNUSED_HELPER uint8_t built_length(uint64_t value, uint64_t count)
{
	return count && value / count ? (uint8_t)(63 - __builtin_clzll(value / count)) : 0;
}

UNUSED_HELPER void built_wait(struct profile *profile, struct slice_id slice,
			      struct thread_id thread, struct evidence_id evidence, uint64_t value,
			      uint64_t count, uint64_t maximum)
{
	profile_add_cell(profile,
			 (struct cell){ .slice = slice,
					.thread = thread,
					.evidence = evidence,
					.value = value,
					.count = count,
					.maximum = maximum,
					.length_log2 = built_length(value, count),
					.measure = built_measure(profile, NULL, ROLE_TOTAL,
								 WEIGHTING_EXACT, "sched", 0) });
}

/* The same waits again by stack: value counts 2^p_log2 times. */
UNUSED_HELPER void built_wait_stack(struct profile *profile, struct slice_id slice,
				    struct thread_id thread, struct evidence_id evidence,
				    struct stack_id stack, struct thread_id waker, uint8_t p_log2,
				    uint64_t value, uint64_t count)
{
	profile_add_cell(profile,
			 (struct cell){ .slice = slice,
					.thread = thread,
					.evidence = evidence,
					.stack = stack,
					.other = waker,
					.p_log2 = p_log2,
					.value = value,
					.count = count,
					.maximum = value / (count ? count : 1),
					.measure = built_measure(profile, NULL, ROLE_SPLIT,
								 WEIGHTING_SAMPLED, "sched", 0) });
}

UNUSED_HELPER void built_samples(struct profile *profile, struct slice_id slice,
				 struct thread_id thread, const char *part, struct stack_id stack,
				 uint64_t count)
{
	profile_add_cell(profile,
			 (struct cell){ .slice = slice,
					.thread = thread,
					.stack = stack,
					.value = count * BUILDER_PERIOD,
					.count = count,
					.measure = built_measure(profile, part, ROLE_SPLIT,
								 WEIGHTING_SAMPLED, "cpu-clock",
								 BUILDER_PERIOD) });
}

UNUSED_HELPER void built_delays(struct profile *profile, struct slice_id slice, const char *part,
				uint64_t mean, uint64_t count)
{
	profile_add_cell(profile,
			 (struct cell){ .slice = slice,
					.value = mean * count,
					.count = count,
					.length_log2 = built_length(mean, 1),
					.measure = built_measure(profile, part, ROLE_DETAIL,
								 WEIGHTING_EXACT, "sched", 0) });
}

UNUSED_HELPER void built_completions(struct profile *profile, struct slice_id slice,
				     struct process_id process, const char *class,
				     enum outcome outcome, uint64_t count)
{
	profile_add_completion(profile,
			       (struct completion){ .slice = slice,
						    .source = profile_string(profile, "http"),
						    .process = process,
						    .port = 8080,
						    .class = profile_string(profile, class),
						    .outcome = outcome,
						    .count = count });
}

/* --- Mercury ---------------------------------------------------------------------------------- */

enum { MERCURY_WORKERS = 128, MERCURY_SECONDS = 60, MERCURY_SLICES = 2 };

struct mercury {                     /* of one worker in one slice of 30 s */
	const char *build;
	enum stack_status status;    /* of its stacks */
	uint64_t oncpu_ns, runnable_ns, lock_ns, disk_ns;
	uint64_t disk_waits, lock_waits;
	uint64_t parse_samples, lookup_samples, read_samples;
	uint64_t correct;            /* of the whole service in one slice */
};

/* 100,000 x 8 ms / 128 / 2 = 3.125 s, and so on. */
UNUSED_HELPER const struct mercury mercury_baseline = {
	.build = "baseline",
	.status = STACK_UNVERIFIED,
	.oncpu_ns = 3125000000,
	.runnable_ns = 1562500000,
	.lock_ns = 781250000,
	.disk_ns = 3906250000,
	.disk_waits = 781,
	.lock_waits = 1250,
	.parse_samples = 124,
	.lookup_samples = 100,
	.read_samples = 85,
	.correct = 50000,
};
UNUSED_HELPER const struct mercury mercury_candidate = {
	.build = "candidate",
	.status = STACK_UNVERIFIED,
	.oncpu_ns = 2312500000,
	.runnable_ns = 6250000000,
	.lock_ns = 3125000000,
	.disk_ns = 13125000000,
	.disk_waits = 2500,
	.lock_waits = 5000,
	.parse_samples = 108,
	.lookup_samples = 60,
	.read_samples = 61,
	.correct = 40000,
};

struct mercury_stacks { struct stack_id parse, lookup, read, disk, lock, idle; };

UNUSED_HELPER struct mercury_stacks mercury_stacks_make(struct profile *profile,
							enum stack_status status)
{
	return (struct mercury_stacks){
		.parse = built_stack(profile, "start_thread;worker;serve;parse", status),
		.lookup = built_stack(profile, "start_thread;worker;serve;lookup;hash", status),
		.read = built_stack(
			profile, "start_thread;worker;serve;lookup;store_read;[k]vfs_read", status),
		.disk = built_stack(
			profile,
			"start_thread;worker;serve;lookup;store_read;[k]vfs_read;[k]io_schedule",
			status),
		.lock = built_stack(profile,
				    "start_thread;worker;serve;lookup;cache_lock;[k]futex_wait",
				    status),
		.idle = built_stack(profile, "start_thread;worker;next_request;[k]ep_poll", status),
	};
}

UNUSED_HELPER void mercury_worker_slice(struct profile *profile, const struct mercury *mercury,
					struct slice_id slice, struct thread_id thread,
					struct thread_id peer, const struct mercury_stacks *stacks)
{
	const uint64_t idle_ns = 30ull * BUILDER_SECOND - mercury->oncpu_ns - mercury->runnable_ns -
				 mercury->lock_ns - mercury->disk_ns;
	struct evidence_id disk =
		built_evidence(profile, "disk/read", EVIDENCE_IOWAIT, WAKE_SOFTIRQ);
	struct evidence_id lock =
		built_evidence(profile, "lock/mutex", EVIDENCE_OWNER_WOKE, WAKE_TASK);
	struct evidence_id idle = built_evidence(profile, "idle/poll", 0, WAKE_SOFTIRQ);
	uint64_t intervals = mercury->disk_waits + mercury->lock_waits + 500;

	built_total(profile, slice, thread, "oncpu", mercury->oncpu_ns, intervals, 4000000);
	built_total(profile, slice, thread, "runnable/woken", mercury->runnable_ns / 5 * 4,
		    intervals, 9000000);
	built_total(profile, slice, thread, "runnable/preempted", mercury->runnable_ns / 5,
		    intervals / 10, 8000000);
	built_wait(profile, slice, thread, disk, mercury->disk_ns, mercury->disk_waits, 8000000);
	built_wait(profile, slice, thread, lock, mercury->lock_ns, mercury->lock_waits, 1000000);
	built_wait(profile, slice, thread, idle, idle_ns, idle_ns / 20000000, 33000000);
	built_wait_stack(profile, slice, thread, disk, stacks->disk, (struct thread_id){ 0 }, 2,
			 mercury->disk_ns / 4 / 50 * 49, mercury->disk_waits / 4);
	built_wait_stack(profile, slice, thread, lock, stacks->lock, peer, 4, mercury->lock_ns / 16,
			 mercury->lock_waits / 16);
	built_wait_stack(profile, slice, thread, idle, stacks->idle, (struct thread_id){ 0 }, 0,
			 idle_ns, idle_ns / 20000000);
	built_samples(profile, slice, thread, "oncpu/user", stacks->parse, mercury->parse_samples);
	built_samples(profile, slice, thread, "oncpu/user", stacks->lookup,
		      mercury->lookup_samples);
	built_samples(profile, slice, thread, "oncpu/kernel", stacks->read, mercury->read_samples);
	built_total(profile, slice, thread, "context-switches", intervals + intervals / 10,
		    intervals + intervals / 10, 0);
	built_total(profile, slice, thread, "migrations", intervals / 20, intervals / 20, 0);
}

UNUSED_HELPER void mercury_slice(struct profile *profile, const struct mercury *mercury,
				 struct slice_id slice, struct process_id process,
				 struct thread_id first)
{
	const struct mercury_stacks stacks = mercury_stacks_make(profile, mercury->status);

	for (uint32_t i = 0; i < MERCURY_WORKERS; i++)
		mercury_worker_slice(profile, mercury, slice, (struct thread_id){ first.index + i },
				     (struct thread_id){ first.index + (i + 1) % MERCURY_WORKERS },
				     &stacks);
	built_delays(profile, slice, "runnable/woken", 40000, 10000);
	built_delays(profile, slice, "runnable/woken", 700000, 5000);
	built_delays(profile, slice, "runnable/preempted", 3000000, 1000);
	built_completions(profile, slice, process, "200", OUTCOME_CORRECT, mercury->correct);
	built_completions(profile, slice, process, "503", OUTCOME_INCORRECT, 250);
	profile_add_loss(profile,
			 (struct loss){ slice, profile_string(profile, "sched"), 2500000, 0 });
	profile_add_own_cost(profile, (struct own_cost){ slice, profile_string(profile, "bpf"),
							 750000000, 5000000 });
	profile_add_own_cost(
		profile,
		(struct own_cost){ slice, profile_string(profile, "recorder-cpu"), 250000000, 0 });
}

UNUSED_HELPER void mercury_meta(struct profile *profile, const struct mercury *mercury)
{
	static const char *const pairs[][2] = {
		{ "capture.id", "8f14e45f" },
		{ "capture.start_wall_ns", "1750000000000000000" },
		{ "capture.sealed", "1" },
		{ "capture.crosscut", "0.1.0" },
		{ "capture.filter", "--comm mercury" },
		{ "capture.command", "crosscut record --comm mercury --work http:8080" },
		{ "host.name", "canary-7" },
		{ "host.kernel", "6.1.0" },
		{ "host.architecture", "x86_64" },
		{ "work.unit", "request" },
		{ "work.source", "http:8080" },
		{ "label.state", "nominal" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++)
		profile_set_meta(profile, pairs[i][0], pairs[i][1]);
	profile_set_meta(profile, "label.build", mercury->build);
	profile_set_meta_number(profile, "capture.start_ns", BUILDER_START);
	profile_set_meta_number(profile, "capture.end_ns",
				BUILDER_START + (uint64_t)MERCURY_SECONDS * BUILDER_SECOND);
}

/* The service's processes and threads; returns the first of its workers. */
UNUSED_HELPER struct thread_id mercury_threads(struct profile *profile,
					       struct process_id *ret_process)
{
	struct thread_id first = { 0 };

	*ret_process = built_process(profile, 4200, "mercury");
	for (uint32_t i = 0; i < MERCURY_WORKERS; i++) {
		struct thread_id thread = built_thread(
			profile, *ret_process, 4201 + i, i ? "worker" : "acceptor", BUILDER_START,
			BUILDER_START + (uint64_t)MERCURY_SECONDS * BUILDER_SECOND);

		first = i ? first : thread;
	}
	return first;
}

UNUSED_HELPER struct slice_id mercury_slice_at(struct profile *profile, uint32_t index)
{
	const uint64_t length_ns = 30ull * BUILDER_SECOND;

	return built_slice(profile, BUILDER_START + index * length_ns,
			   BUILDER_START + (index + 1) * length_ns);
}

/* Not yet frozen, so that a test can add what it is about. */
UNUSED_HELPER struct profile *mercury(const struct mercury *which)
{
	struct profile *profile = profile_new();
	struct process_id process;
	struct thread_id first = mercury_threads(profile, &process);

	mercury_meta(profile, which);
	for (uint32_t i = 0; i < MERCURY_SLICES; i++)
		mercury_slice(profile, which, mercury_slice_at(profile, i), process, first);
	return profile;
}
