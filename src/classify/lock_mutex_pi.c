/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_mutex_lock() on a mutex with the protocol PTHREAD_PRIO_INHERIT. The kernel implements it
 * by a lock of its own, which may report contention: so it stands before the kernel's own locks,
 * being the program's lock all the same.
 */
#include "classify/futex.h"

static bool matches(const struct wait_seen *seen)
{
	return futex_is(seen, FUTEX_DO_LOCK_PI) || futex_is(seen, FUTEX_DO_LOCK_PI2);
}

const struct rule rule_lock_mutex_pi = {
	.name = "lock-mutex-pi",
	.summary = "a priority-inheriting mutex that a thread holds",
	.state = "lock", .part = "mutex",
	.matches = matches,
};
