/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receiving from a System V or POSIX message queue, and waiting on a System V semaphore. Such a
 * semaphore can serve as a lock, but nothing in the call says so.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) &&
	       wait_in(seen, CALL_MSGRCV, CALL_MQ_TIMEDRECEIVE, CALL_SEMOP, CALL_SEMTIMEDOP);
}

const struct rule rule_idle_message = {
	.name = "idle-message",
	.summary = "a message from a queue, or a System V semaphore",
	.state = "idle", .part = "queue", .ambiguous = true,
	.matches = matches,
};
