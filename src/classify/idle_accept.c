/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accept() on a listener of any family.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_in(seen, CALL_ACCEPT, CALL_ACCEPT4);
}

const struct rule rule_idle_accept = {
	.name = "idle-accept",
	.summary = "a new connection",
	.state = "idle", .part = "accept", .ambiguous = true,
	.matches = matches,
};
