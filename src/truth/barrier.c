/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that is early at a barrier: the other one sleeps first, and nobody else is expected. */
#include "truth/stage.h"

#include <pthread.h>

/* Whoever is late to look would take the next round's word for this one's: so the last one has a number. */
static void come_early(struct actor *actor)
{
	unsigned round = 0;

	do {
		round++;
		stage_wait_begin(actor->self);
		(void)pthread_barrier_wait(actor->prop);
		stage_wait_end(actor->self);
	} while (atomic_load(&actor->context->signal) != round);
}

static void come_late(struct truth_context *context, void *prop)
{
	unsigned round = 0;
	bool last;

	do {
		round++;
		stage_sleep_ns(STAGE_PACE_NS);
		last = !stage_more(context);
		if (last)
			atomic_store(&context->signal, round);
		(void)pthread_barrier_wait(prop);
	} while (!last);
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
