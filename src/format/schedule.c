/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of progress per thread: what it does, and since when. An event closes that and begins the next:
 *
 *	running ──switch, state──▶ waiting ──wake──▶ runnable ──switch──▶ running
 *	        ──switch, still runnable──────────▶
 *
 * What a wait was for may be told after its end (the kernel says "it was I/O" as it wakes the thread), so a wait is written
 * down when its thread runs again.
 */
#include "format/schedule.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/schedule_fact.h"
#include "format/schedule_stack.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum doing { UNSEEN, RUNNING, PREEMPTED, WOKEN, RUNNABLE, WAITING, LOST, NEW, DEAD };

struct progress {
	struct thread_id thread;
	enum doing doing;
	uint64_t since_ns, start_ns, wait_start_ns;
	struct wait_evidence wait;       /* of the wait in progress, or of the one before the thread could run */
	struct thread_id waker;
	struct stack_id stack;
	uint32_t cpu;
	bool has_cpu, born, waited, knows_calls;
	int16_t call;
	uint32_t call_flags, futex_operation;
};

struct schedule {
	struct profile *profile;
	struct schedule_options options;
	struct schedule_facts facts;
	struct progress *rows;
	size_t count, room;
	struct map *by_tid, *by_cpu;     /* u32 → index of progress; index + 1 of who runs there, 0 nobody */
	struct map *kernel_stacks;       /* stack → its kernel part */
	bool *named;                     /* thread rows that some event named */
	size_t named_room;
	uint64_t now_ns, gaps;
};

struct schedule *schedule_new(struct profile *profile, const struct schedule_options *options)
{
	struct schedule *schedule = xcalloc(1, sizeof(*schedule));

	schedule->profile = profile;
	schedule->options = *options;
	schedule->now_ns = options->start_ns;
	schedule->by_tid = map_new(sizeof(uint32_t));
	schedule->by_cpu = map_new(sizeof(uint32_t));
	schedule->kernel_stacks = map_new(sizeof(uint32_t));
	schedule_facts_init(&schedule->facts, profile, options->seconds, options->source);
	return schedule;
}

void schedule_free(struct schedule *schedule)
{
	if (!schedule)
		return;
	free(schedule->rows);
	free(schedule->named);
	map_free(schedule->by_tid);
	map_free(schedule->by_cpu);
	map_free(schedule->kernel_stacks);
	free(schedule);
}

int schedule_state_of(const char *text, size_t size)
{
	static const struct { char letter; int state; } letters[] = {
		{ 'R', 0 }, { 'S', SCHEDULE_INTERRUPTIBLE }, { 'D', SCHEDULE_UNINTERRUPTIBLE }, { 'T', SCHEDULE_STOPPED },
		{ 't', SCHEDULE_TRACED }, { 'X', SCHEDULE_DEAD }, { 'Z', SCHEDULE_ZOMBIE }, { 'P', SCHEDULE_PARKED },
		{ 'I', SCHEDULE_IDLE }, { 'x', SCHEDULE_DEAD }, { 'K', SCHEDULE_UNINTERRUPTIBLE }, { 'W', SCHEDULE_UNINTERRUPTIBLE },
	};

	for (size_t i = 0; size && i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].letter == text[0])
			return letters[i].state;
	return -1;
}

/* --- Writing down ------------------------------------------------------------------------------------------------------ */

static const struct wait_evidence lost_wait = { .syscall = SYSCALL_NONE, .flags = EVIDENCE_LOST };

/* The wait that ended when the thread became runnable. */
static void write_wait(struct schedule *schedule, struct progress *row, uint64_t end_ns)
{
	if (!row->waited)
		return;
	schedule_fact_wait(&schedule->facts, &(struct schedule_wait){
		.thread = row->thread, .start_ns = row->wait_start_ns, .end_ns = end_ns, .seen = &row->wait, .stack = row->stack,
		.waker = row->waker });
	row->waited = false;
}

static void write_lost(struct schedule *schedule, const struct progress *row, uint64_t end_ns)
{
	schedule_fact_wait(&schedule->facts, &(struct schedule_wait){
		.thread = row->thread, .start_ns = row->since_ns, .end_ns = end_ns, .seen = &lost_wait });
}

/* Closes what the thread does. A runnable stretch brings the wait before it. */
static void write_down(struct schedule *schedule, struct progress *row, uint64_t now_ns)
{
	switch (row->doing) {
	case RUNNING: schedule_fact_ran(&schedule->facts, row->thread, row->since_ns, now_ns); break;
	case PREEMPTED: schedule_fact_ready(&schedule->facts, row->thread, row->since_ns, now_ns, "preempted"); break;
	case RUNNABLE: schedule_fact_ready(&schedule->facts, row->thread, row->since_ns, now_ns, NULL); break;
	case WOKEN:
		write_wait(schedule, row, row->since_ns);
		schedule_fact_ready(&schedule->facts, row->thread, row->since_ns, now_ns, "woken");
		break;
	case WAITING: write_wait(schedule, row, now_ns); break;
	case UNSEEN: case LOST: write_lost(schedule, row, now_ns); break;
	case NEW: case DEAD: break;
	}
	row->since_ns = now_ns;
}

static void turn_to(struct progress *row, enum doing doing, uint64_t now_ns)
{
	row->doing = doing;
	row->since_ns = now_ns;
}

/* --- Whose progress ---------------------------------------------------------------------------------------------------- */

static void name_thread(struct schedule *schedule, struct thread_id thread)
{
	while (schedule->named_room <= thread.index) {
		size_t room = schedule->named_room ? schedule->named_room * 2 : 256;

		schedule->named = xreallocarray(schedule->named, room, sizeof(*schedule->named));
		memset(schedule->named + schedule->named_room, 0, room - schedule->named_room);
		schedule->named_room = room;
	}
	schedule->named[thread.index] = true;
}

static void life_write(struct schedule *schedule, const struct progress *row, uint64_t end_ns, bool died)
{
	struct thread *thread = profile_thread_edit(schedule->profile, row->thread);

	thread->start_ns = row->start_ns;
	thread->end_ns = end_ns < row->start_ns ? row->start_ns : end_ns;
	thread->born = row->born;
	thread->died = died;
}

/* Another row for the same number: the program became another by exec, or the number was used again. */
static void replace(struct schedule *schedule, struct progress *row, struct thread_id thread, uint64_t now_ns)
{
	uint64_t at_ns = profile_thread_at(schedule->profile, thread.index)->start_ns;
	enum doing doing = row->doing == RUNNING ? RUNNING : UNSEEN;

	if (at_ns < row->since_ns || at_ns > now_ns)
		at_ns = row->since_ns > now_ns ? row->since_ns : now_ns;
	if (row->doing != DEAD && row->doing != NEW) {
		write_down(schedule, row, at_ns);
		life_write(schedule, row, at_ns, true);
	}
	*row = (struct progress){ .thread = thread, .doing = doing, .since_ns = at_ns, .start_ns = at_ns, .born = true,
				  .call = row->call, .cpu = row->cpu, .has_cpu = row->has_cpu, .knows_calls = row->knows_calls };
}

static struct progress *progress_of(struct schedule *schedule, struct thread_id thread, uint64_t now_ns)
{
	uint32_t tid = profile_thread_at(schedule->profile, thread.index)->tid, *index;
	struct progress *row;
	bool added;

	name_thread(schedule, thread);
	index = map_put(schedule->by_tid, &tid, &added);
	if (added) {
		*index = (uint32_t)schedule->count;
		grow(schedule->rows, schedule->count, schedule->room);
		schedule->rows[schedule->count++] = (struct progress){
			.thread = thread, .since_ns = schedule->options.start_ns, .start_ns = schedule->options.start_ns,
			.call = SYSCALL_NONE };
	}
	row = &schedule->rows[*index];
	if (!thread_is(row->thread, thread))
		replace(schedule, row, thread, now_ns);
	return row;
}

/* Time never runs backwards here: an event that came too late happened when the last one did. */
static uint64_t advance(struct schedule *schedule, uint64_t time_ns)
{
	if (time_ns > schedule->now_ns)
		schedule->now_ns = time_ns;
	return schedule->now_ns;
}

/* --- Events ------------------------------------------------------------------------------------------------------------ */

static void begin_wait(struct schedule *schedule, struct progress *row, unsigned state, struct stack_id stack, uint64_t now_ns)
{
	bool in_call = row->call != SYSCALL_NONE;

	row->wait = (struct wait_evidence){ .task_state = (uint16_t)state, .syscall = row->call, .flags = row->call_flags,
					    .futex_operation = row->futex_operation };
	if (state == SCHEDULE_IDLE)             /* 0x402: uninterruptible, and no load */
		row->wait.task_state = 0x402;
	if (schedule->options.calls && row->knows_calls && !in_call)
		row->wait.flags |= EVIDENCE_FAULT;
	row->wait.kernel_stack = schedule_kernel_stack(schedule->profile, schedule->kernel_stacks, stack);
	row->stack = stack;
	row->waker = (struct thread_id){ 0 };
	row->waited = true;
	row->wait_start_ns = now_ns;
	turn_to(row, WAITING, now_ns);
}

/* Events do not fit: what the thread did since the last that did is not known. The wait before that is. */
static void lose(struct schedule *schedule, struct progress *row)
{
	schedule->gaps++;
	if (row->doing == WOKEN)
		write_wait(schedule, row, row->since_ns);
	row->waited = false;
	row->doing = LOST;
}

static void leave(struct schedule *schedule, const struct schedule_switch *event, uint64_t now_ns)
{
	struct progress *row = progress_of(schedule, event->from, now_ns);

	if (row->doing == UNSEEN || row->doing == NEW)          /* it ran since before the first event */
		row->doing = RUNNING;
	if (row->doing != RUNNING)
		lose(schedule, row);
	write_down(schedule, row, now_ns);
	schedule_fact_switched(&schedule->facts, row->thread, now_ns);
	row->cpu = event->cpu;
	row->has_cpu = true;
	if (event->state & (SCHEDULE_DEAD | SCHEDULE_ZOMBIE)) {
		life_write(schedule, row, now_ns, true);
		turn_to(row, DEAD, now_ns);
	} else if (event->state) {
		begin_wait(schedule, row, event->state, event->stack, now_ns);
	} else {
		turn_to(row, PREEMPTED, now_ns);
	}
}

/* What came before the first time a thread is seen to run: with wake-ups recorded it was runnable all along. */
static void enter(struct schedule *schedule, const struct schedule_switch *event, uint64_t now_ns)
{
	struct progress *row = progress_of(schedule, event->to, now_ns);

	if (row->doing == UNSEEN && schedule->options.wakes)
		row->doing = RUNNABLE;
	if (row->doing == WAITING)
		row->wait.flags |= EVIDENCE_NO_WAKER;
	if (row->doing == NEW)
		row->start_ns = now_ns;
	if (row->doing == RUNNING || row->doing == DEAD)
		lose(schedule, row);
	write_down(schedule, row, now_ns);
	if (row->has_cpu && row->cpu != event->cpu)
		schedule_fact_migrated(&schedule->facts, row->thread, now_ns);
	row->cpu = event->cpu;
	row->has_cpu = true;
	turn_to(row, RUNNING, now_ns);
}

/* Somebody else leaves than was seen to come: what the one that came did since then is lost. */
static void check_runner(struct schedule *schedule, const struct schedule_switch *event)
{
	const uint32_t *runs = map_find(schedule->by_cpu, &event->cpu);
	struct progress *row = runs && *runs ? &schedule->rows[*runs - 1] : NULL;

	if (!row || row->doing != RUNNING || row->cpu != event->cpu)
		return;
	if (event->from.index &&
	    profile_thread_at(schedule->profile, event->from.index)->tid ==
		    profile_thread_at(schedule->profile, row->thread.index)->tid)
		return;
	lose(schedule, row);
}

void schedule_switched(struct schedule *schedule, const struct schedule_switch *event)
{
	uint64_t now_ns = advance(schedule, event->time_ns);
	uint32_t runs = 0;

	check_runner(schedule, event);
	if (event->from.index)
		leave(schedule, event, now_ns);
	if (event->to.index) {
		enter(schedule, event, now_ns);
		runs = *map_find(schedule->by_tid, &profile_thread_at(schedule->profile, event->to.index)->tid) + 1;
	}
	*map_put(schedule->by_cpu, &event->cpu, NULL) = runs;
}

static bool same_process(const struct schedule *schedule, struct thread_id a, struct thread_id b)
{
	return profile_thread_at(schedule->profile, a.index)->process.index ==
	       profile_thread_at(schedule->profile, b.index)->process.index;
}

/* Of the two events of a wake-up (waking, wakeup) the first counts; one for a thread that runs changes nothing. */
void schedule_woken(struct schedule *schedule, uint64_t time_ns, struct thread_id thread, struct thread_id waker,
		    enum wake_context context)
{
	uint64_t now_ns = advance(schedule, time_ns);
	struct progress *row = progress_of(schedule, thread, now_ns);

	if (row->doing == NEW) {
		row->start_ns = now_ns;
		turn_to(row, WOKEN, now_ns);
		return;
	}
	if (row->doing == UNSEEN) {             /* its beginning was before the window */
		row->wait = (struct wait_evidence){ .syscall = SYSCALL_NONE, .flags = EVIDENCE_CUT_START };
		row->wait_start_ns = row->since_ns;
		row->waited = true;
	} else if (row->doing == LOST) {
		write_down(schedule, row, now_ns);
	} else if (row->doing != WAITING) {
		return;
	}
	row->wait.wake_context = (uint8_t)context;
	row->waker = waker;
	if (waker.index && context == WAKE_TASK && same_process(schedule, thread, waker))
		row->wait.flags |= EVIDENCE_SAME_PROCESS_WOKE;
	turn_to(row, WOKEN, now_ns);
}

void schedule_born(struct schedule *schedule, uint64_t time_ns, struct thread_id thread)
{
	uint64_t now_ns = advance(schedule, time_ns);
	struct progress *row = progress_of(schedule, thread, now_ns);

	if (row->doing == DEAD)                 /* its number is used again, and nothing gave that another row */
		row->doing = LOST;
	if (row->doing != UNSEEN)
		return;
	*row = (struct progress){ .thread = thread, .doing = NEW, .since_ns = now_ns, .start_ns = now_ns, .born = true,
				  .call = SYSCALL_NONE };
}

void schedule_called(struct schedule *schedule, struct thread_id thread, int call, const uint64_t *arguments)
{
	enum { FUTEX = 202, POLL = 7 };
	struct progress *row = progress_of(schedule, thread, schedule->now_ns);

	row->knows_calls = true;
	row->call = (int16_t)call;
	row->call_flags = row->futex_operation = 0;
	if (!arguments)
		return;
	if (call == FUTEX) {
		row->futex_operation = (uint32_t)arguments[1];
		row->call_flags = arguments[3] ? EVIDENCE_TIMEOUT : 0;
	} else if (call == POLL) {
		row->call_flags = (arguments[1] ? 0 : EVIDENCE_NO_DESCRIPTORS) | ((int)arguments[2] >= 0 ? EVIDENCE_TIMEOUT : 0);
	}
}

void schedule_waited_for_io(struct schedule *schedule, struct thread_id thread)
{
	struct progress *row = progress_of(schedule, thread, schedule->now_ns);

	if (row->waited)
		row->wait.flags |= EVIDENCE_IOWAIT;
}

/* --- The end ----------------------------------------------------------------------------------------------------------- */

static void close_row(struct schedule *schedule, struct progress *row, uint64_t end_ns)
{
	if (row->doing == DEAD)
		return;
	if (row->doing == NEW)
		row->start_ns = end_ns;
	if (row->doing == WAITING)
		row->wait.flags |= EVIDENCE_CUT_END;
	write_down(schedule, row, end_ns);
	life_write(schedule, row, end_ns, false);
}

void schedule_finish(struct schedule *schedule, uint64_t end_ns)
{
	if (end_ns < schedule->now_ns)
		end_ns = schedule->now_ns;
	for (size_t i = 0; i < schedule->count; i++)
		close_row(schedule, &schedule->rows[i], end_ns);
	for (uint32_t i = 1; i < profile_thread_count(schedule->profile); i++)
		if (i >= schedule->named_room || !schedule->named[i])
			profile_thread_edit(schedule->profile, (struct thread_id){ i })->outside = true;
}

uint64_t schedule_gaps(const struct schedule *schedule)
{
	return schedule->gaps;
}
