/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From scheduler events that somebody else recorded to the ledger: per thread, intervals of running, runnable and waiting
 * that follow each other without a gap from its start to its end. Whoever reads a format tells events in the order of time;
 * what they leave open is unknown time, never guessed: a thread that runs although nobody switched to it, a wait whose end
 * went unseen.
 *
 * What a wait was for is classify's to say, from the state the thread left the processor in, its system call where those were
 * recorded, and who woke it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/evidence.h"
#include "profile/id.h"

struct profile;
struct schedule;
struct seconds;

struct schedule_options {
	struct seconds *seconds;
	uint64_t start_ns;               /* of the window: no event is before */
	bool wakes, calls;               /* were wake-ups recorded, and system calls? */
	const char *source;              /* "sched:sched_switch" */
};

struct schedule *schedule_new(struct profile *profile, const struct schedule_options *options);
void schedule_free(struct schedule *schedule);               /* NULL is fine */

/* Bits of the state in which the kernel's tracepoints say a thread left; 0: it could still run. */
enum schedule_state { SCHEDULE_INTERRUPTIBLE = 1, SCHEDULE_UNINTERRUPTIBLE = 2, SCHEDULE_STOPPED = 4, SCHEDULE_TRACED = 8,
		      SCHEDULE_DEAD = 0x10, SCHEDULE_ZOMBIE = 0x20, SCHEDULE_PARKED = 0x40, SCHEDULE_IDLE = 0x80 };
/* "S", "D|W", "R+", "Ss" … as printed; -1 where it is none. */
int schedule_state_of(const char *text, size_t size);

struct schedule_switch {
	uint64_t time_ns;
	uint32_t cpu;
	struct thread_id from, to;       /* none: the idle loop */
	unsigned state;
	struct stack_id stack;           /* of the one that leaves */
};
void schedule_switched(struct schedule *schedule, const struct schedule_switch *event);
void schedule_woken(struct schedule *schedule, uint64_t time_ns, struct thread_id thread, struct thread_id waker,
		    enum wake_context context);
void schedule_born(struct schedule *schedule, uint64_t time_ns, struct thread_id thread);
/* A system call begins; SYSCALL_NONE: it ended. arguments: six, or NULL. */
void schedule_called(struct schedule *schedule, struct thread_id thread, int call, const uint64_t *arguments);
void schedule_waited_for_io(struct schedule *schedule, struct thread_id thread);

/* Closes what is open and gives the threads their starts and ends. Those that no event named are outside. */
void schedule_finish(struct schedule *schedule, uint64_t end_ns);
uint64_t schedule_gaps(const struct schedule *schedule);     /* how often events did not fit each other */
