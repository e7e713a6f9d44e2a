/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait(), waitpid(), waitid(): the child may do anything meanwhile, and its own ledger says what.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_in(seen, CALL_WAIT4, CALL_WAITID);
}

const struct rule rule_child_process = {
	.name = "child-process",
	.summary = "a child process, in one of the wait calls",
	.state = "child", .part = "process",
	.matches = matches,
};
