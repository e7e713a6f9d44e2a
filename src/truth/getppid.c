/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest system call in a loop: a capture that watches every call shows here, and ours should
 * not.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "truth/stage.h"

enum { CALLS = 1000 };                  /* between two looks at the clock */

static void call(struct actor *actor)
{
	struct truth_context *context = actor->context;
	uint64_t start_ns = clock_now_ns();

	while (stage_more(context)) {
		for (int n = 0; n < CALLS; n++)
			(void)syscall(SYS_getppid);
		context->report.operations += CALLS;
	}
	context->report.elapsed_ns = clock_now_ns() - start_ns;
}

static int stage(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, call, NULL, NULL, err);
}

const struct truth truth_getppid = {
	.name = "getppid",
	.summary = "a system call that does nothing, in a loop",
	.operation = "call", .thread = "t-getppid", .measure = TRUTH_RATE, .default_ms = 1000,
	.stage = stage,
};
