/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields are found by name in the descriptions that the file carries; a file without them cannot be read as a schedule, and
 * says so. Threads are told by number alone here: one that no other record introduced is taken for a process of its own.
 */
#include "format/perf_schedule.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/perf_session.h"
#include "format/schedule.h"
#include "format/tracepoint.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum perf_role { ROLE_NONE, ROLE_SWITCH, ROLE_WAKING, ROLE_WAKEUP, ROLE_WAKEUP_NEW, ROLE_FORK, ROLE_IOWAIT, ROLE_ENTER, ROLE_EXIT };
enum { COMMON_HARDIRQ = 8, COMMON_SOFTIRQ = 16, SYSCALL_ARGUMENTS = 6 };

static const struct { const char *system, *name; enum perf_role role; } roles[] = {
	{ "sched", "sched_switch", ROLE_SWITCH },	{ "sched", "sched_waking", ROLE_WAKING },
	{ "sched", "sched_wakeup", ROLE_WAKEUP },	{ "sched", "sched_wakeup_new", ROLE_WAKEUP_NEW },
	{ "sched", "sched_process_fork", ROLE_FORK },	{ "sched", "sched_stat_iowait", ROLE_IOWAIT },
	{ "raw_syscalls", "sys_enter", ROLE_ENTER },	{ "raw_syscalls", "sys_exit", ROLE_EXIT },
};

struct perf_schedule {
	struct schedule *schedule;
	bool wakes, calls;
	uint64_t without_description;
};

static enum perf_role role_of(const char *system, const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].system, system) && !strcmp(roles[i].name, name))
			return roles[i].role;
	return ROLE_NONE;
}

/* "sched:sched_switch" */
static enum perf_role role_of_name(const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		size_t size = strlen(roles[i].system);

		if (!strncmp(name, roles[i].system, size) && name[size] == ':' && !strcmp(name + size + 1, roles[i].name))
			return roles[i].role;
	}
	return ROLE_NONE;
}

static void look(struct perf_session *session, struct perf_event *event)
{
	struct tracepoint *tracepoint;

	if (event->looked)
		return;
	event->looked = true;
	tracepoint = session->tracepoints ? tracepoints_find(session->tracepoints, event->attribute.config) : NULL;
	event->tracepoint = tracepoint;
	event->role = (uint8_t)(tracepoint ? role_of(tracepoint->system, tracepoint->name) : role_of_name(event->name));
	if (tracepoint && !*event->name)
		(void)snprintf(event->name, sizeof(event->name), "%s:%s", tracepoint->system, tracepoint->name);
}

static struct perf_schedule *schedule_of(struct perf_session *session)
{
	struct perf_schedule *schedule = session->schedule;
	struct schedule_options options = { .seconds = &session->seconds, .source = "sched:sched_switch" };

	if (schedule)
		return schedule;
	schedule = session->schedule = xcalloc(1, sizeof(*schedule));
	for (size_t i = 0; i < session->events.count; i++) {
		look(session, &session->events.rows[i]);
		schedule->wakes |= session->events.rows[i].role == ROLE_WAKING || session->events.rows[i].role == ROLE_WAKEUP;
		schedule->calls |= session->events.rows[i].role == ROLE_ENTER;
	}
	options.start_ns = session->window_start_ns && session->window_start_ns < session->first_ns ? session->window_start_ns
												    : session->first_ns;
	options.wakes = schedule->wakes;
	options.calls = schedule->calls;
	schedule->schedule = schedule_new(session->profile, &options);
	return schedule;
}

/* --- Fields ------------------------------------------------------------------------------------------------------------ */

struct fields {
	struct perf_session *session;
	const struct tracepoint *tracepoint;
	const struct perf_sample *sample;
};

static int64_t number(const struct fields *fields, const char *name)
{
	return tracepoint_number(tracepoint_field(fields->tracepoint, name), fields->sample->raw, fields->sample->raw_size,
				 fields->session->swapped);
}

static struct thread_id thread_of(const struct fields *fields, const char *tid_name, const char *comm_name)
{
	struct perf_tasks *tasks = &fields->session->tasks;
	uint32_t tid = (uint32_t)number(fields, tid_name);
	const uint32_t *known = map_find(tasks->by_tid, &tid);
	struct perf_thread *thread;
	struct thread *row;
	const char *comm;
	size_t size;

	if (!tid)
		return (struct thread_id){ 0 };
	thread = known ? &tasks->threads[*known] : perf_tasks_thread(tasks, tid, tid);
	thread->seen = true;
	row = profile_thread_edit(fields->session->profile, thread->id);
	size = tracepoint_text(tracepoint_field(fields->tracepoint, comm_name), fields->sample->raw, fields->sample->raw_size, &comm);
	if (!row->comm.index && size) {
		row->comm = profile_string_size(fields->session->profile, comm, size);
		if (!perf_thread_process(tasks, thread)->comm.index)
			profile_process_edit(fields->session->profile, row->process)->comm = row->comm;
	}
	return thread->id;
}

static void switched(struct perf_schedule *schedule, const struct fields *fields, struct stack_id stack)
{
	enum { REPORTED = 0xff };       /* above: preempted, which is no state */

	schedule_switched(schedule->schedule, &(struct schedule_switch){
		.time_ns = fields->sample->time_ns, .cpu = fields->sample->cpu, .stack = stack,
		.from = thread_of(fields, "prev_pid", "prev_comm"), .to = thread_of(fields, "next_pid", "next_comm"),
		.state = (unsigned)number(fields, "prev_state") & REPORTED });
}

static enum wake_context context_of(const struct fields *fields)
{
	int64_t flags = number(fields, "common_flags");

	return flags & COMMON_HARDIRQ ? WAKE_HARDIRQ : flags & COMMON_SOFTIRQ ? WAKE_SOFTIRQ : WAKE_TASK;
}

static void called(struct perf_schedule *schedule, const struct fields *fields, struct thread_id thread)
{
	const struct tracepoint_field *field = tracepoint_field(fields->tracepoint, "args");
	struct tracepoint_field argument = field ? *field : (struct tracepoint_field){ 0 };
	uint64_t arguments[SYSCALL_ARGUMENTS];
	int64_t call = number(fields, "id");

	for (unsigned i = 0; i < SYSCALL_ARGUMENTS; i++) {
		argument.size = 8;
		argument.offset = field ? field->offset + 8 * i : UINT32_MAX;
		arguments[i] = (uint64_t)tracepoint_number(&argument, fields->sample->raw, fields->sample->raw_size,
							   fields->session->swapped);
	}
	schedule_called(schedule->schedule, thread, call >= 0 && call < INT16_MAX ? (int)call : SYSCALL_NONE, arguments);
}

void perf_schedule_sample(struct perf_session *session, struct perf_event *event, const struct perf_sample *sample,
			  struct thread_id thread, struct stack_id stack)
{
	struct fields fields = { session, NULL, sample };
	struct perf_schedule *schedule;
	uint64_t time_ns = sample->time_ns;

	look(session, event);
	if (event->role == ROLE_NONE || !sample->has_time)
		return;
	schedule = schedule_of(session);
	fields.tracepoint = event->tracepoint;
	if (!fields.tracepoint || !sample->raw) {
		schedule->without_description++;
		return;
	}
	if (!sample->tid)
		thread = (struct thread_id){ 0 };
	switch ((enum perf_role)event->role) {
	case ROLE_SWITCH: switched(schedule, &fields, stack); break;
	case ROLE_WAKING: case ROLE_WAKEUP: case ROLE_WAKEUP_NEW: {
		struct thread_id woken = thread_of(&fields, "pid", "comm");

		if (woken.index)
			schedule_woken(schedule->schedule, time_ns, woken, thread, context_of(&fields));
		break;
	}
	case ROLE_FORK: {
		struct thread_id child = thread_of(&fields, "child_pid", "child_comm");

		if (child.index)
			schedule_born(schedule->schedule, time_ns, child);
		break;
	}
	case ROLE_IOWAIT: {
		struct thread_id waited = thread_of(&fields, "pid", "comm");

		if (waited.index)
			schedule_waited_for_io(schedule->schedule, waited);
		break;
	}
	case ROLE_ENTER: if (thread.index) called(schedule, &fields, thread); break;
	case ROLE_EXIT: if (thread.index) schedule_called(schedule->schedule, thread, SYSCALL_NONE, NULL); break;
	case ROLE_NONE: break;
	}
}

void perf_schedule_finish(struct perf_session *session, uint64_t end_ns)
{
	struct perf_schedule *schedule = session->schedule;

	if (!schedule)
		return;
	schedule_finish(schedule->schedule, end_ns);
	if (schedule->without_description)
		profile_set_meta_number(session->profile, "import.tracepoints_without_fields", schedule->without_description);
	if (schedule_gaps(schedule->schedule))
		profile_set_meta_number(session->profile, "import.schedule_gaps", schedule_gaps(schedule->schedule));
	if (!schedule->wakes)
		profile_set_meta(session->profile, "import.lacks.wake-ups", "waits hold the delay after them");
	if (!schedule->calls)
		profile_set_meta(session->profile, "import.lacks.system-calls", "most waits are unknown: record raw_syscalls too");
}

void perf_schedule_free(struct perf_schedule *schedule)
{
	if (!schedule)
		return;
	schedule_free(schedule->schedule);
	free(schedule);
}
