/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_barrier_wait() waits for the number of its round to change, never with a timeout, and is
 * woken by the thread that comes last; so both sides are asked. A peer that has not arrived is
 * work outstanding, so this is not idle. pthread_once() and hand-offs built on a plain futex look
 * and are the same.
 */
#include "classify/futex.h"

/* Unseen is no contradiction: the wait outlived the window, or began before it. */
static bool woken_by_peer(const struct wait_seen *seen)
{
	const struct wait_evidence *evidence = seen->evidence;

	if (evidence->wake_context == WAKE_TASK)
		return !futex_has(seen, FUTEX_OF_PROCESS) ||
		       wait_has(seen, EVIDENCE_SAME_PROCESS_WOKE);
	return evidence->wake_context == WAKE_UNSEEN;
}

static bool matches(const struct wait_seen *seen)
{
	if (!futex_is(seen, FUTEX_DO_WAIT) || wait_has(seen, EVIDENCE_TIMEOUT) ||
	    !futex_owner_is(seen, FUTEX_OWNER_NONE))
		return false;
	if (futex_word_is(seen, FUTEX_WORD_UNREAD) || futex_word_is(seen, FUTEX_WORD_TWO) ||
	    futex_word_is(seen, FUTEX_WORD_THREAD))
		return false;
	return woken_by_peer(seen);
}

const struct rule rule_ipc_barrier = {
	.name = "ipc-barrier",
	.summary = "threads of a barrier that have not arrived",
	.state = "ipc", .part = "peer",
	.matches = matches,
};
