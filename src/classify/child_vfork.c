/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vfork(), or posix_spawn() and system(), which clone in the same way. The parent sleeps in
 * kernel_clone() until the child lets go of its memory. The other waits of a clone (locks, memory)
 * happen while the process is copied. Without a stack only vfork() itself is sure, as it copies
 * nothing.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	if (!wait_in(seen, CALL_CLONE, CALL_FORK, CALL_VFORK, CALL_CLONE3))
		return false;
	if (wait_has_stack(seen))
		return wait_calls_any(seen, "kernel_clone",
				      "_do_fork") && !wait_calls(seen, "copy_process") &&
		       wait_calls_any(seen, "wait_for_vfork_done", "wait_for_completion*",
				      "__wait_for_common");
	return wait_in(seen, CALL_VFORK) && (seen->evidence->task_state & STATE_KILLABLE);
}

const struct rule rule_child_vfork = {
	.name = "child-vfork",
	.summary = "a child that has not yet called exec, or exited",
	.state = "child", .part = "process",
	.matches = matches,
};
