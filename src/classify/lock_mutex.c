/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mutex of the program, of its allocator or of stdio. Waiting for the value 2 ("locked, and
 * somebody waits") is how these locks sleep; with a timeout another operation is used, which
 * reader-writer locks use too, so there the owner's id beside the word decides. A robust mutex
 * (and every mutex of musl) holds its owner's id in the word itself.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	if (futex_is(seen, FUTEX_DO_WAIT))
		return futex_word_is(seen, FUTEX_WORD_TWO) ||
		       (futex_word_is(seen, FUTEX_WORD_THREAD) &&
			!futex_owner_is(seen, FUTEX_OWNER_OTHER));
	return futex_is(seen, FUTEX_DO_WAIT_BITSET) && futex_owner_is(seen, FUTEX_OWNER_THREAD) &&
	       (futex_word_is(seen, FUTEX_WORD_TWO) || futex_word_is(seen, FUTEX_WORD_THREAD));
}

const struct rule rule_lock_mutex = {
	.name = "lock-mutex",
	.summary = "a mutex in user space that a thread holds",
	.state = "lock", .part = "mutex",
	.matches = matches,
};
