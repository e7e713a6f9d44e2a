/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_join(): the futex is the thread's id, which the kernel clears when it exits. A robust
 * mutex holds an id too, but has its owner beside it: lock-mutex is asked first. An older glibc
 * joins without the bitset.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	return futex_word_is(seen, FUTEX_WORD_THREAD) &&
	       (futex_is(seen, FUTEX_DO_WAIT) || futex_is(seen, FUTEX_DO_WAIT_BITSET));
}

const struct rule rule_child_join = {
	.name = "child-join",
	.summary = "a thread of the same process, to be joined",
	.state = "child", .part = "join",
	.matches = matches,
};
