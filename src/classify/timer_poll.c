/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll() and select() with a timeout and without a descriptor: an old way to sleep for a part of a
 * second. Before idle-poll, which is for those that have something to wait for.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_polls(seen) && wait_has(seen, EVIDENCE_NO_DESCRIPTORS) &&
	       wait_has(seen, EVIDENCE_TIMEOUT);
}

const struct rule rule_timer_poll = {
	.name = "timer-poll",
	.summary = "poll or select of nothing: a sleep",
	.state = "timer",
	.matches = matches,
};
