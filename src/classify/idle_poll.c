/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that waits until any of its descriptors is ready, as every event loop does. With a
 * timeout too: what was awaited decides, not how the wait ended. Idle unless a request is open,
 * hence ambiguous.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) &&
	       (wait_polls(seen) || wait_in(seen, CALL_EPOLL_WAIT, CALL_EPOLL_PWAIT,
					    CALL_EPOLL_PWAIT2));
}

const struct rule rule_idle_poll = {
	.name = "idle-poll",
	.summary = "epoll, poll or select",
	.state = "idle", .part = "poll", .ambiguous = true,
	.matches = matches,
};
