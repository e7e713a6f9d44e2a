/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scenarios. A part that computes may be preempted on a busy machine, and what is ready again waits for a
 * processor: then its ground is runnable, of the same thread. Where that is the point (starved, inverted), it is all there is.
 */
#include "acts.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMPUTES "(oncpu|runnable/[a-z]+)"

int set_locks(struct stage *stage)
{
	pthread_rwlockattr_t attributes;

	(void)pthread_mutex_init(&stage->mutex, NULL);
	(void)pthread_mutex_init(&stage->inner, NULL);
	(void)pthread_cond_init(&stage->condition, NULL);
	(void)pthread_rwlockattr_init(&attributes);
	(void)pthread_rwlock_init(&stage->rwlock, &attributes);
	(void)sem_init(&stage->asked, 0, 0);
	(void)sem_init(&stage->done, 0, 0);
	return 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* Wants the mutex as often as it can, and holds it for nothing. */
static void want_mutex(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->mutex);
		(void)pthread_mutex_unlock(&stage->mutex);
		doze(MS / 5);
	}
}

/* --- Locks --------------------------------------------------------------------------------------------------------- */

HOLD(hold_and_sleep, (void)0, doze(4 * MS))
HOLD(hold_and_compute, (void)0, compute(2 * MS))
HOLD(hold_and_want, (void)0, (pthread_mutex_lock(&stage->inner), pthread_mutex_unlock(&stage->inner)))

static void hold_inner(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->inner);
		doze(4 * MS);
		(void)pthread_mutex_unlock(&stage->inner);
		doze(MS / 10);
	}
}

static void hold_nicely(struct stage *stage)
{
	pin(0);
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	hold_and_compute(stage);
}

static void hold_pinned(struct stage *stage)
{
	pin(0);
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->mutex);
		compute(3 * MS);
		(void)pthread_mutex_unlock(&stage->mutex);
		doze(MS / 10);
	}
}

static void hog(struct stage *stage)
{
	pin(0);
	while (goes_on(stage))
		compute(MS);
}

/* --- Reader-writer lock, condition, semaphore, join -------------------------------------------------------------------- */

static void read_and_sleep(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_rwlock_rdlock(&stage->rwlock);
		doze(4 * MS);
		(void)pthread_rwlock_unlock(&stage->rwlock);
		doze(MS / 10);
	}
}

static void want_to_write(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_rwlock_wrlock(&stage->rwlock);
		(void)pthread_rwlock_unlock(&stage->rwlock);
		doze(MS / 5);
	}
}

static void want_turn(struct stage *stage)
{
	unsigned seen = 0;

	(void)pthread_mutex_lock(&stage->mutex);
	while (goes_on(stage)) {
		while (atomic_load(&stage->turn) == seen)
			(void)pthread_cond_wait(&stage->condition, &stage->mutex);
		seen = atomic_load(&stage->turn);
	}
	(void)pthread_mutex_unlock(&stage->mutex);
}

static void give_turns(struct stage *stage)
{
	bool last;

	do {
		last = !goes_on(stage);
		doze(3 * MS);
		(void)pthread_mutex_lock(&stage->mutex);
		atomic_fetch_add(&stage->turn, 1);
		(void)pthread_mutex_unlock(&stage->mutex);
		(void)pthread_cond_signal(&stage->condition);
	} while (!last);
}

static void want_post(struct stage *stage)
{
	while (goes_on(stage))
		(void)sem_wait(&stage->done);
}

static void post(struct stage *stage)
{
	bool last;

	do {
		last = !goes_on(stage);
		compute(2 * MS);
		(void)sem_post(&stage->done);
	} while (!last);
}

/* Hands a job to the pool and waits for its end. */
static void ask_pool(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)sem_post(&stage->asked);
		(void)sem_wait(&stage->done);
	}
	(void)sem_post(&stage->asked);
	(void)sem_post(&stage->asked);
}

static void serve_pool(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)sem_wait(&stage->asked);
		compute(2 * MS);
		(void)sem_post(&stage->done);
	}
	(void)sem_post(&stage->done);                   /* whoever asked last is not left waiting */
}

static void *sleep_and_end(void *context)
{
	name_self(((struct stage *)context)->number, "ends");
	doze(3 * MS);
	return NULL;
}

static void join_others(struct stage *stage)
{
	while (goes_on(stage)) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, sleep_and_end, stage))
			(void)pthread_join(thread, NULL);
	}
}

/* --- All ------------------------------------------------------------------------------------------------------------------- */

#define LOCKED "lock/mutex[^▸]*"
const struct scenario scenarios[] = {
	{ "nested-locks", LOCKED "▸ %N-mid: " LOCKED "▸ %N-inner: timer", set_locks,
	  { { "wait", want_mutex }, { "mid", hold_and_want }, { "inner", hold_inner } } },
	{ "inversion", LOCKED "▸ %N-low: runnable/preempted", set_locks,
	  { { "wait", want_mutex }, { "low", hold_nicely }, { "hog", hog }, { "hog", hog } } },
	{ "convoy", LOCKED "▸ %N-one: (" LOCKED "▸ %N-one: )*" COMPUTES, set_locks,
	  { { "wait", want_mutex }, { "one", hold_and_compute }, { "one", hold_and_compute }, { "one", hold_and_compute } } },
	{ "journal", "disk/[a-z]+ ▸ jbd2/[^:]*: (disk/[a-z]+ ▸ kworker/[^:]*: )*(disk/[a-z]+|oncpu)", set_journal, { { "wait", sync_mine }, { "other", sync_others } } },
	{ "pipeline", "[a-z]+/[a-z-]+ ▸ %N-mid: [a-z]+/[a-z-]+ ▸ %N-first: timer", set_pipes,
	  { { "wait", read_second_pipe }, { "mid", pass_on }, { "first", feed_first_pipe } } },
	{ "pool", "[a-z]+/[a-z-]+ ▸ %N-pool: " COMPUTES, set_locks, { { "wait", ask_pool }, { "pool", serve_pool } } },
	{ "ping", "[a-z]+/[a-z-]+ ▸ %N-pong: " COMPUTES, set_sockets, { { "wait", ping }, { "pong", pong } } },
	{ "tcp-ping", "[a-z]+/[a-z-]+ ▸ %N-pong: " COMPUTES, set_connection, { { "wait", ping }, { "pong", pong } } },
	{ "tcp-loop", "[a-z]+/[a-z-]+ ▸ %N-serves: disk/read", set_remote_server, { { "wait", ping }, { "serves", serve_from_disk } } },
	{ "condition", "[a-z]+/[a-z-]+ ▸ %N-gives: timer", set_locks, { { "wait", want_turn }, { "gives", give_turns } } },
	{ "semaphore", "[a-z]+/[a-z-]+ ▸ %N-posts: " COMPUTES, set_locks, { { "wait", want_post }, { "posts", post } } },
	{ "rwlock", "lock/rwlock[^▸]*▸ %N-reads: timer", set_locks, { { "wait", want_to_write }, { "reads", read_and_sleep } } },
	{ "join", "child/[a-z]+ ▸ %N-ends: timer", NULL, { { "wait", join_others } } },
	{ "child", "child/[a-z]+ ▸ %N-child: " COMPUTES, NULL, { { "wait", wait_for_children } } },
	{ "shared", LOCKED "▸ %N-other: timer", set_shared, { { "wait", want_shared } } },
	{ "event-loop", "[a-z]+/[a-z-]+ ▸ %N-serves: disk/read", set_server, { { "wait", ping }, { "serves", serve_from_disk } } },
	{ "eventfd", "[a-z]+/[a-z-]+ ▸ %N-gives: " COMPUTES, set_event, { { "wait", want_event }, { "gives", give_events } } },
	{ "file-lock", "lock/[a-z]+[^▸]*▸ %N-holds: timer", set_file_lock, { { "wait", want_file }, { "holds", hold_file } } },
	{ "direct", LOCKED "▸ %N-holds: disk/read", set_direct, { { "wait", want_mutex }, { "holds", hold_and_read } } },
	{ "timer", LOCKED "▸ %N-holds: timer", set_locks, { { "wait", want_mutex }, { "holds", hold_and_sleep } } },
	{ "starved", LOCKED "▸ %N-holds: runnable/preempted", set_locks,
	  { { "wait", want_mutex }, { "holds", hold_pinned }, { "hog", hog }, { "hog", hog }, { "hog", hog } } },
	{ "cold-fault", LOCKED "▸ %N-holds: (paging/[a-z-]+|disk/read)", set_mapped, { { "wait", want_mutex }, { "holds", hold_and_fault } } },
};
const unsigned scenario_count = sizeof(scenarios) / sizeof(scenarios[0]);
