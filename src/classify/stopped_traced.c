/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that a debugger or a tracer holds. It left the processor wherever it happened to be, so
 * nothing else in its evidence says anything about this wait: this row and the other stopped ones
 * come first.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return seen->evidence->task_state & STATE_TRACED;
}

const struct rule rule_stopped_traced = {
	.name = "stopped-traced",
	.summary = "stopped by a tracer",
	.state = "stopped", .part = "traced",
	.matches = matches,
};
