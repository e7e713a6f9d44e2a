/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions and semaphores: a worker that waits for work, or a thread that waits for an answer.
 * Which of the two depends on what is outstanding, so it is idle, ambiguous. What remains of the
 * futex operations after the rules of locks, joins and barriers; values that a lock and a
 * condition share (futex.h) are left to none.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	enum futex_word word = seen->evidence->futex_word;

	if (futex_is(seen, FUTEX_DO_WAIT_REQUEUE_PI))
		return true;
	if (!futex_is(seen, FUTEX_DO_WAIT) && !futex_is(seen, FUTEX_DO_WAIT_BITSET))
		return false;
	return word == FUTEX_WORD_ZERO || word == FUTEX_WORD_ONE || word == FUTEX_WORD_THREE ||
	       word == FUTEX_WORD_OTHER;
}

const struct rule rule_idle_queue = {
	.name = "idle-queue",
	.summary = "a condition or semaphore with nothing to do",
	.state = "idle", .part = "queue", .ambiguous = true,
	.matches = matches,
};
