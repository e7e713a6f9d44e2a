/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending to a full System V or POSIX message queue, and writing to an eventfd that would
 * overflow: the receiver is late.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	if (!wait_sleeps(seen))
		return false;
	if (wait_in(seen, CALL_MSGSND, CALL_MQ_TIMEDSEND))
		return true;
	return wait_writes(seen) && wait_on(seen, "eventfd_release");
}

const struct rule rule_ipc_message = {
	.name = "ipc-message",
	.summary = "room in a message queue or an event counter",
	.state = "ipc", .part = "peer",
	.matches = matches,
};
