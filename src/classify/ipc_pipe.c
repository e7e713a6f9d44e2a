/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write to a full pipe: what is to be written is work outstanding, and the reader is late.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_on_pipe(seen) && wait_writes(seen);
}

const struct rule rule_ipc_pipe = {
	.name = "ipc-pipe",
	.summary = "room in a pipe",
	.state = "ipc", .part = "pipe",
	.matches = matches,
};
