/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that never waits. What is missing from its CPU time at the end, other programs took: it
 * is judged by the kernel's CPU clock, not by the wall.
 */
#include "truth/stage.h"

static void spin(struct actor *actor)
{
	while (stage_more(actor->context))
		;
}

static int stage(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, spin, NULL, NULL, err);
}

const struct truth truth_spin = {
	.name = "spin",
	.summary = "a thread that computes and never waits",
	.state = "oncpu", .thread = "t-spin", .measure = TRUTH_RAN, .default_ms = 600,
	.stage = stage,
};
