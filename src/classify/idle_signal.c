/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that waits for a signal: pause(), sigsuspend(), sigwait(), a signalfd, or poll() of
 * nothing without a timeout. A timeout changes nothing about what is waited for.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	if (!wait_sleeps(seen))
		return false;
	if (wait_in(seen, CALL_PAUSE, CALL_SIGSUSPEND, CALL_SIGTIMEDWAIT))
		return true;
	if (wait_polls(seen) && wait_has(seen, EVIDENCE_NO_DESCRIPTORS))
		return !wait_has(seen, EVIDENCE_TIMEOUT);
	return wait_reads(seen) && wait_on(seen, "signalfd_release");
}

const struct rule rule_idle_signal = {
	.name = "idle-signal",
	.summary = "a signal",
	.state = "idle", .part = "signal",
	.matches = matches,
};
