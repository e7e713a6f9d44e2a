/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that is early at a barrier: the other one sleeps first, and nobody else is expected. */
#include "truth/stage.h"

#include <pthread.h>

static void come_early(struct actor *actor)
{
	do {
		stage_wait_begin(actor->self);
		(void)pthread_barrier_wait(actor->prop);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

/* The last round is announced before it: both leave after the same one. */
static void come_late(struct truth_context *context, void *prop)
{
	bool over;

	do {
		stage_sleep_ns(STAGE_PACE_NS);
		over = !stage_more(context);
		atomic_store_explicit(&context->over, over, memory_order_release);
		(void)pthread_barrier_wait(prop);
	} while (!over);
}

static int stage(struct truth_context *context, struct error *err)
{
	pthread_barrier_t barrier;
	int r = -pthread_barrier_init(&barrier, NULL, 2);

	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot make a barrier");
	return stage_threads(context, 1, come_early, come_late, &barrier, err);
}

const struct truth truth_barrier = {
	.name = "barrier",
	.summary = "a thread that is early at a barrier",
	.why = "a peer that has not arrived is work outstanding",
	.state = "ipc", .part = "peer", .thread = "t-barrier", .default_ms = 600,
	.stage = stage,
};
