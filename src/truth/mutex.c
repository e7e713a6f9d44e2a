/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that want a mutex which another thread holds while it sleeps. The timed one gives up
 * before that on every fourth turn: a timeout that expired, of a wait for a lock nevertheless.
 */
#include "truth/stage.h"

#include <pthread.h>

static void hold(struct stage_lock *lock)
{
	(void)pthread_mutex_lock(lock->object);
}

static void release(struct stage_lock *lock)
{
	(void)pthread_mutex_unlock(lock->object);
}

static bool acquire(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	return pthread_mutex_lock(lock->object) == 0;
}

static bool acquire_timed(struct stage_lock *lock, unsigned actor)
{
	bool hasty = atomic_load(&lock->held_round) % 4 == actor;
	uint64_t limit_ns = hasty ? STAGE_PACE_NS / 2 : UINT64_C(10000000000);
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	limit_ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(limit_ns / 1000000000u);
	until.tv_nsec = (long)(limit_ns % 1000000000u);
	return pthread_mutex_timedlock(lock->object, &until) == 0;
}

static void drop(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	(void)pthread_mutex_unlock(lock->object);
}

static int stage_with(struct truth_context *context, bool (*how)(struct stage_lock *, unsigned),
		      const pthread_mutexattr_t *attributes, struct error *err)
{
	pthread_mutex_t mutex;
	struct stage_lock lock = { .hold = hold, .release = release, .acquire = how, .drop = drop,
				   .actors = 2, .object = &mutex };
	int r = -pthread_mutex_init(&mutex, attributes);

	if (r < 0)
		return fail(err, FAILURE_CANNOT, r, "cannot make a mutex of that kind");
	return stage_lock(context, &lock, err);
}

static int stage_plain(struct truth_context *context, struct error *err)
{
	return stage_with(context, acquire, NULL, err);
}

static int stage_timed(struct truth_context *context, struct error *err)
{
	return stage_with(context, acquire_timed, NULL, err);
}

static int stage_robust(struct truth_context *context, struct error *err)
{
	pthread_mutexattr_t attributes;

	(void)pthread_mutexattr_init(&attributes);
	(void)pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	return stage_with(context, acquire, &attributes, err);
}

static int stage_inheriting(struct truth_context *context, struct error *err)
{
	pthread_mutexattr_t attributes;

	(void)pthread_mutexattr_init(&attributes);
	(void)pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	return stage_with(context, acquire, &attributes, err);
}

const struct truth truth_mutex = {
	.name = "mutex",
	.summary = "a mutex that another thread holds",
	.state = "lock", .part = "mutex", .thread = "t-mutex", .default_ms = 600,
	.stage = stage_plain,
};

const struct truth truth_mutex_pi = {
	.name = "mutex-pi",
	.summary = "a mutex that hands its waiters' priority to its holder",
	.state = "lock", .part = "mutex", .thread = "t-mutex-pi", .default_ms = 600,
	.stage = stage_inheriting,
};

const struct truth truth_mutex_robust = {
	.name = "mutex-robust",
	.summary = "a mutex that survives the death of its holder",
	.state = "lock", .part = "mutex", .thread = "t-mutex-robust", .default_ms = 600,
	.stage = stage_robust,
};

const struct truth truth_mutex_timed = {
	.name = "mutex-timed",
	.summary = "a mutex asked for with a timeout, which at times expires",
	.why = "an expired timeout is a flag: the class follows what was awaited",
	.state = "lock", .part = "mutex", .thread = "t-mutex-timed", .default_ms = 600,
	.stage = stage_timed,
};
