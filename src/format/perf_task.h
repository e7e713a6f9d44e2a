/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The processes and threads of a perf.data file while its records go by: a tid is used again, a process becomes another
 * program with each exec, and a child has its parent's mappings until it makes its own. Every row here is one row of the
 * profile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct map;
struct perf_space;
struct profile;

struct perf_process {
	struct process_id id;
	uint32_t pid, generation;
	struct string_id comm;
	struct perf_space *space;
	struct file_id anonymous;        /* "[anon:PID]": what a runtime generated; made when first met */
};

struct perf_thread {
	struct thread_id id;
	uint32_t process;                /* index of its process */
	uint32_t tid;
	bool seen;                       /* something was counted for it */
	bool gone;
};

struct perf_tasks {
	struct profile *profile;
	struct perf_process *processes;
	size_t process_count, process_room;
	struct perf_thread *threads;
	size_t thread_count, thread_room;
	struct map *by_pid, *by_tid;     /* u32 → index of the newest */
	uint64_t refused;                /* tasks beyond the limits, which all count for one */
};

enum { PERF_TASK_LIMIT = 2 << 20 };

void perf_tasks_init(struct perf_tasks *tasks, struct profile *profile);
void perf_tasks_done(struct perf_tasks *tasks);
/* The newest of that number, made where there is none. Valid until the next call. */
struct perf_process *perf_tasks_process(struct perf_tasks *tasks, uint32_t pid);
struct perf_thread *perf_tasks_thread(struct perf_tasks *tasks, uint32_t pid, uint32_t tid);
static inline struct perf_process *perf_thread_process(struct perf_tasks *tasks, const struct perf_thread *thread)
{
	return &tasks->processes[thread->process];
}

void perf_tasks_named(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, const char *comm, size_t size, bool exec,
		      uint64_t time_ns);
void perf_tasks_forked(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint32_t parent_tid,
		       uint64_t time_ns);
void perf_tasks_exited(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Gives all that were neither born nor died in the window its ends. */
void perf_tasks_close(struct perf_tasks *tasks, uint64_t start_ns, uint64_t end_ns);
