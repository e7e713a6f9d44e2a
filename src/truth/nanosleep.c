/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that sleeps a millisecond at a time. */
#include "truth/stage.h"

static void doze(struct actor *actor)
{
	while (stage_more(actor->context)) {
		stage_wait_begin(actor->self);
		stage_sleep_ns(STAGE_PACE_NS);
		stage_wait_end(actor->self);
	}
}

static int stage(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, doze, NULL, NULL, err);
}

const struct truth truth_nanosleep = {
	.name = "nanosleep",
	.summary = "a thread that sleeps as planned",
	.state = "timer", .thread = "t-nanosleep", .default_ms = 600,
	.stage = stage,
};
