/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of an empty pipe: a queue's read. It is work that has not arrived, unless a request is
 * open.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_on_pipe(seen) && wait_reads(seen);
}

const struct rule rule_idle_pipe = {
	.name = "idle-pipe",
	.summary = "data from a pipe",
	.state = "idle", .part = "queue", .ambiguous = true,
	.matches = matches,
};
