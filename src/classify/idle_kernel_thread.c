/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel thread that sleeps in a way that does not count towards the load, or so that a wake-up
 * with work is all that it waits for. Any other uninterruptible wait of one is work under way: a
 * rule before this one knows it, or it is unknown.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_KERNEL_THREAD) && !wait_has(seen, EVIDENCE_IOWAIT) &&
	       (seen->evidence->task_state & (STATE_INTERRUPTIBLE | STATE_NOLOAD | STATE_PARKED));
}

const struct rule rule_idle_kernel_thread = {
	.name = "idle-kernel-thread",
	.summary = "a kernel thread without work",
	.state = "idle", .part = "kernel-thread",
	.matches = matches,
};
