/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads on one CPU: three of them are ready at any instant. What a thread does not run, it
 * queues, since it never waits; its lifetime less its CPU time is the truth.
 */
#include "truth/stage.h"

static void spin(struct actor *actor)
{
	while (stage_more(actor->context))
		;
}

static int stage(struct truth_context *context, struct error *err)
{
	int r = stage_pin();

	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot stay on one CPU");
	return stage_threads(context, 4, spin, NULL, NULL, err);
}

const struct truth truth_oversubscribed = {
	.name = "oversubscribed",
	.summary = "four threads that compute on one CPU",
	.state = "runnable", .part = "preempted", .thread = "t-oversub",
	.measure = TRUTH_QUEUED, .default_ms = 800,
	.stage = stage,
};
