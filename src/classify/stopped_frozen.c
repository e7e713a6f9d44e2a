/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frozen thread. The first version of control groups and suspend have a state of their own, and
 * a function of their own where that state was not yet. The second version parks the thread on its
 * way back to user mode, in an ordinary interruptible sleep: only a bit of the task tells, or a
 * stack that sleeps in the delivery of a signal which kills nobody. A parent in vfork has the bit
 * too, so that its group counts as frozen although its child may not be; its sleep is another one.
 */
#include "classify/seen.h"

static bool freezes_on_the_way_out(const struct wait_seen *seen)
{
	return (seen->evidence->task_state & STATE_INTERRUPTIBLE) &&
	       wait_calls(seen, "get_signal") &&
	       !wait_calls_any(seen, "do_exit", "do_coredump", "vfs_coredump");
}

static bool matches(const struct wait_seen *seen)
{
	if (seen->evidence->task_state & STATE_FROZEN)
		return true;
	if (wait_has(seen, EVIDENCE_FROZEN) && (seen->evidence->task_state & STATE_INTERRUPTIBLE))
		return true;
	return wait_calls(seen, "__refrigerator") || freezes_on_the_way_out(seen);
}

const struct rule rule_stopped_frozen = {
	.name = "stopped-frozen",
	.summary = "frozen with its cgroup, or for suspend",
	.state = "stopped", .part = "frozen",
	.matches = matches,
};
