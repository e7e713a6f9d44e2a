/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value says that it is a mutex with a timeout or a reader-writer lock, but the word that
 * would tell which was not readable when the wait began: the state without a part.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	return futex_is(seen, FUTEX_DO_WAIT_BITSET) && futex_has(seen, FUTEX_REALTIME) &&
	       futex_owner_is(seen, FUTEX_OWNER_UNREAD) &&
	       (futex_word_is(seen, FUTEX_WORD_TWO) || futex_word_is(seen, FUTEX_WORD_THREE));
}

const struct rule rule_lock_unread = {
	.name = "lock-unread",
	.summary = "a lock in user space whose owner could not be read",
	.state = "lock",
	.matches = matches,
};
