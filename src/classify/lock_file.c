/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flock(), and fcntl() with a command that waits for a lock: no other command of fcntl() sleeps so
 * that a signal wakes it.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_in(seen, CALL_FLOCK, CALL_FCNTL);
}

const struct rule rule_lock_file = {
	.name = "lock-file",
	.summary = "a lock on a file that another holds",
	.state = "lock", .part = "file",
	.matches = matches,
};
