/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of a timerfd: a planned time, like a sleep. A poll or epoll that includes one is not: it
 * waits for other descriptors as well.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_reads(seen) && wait_on(seen, "timerfd_release");
}

const struct rule rule_timer_descriptor = {
	.name = "timer-descriptor",
	.summary = "the next tick of a timer descriptor",
	.state = "timer",
	.matches = matches,
};
