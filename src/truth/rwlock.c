/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read-write lock from both sides: readers that wait for a writer, and a writer that waits for
 * readers. They sleep on different words of the lock, and only the writer's thread id stands in it,
 * so each side is a row.
 */
#include "truth/stage.h"

#include <pthread.h>

static void hold_write(struct stage_lock *lock)
{
	(void)pthread_rwlock_wrlock(lock->object);
}

static void hold_read(struct stage_lock *lock)
{
	(void)pthread_rwlock_rdlock(lock->object);
}

static void release(struct stage_lock *lock)
{
	(void)pthread_rwlock_unlock(lock->object);
}

static bool acquire_write(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	return pthread_rwlock_wrlock(lock->object) == 0;
}

static bool acquire_read(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	return pthread_rwlock_rdlock(lock->object) == 0;
}

static void drop(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	(void)pthread_rwlock_unlock(lock->object);
}

static int stage_read(struct truth_context *context, struct error *err)
{
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	struct stage_lock lock = { .hold = hold_write, .release = release,
				   .acquire = acquire_read, .drop = drop,
				   .actors = 2, .object = &rwlock };

	return stage_lock(context, &lock, err);
}

static int stage_write(struct truth_context *context, struct error *err)
{
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	struct stage_lock lock = { .hold = hold_read, .release = release,
				   .acquire = acquire_write, .drop = drop,
				   .actors = 1, .object = &rwlock };

	return stage_lock(context, &lock, err);
}

const struct truth truth_rwlock_read = {
	.name = "rwlock-read",
	.summary = "readers of a read-write lock that a writer holds",
	.state = "lock", .part = "rwlock", .thread = "t-rwlock-read", .default_ms = 600,
	.stage = stage_read,
};

const struct truth truth_rwlock_write = {
	.name = "rwlock-write",
	.summary = "a writer of a read-write lock that a reader holds",
	.why = "no reader's id stands in the lock: it has a class, but no holder",
	.state = "lock", .part = "rwlock", .thread = "t-rwlock-write", .default_ms = 600,
	.stage = stage_write,
};
