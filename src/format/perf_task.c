/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the profile cannot be taken back, so a thread is made when it is first needed. A later name replaces the one
 * before, except by an exec: what was counted until then stays with the old program, and a new row begins.
 */
#include "format/perf_task.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/perf_space.h"
#include "profile/profile.h"

#include <stdlib.h>

void perf_tasks_init(struct perf_tasks *tasks, struct profile *profile)
{
	*tasks = (struct perf_tasks){ .profile = profile, .by_pid = map_new(sizeof(uint32_t)), .by_tid = map_new(sizeof(uint32_t)) };
}

void perf_tasks_done(struct perf_tasks *tasks)
{
	for (size_t i = 0; i < tasks->process_count; i++)
		perf_space_release(tasks->processes[i].space);
	free(tasks->processes);
	free(tasks->threads);
	map_free(tasks->by_pid);
	map_free(tasks->by_tid);
}

static size_t process_add(struct perf_tasks *tasks, uint32_t pid, struct perf_process from)
{
	from.pid = pid;
	from.id = profile_process(tasks->profile, (struct process){
		.pid = pid, .generation = from.generation, .comm = from.comm });
	grow(tasks->processes, tasks->process_count, tasks->process_room);
	tasks->processes[tasks->process_count] = from;
	*map_put(tasks->by_pid, &pid, NULL) = (uint32_t)tasks->process_count;
	return tasks->process_count++;
}

/* Beyond the limit the first one stands for all. */
static size_t process_index(struct perf_tasks *tasks, uint32_t pid)
{
	const uint32_t *index = map_find(tasks->by_pid, &pid);

	if (index)
		return *index;
	if (tasks->process_count < PERF_TASK_LIMIT)
		return process_add(tasks, pid, (struct perf_process){ 0 });
	tasks->refused++;
	return 0;
}

struct perf_process *perf_tasks_process(struct perf_tasks *tasks, uint32_t pid)
{
	size_t index = process_index(tasks, pid);       /* which may move the rows */

	return &tasks->processes[index];
}

static size_t thread_add(struct perf_tasks *tasks, size_t process, uint32_t tid)
{
	struct perf_thread thread = { .process = (uint32_t)process, .tid = tid };

	thread.id = profile_thread(tasks->profile, (struct thread){
		.process = tasks->processes[process].id, .tid = tid, .comm = tasks->processes[process].comm });
	grow(tasks->threads, tasks->thread_count, tasks->thread_room);
	tasks->threads[tasks->thread_count] = thread;
	*map_put(tasks->by_tid, &tid, NULL) = (uint32_t)tasks->thread_count;
	return tasks->thread_count++;
}

/* A thread that was seen in one process and is met in another: its number was used again, and the fork went unseen. */
static size_t thread_index(struct perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
	const uint32_t *index = map_find(tasks->by_tid, &tid);

	if (index && tasks->processes[tasks->threads[*index].process].pid == pid)
		return *index;
	if (tasks->thread_count < PERF_TASK_LIMIT)
		return thread_add(tasks, process_index(tasks, pid), tid);
	tasks->refused++;
	return 0;
}

struct perf_thread *perf_tasks_thread(struct perf_tasks *tasks, uint32_t pid, uint32_t tid)
{
	size_t index = thread_index(tasks, pid, tid);

	return &tasks->threads[index];
}

static void thread_ends(struct perf_tasks *tasks, struct perf_thread *thread, uint64_t time_ns)
{
	struct thread *row = profile_thread_edit(tasks->profile, thread->id);

	thread->gone = true;
	row->end_ns = time_ns;
	row->died = time_ns;
}

static void thread_begins(struct perf_tasks *tasks, const struct perf_thread *thread, uint64_t time_ns)
{
	struct thread *row = profile_thread_edit(tasks->profile, thread->id);

	row->start_ns = time_ns;
	row->born = time_ns;
}

/* The process goes on as another program: the space is empty, and what the old one did stays its own. */
static void process_execs(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	size_t old = process_index(tasks, pid), thread = thread_index(tasks, pid, tid);
	struct perf_process next = { .generation = tasks->processes[old].generation + 1 };

	perf_space_release(tasks->processes[old].space);
	tasks->processes[old].space = NULL;
	if (!tasks->threads[thread].seen || tasks->process_count >= PERF_TASK_LIMIT || tasks->thread_count >= PERF_TASK_LIMIT)
		return;
	thread_ends(tasks, &tasks->threads[thread], time_ns);
	thread = thread_add(tasks, process_add(tasks, pid, next), tid);
	thread_begins(tasks, &tasks->threads[thread], time_ns);
}

void perf_tasks_named(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, const char *comm, size_t size, bool exec,
		      uint64_t time_ns)
{
	struct string_id name = profile_string_size(tasks->profile, comm, size);
	struct perf_thread *thread;
	struct perf_process *process;

	if (exec)
		process_execs(tasks, pid, tid, time_ns);
	thread = perf_tasks_thread(tasks, pid, tid);
	process = perf_thread_process(tasks, thread);
	profile_thread_edit(tasks->profile, thread->id)->comm = name;
	if (pid == tid || !process->comm.index) {
		process->comm = name;
		profile_process_edit(tasks->profile, process->id)->comm = name;
	}
}

/* A process whose first record is its birth: another had the number before, or nobody. */
static size_t process_forked(struct perf_tasks *tasks, uint32_t pid, uint32_t parent_pid)
{
	size_t parent = process_index(tasks, parent_pid);
	struct perf_process child = { .comm = tasks->processes[parent].comm };
	const uint32_t *before = map_find(tasks->by_pid, &pid);
	size_t index;

	if (before)
		child.generation = tasks->processes[*before].generation + 1;
	if (tasks->process_count >= PERF_TASK_LIMIT)
		return process_index(tasks, pid);
	child.space = perf_space_share(tasks->processes[parent].space);
	index = process_add(tasks, pid, child);
	profile_process_edit(tasks->profile, tasks->processes[index].id)->parent_pid = parent_pid;
	return index;
}

void perf_tasks_forked(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, uint32_t parent_pid, uint32_t parent_tid,
		       uint64_t time_ns)
{
	const uint32_t *old = map_find(tasks->by_tid, &tid);
	struct string_id comm = { 0 };
	size_t process, thread;

	if (tid == parent_tid)          /* a process that was there before, told as perf started */
		return;
	if (old && !tasks->threads[*old].gone)
		thread_ends(tasks, &tasks->threads[*old], time_ns);
	process = pid == parent_pid ? process_index(tasks, pid) : process_forked(tasks, pid, parent_pid);
	if (tasks->thread_count >= PERF_TASK_LIMIT) {
		tasks->refused++;
		return;
	}
	thread = thread_add(tasks, process, tid);
	old = map_find(tasks->by_tid, &parent_tid);
	if (old)
		comm = profile_thread_at(tasks->profile, tasks->threads[*old].id.index)->comm;
	if (comm.index)
		profile_thread_edit(tasks->profile, tasks->threads[thread].id)->comm = comm;
	if (time_ns)
		thread_begins(tasks, &tasks->threads[thread], time_ns);
}

void perf_tasks_exited(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const uint32_t *index = map_find(tasks->by_tid, &tid);

	if (index && tasks->processes[tasks->threads[*index].process].pid == pid && !tasks->threads[*index].gone)
		thread_ends(tasks, &tasks->threads[*index], time_ns);
}

void perf_tasks_close(struct perf_tasks *tasks, uint64_t start_ns, uint64_t end_ns)
{
	for (size_t i = 0; i < tasks->thread_count; i++) {
		struct thread *row = profile_thread_edit(tasks->profile, tasks->threads[i].id);

		if (row->start_ns < start_ns)
			row->start_ns = start_ns;
		if (!row->end_ns || row->end_ns > end_ns)
			row->end_ns = end_ns;
		if (row->start_ns > row->end_ns)
			row->start_ns = row->end_ns;
	}
}
