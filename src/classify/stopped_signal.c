/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread stopped by SIGSTOP, by terminal job control, or along with its process. The state bit
 * is the proof; the system call in the registers is only the one it was taken out of.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return seen->evidence->task_state & STATE_STOPPED;
}

const struct rule rule_stopped_signal = {
	.name = "stopped-signal",
	.summary = "stopped by a signal",
	.state = "stopped", .part = "signal",
	.matches = matches,
};
