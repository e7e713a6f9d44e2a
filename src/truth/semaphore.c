/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that takes from a semaphore which another thread posts once a millisecond. */
#include "truth/stage.h"

#include <errno.h>
#include <semaphore.h>

static void take_one(struct actor *actor)
{
	do {
		stage_wait_begin(actor->self);
		(void)sem_wait(actor->prop);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void post(void *prop)
{
	(void)sem_post(prop);
}

static void post_all(struct truth_context *context, void *prop)
{
	stage_wake(context, post, prop);
}

static int stage(struct truth_context *context, struct error *err)
{
	sem_t semaphore;

	if (sem_init(&semaphore, 0, 0) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a semaphore");
	return stage_threads(context, 1, take_one, post_all, &semaphore, err);
}

const struct truth truth_semaphore = {
	.name = "semaphore",
	.summary = "a thread that takes from a semaphore",
	.why = "no request is tracked yet: idle, marked ambiguous",
	.state = "idle", .part = "queue", .thread = "t-semaphore", .default_ms = 600,
	.stage = stage,
};
