/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that computes, in a control group that may use a quarter of a CPU. The rest of the time
 * it is ready and kept from running by the quota. Its maker enters the group first, and it is born
 * there: moving a thread between groups takes milliseconds.
 */
#include <unistd.h>

#include "truth/group.h"
#include "truth/stage.h"

static const struct group_kind cpu = { "cpu", "cpu.cfs_quota_us", "cpu.max" };

static void spin(struct actor *actor)
{
	while (stage_more(actor->context))
		;
}

static int possible(const struct truth_context *context, struct error *err)
{
	(void)context;
	return group_possible(&cpu, err);
}

static int prepare(struct truth_context *context, struct error *err)
{
	int r = group_create(context, &cpu, err);

	if (r < 0 || context->group_two)
		return r < 0 ? r : group_write(context, "cpu.max", "5000 20000", err);
	r = group_write(context, "cpu.cfs_period_us", "20000", err);
	return r < 0 ? r : group_write(context, "cpu.cfs_quota_us", "5000", err);
}

static int stage(struct truth_context *context, struct error *err)
{
	int r = group_enter(context, getpid(), err);

	if (r < 0)
		return r;
	stage_restart(context);
	return stage_threads(context, 1, spin, NULL, NULL, err);
}

const struct truth truth_quota = {
	.name = "quota",
	.summary = "a thread that computes beyond its group's CPU quota",
	.state = "runnable", .part = "throttled", .thread = "t-quota",
	.measure = TRUTH_QUEUED, .default_ms = 800,
	.possible = possible, .prepare = prepare, .stage = stage, .cleanup = group_remove,
};
