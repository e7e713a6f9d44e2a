/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the rows have in common on stage: judged threads and processes that time themselves, the one
 * that wakes them up, and the one that holds what they want.
 *
 * A judged thread is an actor. Its body runs between its first and last clock reading and puts each
 * waiting call between stage_wait_begin() and stage_wait_end(). It leaves after the wake-up that
 * follows context->over.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/clock.h"
#include "truth/truth.h"

enum {
	STAGE_PACE_NS = 1000000,        /* most waits last this long: sharp, and hundreds of them */
	STAGE_ACTORS = 8,               /* threads that stage_threads() starts, at most */
};

struct actor {
	struct truth_context *context;
	struct truth_thread *self;
	unsigned index;                 /* 0 … count - 1 */
	void *prop;                     /* what the row gave */
};

static inline uint64_t stage_cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * The CPU clock is read outside the other one: it costs a system call, which is not part of the
 * wait.
 */
static inline void stage_wait_begin(struct truth_thread *self)
{
	self->began_cpu_ns = stage_cpu_ns();
	self->began_ns = clock_now_ns();
}

static inline void stage_wait_end(struct truth_thread *self)
{
	uint64_t waited_ns = clock_now_ns() - self->began_ns;

	self->wait_cpu_ns += stage_cpu_ns() - self->began_cpu_ns;
	self->waited_ns += waited_ns;
	self->wait_count++;
	if (waited_ns > self->wait_longest_ns)
		self->wait_longest_ns = waited_ns;
}

static inline bool stage_over(const struct truth_context *context)
{
	return atomic_load_explicit(&context->over, memory_order_acquire);
}

/* For bodies that need nobody to end them. */
static inline bool stage_more(const struct truth_context *context)
{
	return clock_now_ns() < context->end_ns;
}

/* The row's time begins now, after a slow preparation. */
void stage_restart(struct truth_context *context);

void stage_spin_ns(uint64_t duration_ns);       /* on the CPU all the while */
void stage_sleep_ns(uint64_t duration_ns);
int stage_pin(void);                            /* this thread and its children on one CPU */

/*
 * Runs body in `count` judged threads, and meanwhile() in the calling one (NULL: nothing); ends
 * when all have.
 */
int stage_threads(struct truth_context *context, unsigned count, void (*body)(struct actor *actor),
		  void (*meanwhile)(struct truth_context *context, void *prop), void *prop,
		  struct error *err);

/* A judged process of one thread; the caller reaps it. It dies with the thread that calls this. */
int stage_process(struct truth_context *context, void (*body)(struct actor *actor), void *prop,
		  pid_t *ret_pid, struct error *err);

/* In a process just forked: it dies with its parent and bears this name. */
void stage_child(pid_t parent, const char *name);

/* A meanwhile(): wakes an actor up at the pace, and in the end until all have left. */
void stage_wake(struct truth_context *context, void (*wake)(void *prop), void *prop);

/*
 * A lock of any kind. The calling thread holds it for the pace, again and again; each actor asks
 * for it as soon as it is held, and lets go at once. acquire() is all that is timed; false: it was
 * not given (a timeout).
 */
struct stage_lock {
	void (*hold)(struct stage_lock *lock);
	void (*release)(struct stage_lock *lock);
	bool (*acquire)(struct stage_lock *lock, unsigned actor);
	void (*drop)(struct stage_lock *lock, unsigned actor);
	unsigned actors;
	void *object;                           /* the row's */
	atomic_uint held_round;                 /* rounds so far, by the holder's count … */
	atomic_uint done_round[STAGE_ACTORS];   /* … and by the actors': turns that they had */
};
int stage_lock(struct truth_context *context, struct stage_lock *lock, struct error *err);
