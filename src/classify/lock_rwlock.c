/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc's reader-writer lock waits for 2 or 3 against the real-time clock, timed or not, with
 * nothing in the word eight bytes on; a mutex with a timeout would have its owner there. Who holds
 * it cannot be read there.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	return futex_is(seen, FUTEX_DO_WAIT_BITSET) && futex_has(seen, FUTEX_REALTIME) &&
	       futex_owner_is(seen, FUTEX_OWNER_NONE) &&
	       (futex_word_is(seen, FUTEX_WORD_TWO) || futex_word_is(seen, FUTEX_WORD_THREE));
}

const struct rule rule_lock_rwlock = {
	.name = "lock-rwlock",
	.summary = "a reader-writer lock in user space",
	.state = "lock", .part = "rwlock",
	.matches = matches,
};
