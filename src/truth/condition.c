/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition variables in their two uses: workers that wait for work, and two threads that hand a
 * turn to each other. The signal is given after the mutex is released, so that nobody wakes up only
 * to wait for the mutex.
 */
#include "truth/stage.h"

#include <pthread.h>
#include <sched.h>

enum { WORKERS = 4, TURN_NS = 500000 };

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t changed[2];      /* of the pool, the first; of the hand-off, one a side */
	unsigned work;
	unsigned turn;
	bool closed;
};

#define SHARED                                                                  \
	{                                                                       \
		.mutex = PTHREAD_MUTEX_INITIALIZER,                             \
		.changed = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER } \
	}

/*
 * Without a wait for it: one that was preempted while it held the mutex must not make others block.
 */
static void take_mutex(struct shared *shared)
{
	while (pthread_mutex_trylock(&shared->mutex) != 0)
		(void)sched_yield();
}

static void worker(struct actor *actor)
{
	struct shared *shared = actor->prop;
	bool closed = false;

	while (!closed) {
		take_mutex(shared);
		stage_wait_begin(actor->self);
		while (shared->work == 0 && !shared->closed)
			(void)pthread_cond_wait(&shared->changed[0], &shared->mutex);
		stage_wait_end(actor->self);
		closed = shared->closed;
		if (!closed)
			shared->work--;
		(void)pthread_mutex_unlock(&shared->mutex);
		stage_spin_ns(20000);
	}
}

static void give_work(struct truth_context *context, void *prop)
{
	struct shared *shared = prop;

	while (stage_more(context)) {
		stage_sleep_ns(STAGE_PACE_NS);
		take_mutex(shared);
		shared->work++;
		(void)pthread_mutex_unlock(&shared->mutex);
		(void)pthread_cond_signal(&shared->changed[0]);
	}
	take_mutex(shared);
	shared->closed = true;
	(void)pthread_mutex_unlock(&shared->mutex);
	(void)pthread_cond_broadcast(&shared->changed[0]);
}

static int stage_pool(struct truth_context *context, struct error *err)
{
	struct shared shared = SHARED;

	return stage_threads(context, WORKERS, worker, give_work, &shared, err);
}

static void pass_turn(struct shared *shared, unsigned to, bool closed)
{
	take_mutex(shared);
	shared->turn = to;
	shared->closed = shared->closed || closed;
	(void)pthread_mutex_unlock(&shared->mutex);
	(void)pthread_cond_signal(&shared->changed[to]);
}

static void player(struct actor *actor)
{
	struct shared *shared = actor->prop;
	bool closed;

	do {
		take_mutex(shared);
		stage_wait_begin(actor->self);
		while (shared->turn != actor->index)
			(void)pthread_cond_wait(&shared->changed[actor->index], &shared->mutex);
		stage_wait_end(actor->self);
		closed = shared->closed;
		(void)pthread_mutex_unlock(&shared->mutex);
		stage_spin_ns(TURN_NS);
		pass_turn(shared, !actor->index, !stage_more(actor->context));
	} while (!closed);
}

static int stage_handoff(struct truth_context *context, struct error *err)
{
	struct shared shared = SHARED;

	return stage_threads(context, 2, player, NULL, &shared, err);
}

const struct truth truth_condition_handoff = {
	.name = "condition-handoff",
	.summary = "two threads that pass a turn by condition variables",
	.why = "no request is tracked yet: idle, marked ambiguous",
	.state = "idle", .part = "queue", .thread = "t-cond-handoff", .default_ms = 600,
	.stage = stage_handoff,
};

const struct truth truth_condition_pool = {
	.name = "condition-pool",
	.summary = "workers that wait for work on a condition variable",
	.state = "idle", .part = "queue", .thread = "t-cond-pool", .default_ms = 600,
	.stage = stage_pool,
};
