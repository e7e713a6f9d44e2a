/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that joins one after another, each of which sleeps for a while. The stack of the last
 * one is used again, so that after the first round no mapping is made or removed.
 */
#include "truth/stage.h"

#include <pthread.h>
#include <sys/prctl.h>

static void *sleeper(void *argument)
{
	(void)argument;
	(void)prctl(PR_SET_NAME, "h-sleeper");
	stage_sleep_ns(2 * STAGE_PACE_NS);
	return NULL;
}

static void join(struct actor *actor)
{
	pthread_t thread;

	while (stage_more(actor->context)) {
		if (pthread_create(&thread, NULL, sleeper, NULL) != 0)
			return;
		stage_wait_begin(actor->self);
		(void)pthread_join(thread, NULL);
		stage_wait_end(actor->self);
	}
}

static int stage(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, join, NULL, NULL, err);
}

const struct truth truth_join = {
	.name = "join",
	.summary = "a thread that joins threads which sleep",
	.state = "child", .part = "join", .thread = "t-join", .default_ms = 800,
	.stage = stage,
};
