/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a futex wait looks like from the kernel: the operation, the value the call expects, and the
 * word eight bytes on. That is enough to tell glibc's primitives apart without a probe on any of
 * them:
 *
 *	primitive                   operation         word               eight bytes on
 *	mutex (all kinds)           WAIT              2                  the owner's thread id
 *	mutex with a timeout        WAIT_BITSET       2                  the owner's thread id
 *	robust mutex                WAIT              owner's id | flag  the owner's thread id
 *	priority-inheriting mutex   LOCK_PI           owner's id         the owner's thread id
 *	allocator and stdio locks   WAIT              2                  anything
 *	reader-writer lock          WAIT_BITSET rt.   2 or 3             0
 *	condition, semaphore        WAIT_BITSET       0                  anything
 *	join                        WAIT_BITSET       the thread's id    anything
 *	barrier                     WAIT              the round          0
 *
 * Others who use futexes directly agree with parts of it. Go's and musl's locks wait with WAIT for
 * 2, and Go parks its threads with WAIT for 0. What cannot be told: musl's conditions also wait
 * with WAIT for 2. Rust's mutex waits with WAIT_BITSET, not realtime, for 2, as does a condition
 * of Rust or of glibc from 2.41 on that counts two signals: these have no rule.
 */
#include "classify/seen.h"

enum { FUTEX_COMMAND_MASK = 127, FUTEX_OF_PROCESS = 128, FUTEX_REALTIME = 256 };
enum {
	FUTEX_DO_WAIT = 0, FUTEX_DO_LOCK_PI = 6, FUTEX_DO_WAIT_BITSET = 9,
	FUTEX_DO_WAIT_REQUEUE_PI = 11, FUTEX_DO_LOCK_PI2 = 13,
};

static inline bool futex_is(const struct wait_seen *seen, uint32_t command)
{
	return wait_sleeps(seen) && seen->evidence->syscall == CALL_FUTEX &&
	       (seen->evidence->futex_operation & FUTEX_COMMAND_MASK) == command;
}

static inline bool futex_has(const struct wait_seen *seen, uint32_t flags)
{
	return seen->evidence->futex_operation & flags;
}

static inline bool futex_word_is(const struct wait_seen *seen, enum futex_word word)
{
	return seen->evidence->futex_word == word;
}

static inline bool futex_owner_is(const struct wait_seen *seen, enum futex_owner owner)
{
	return seen->evidence->futex_owner == owner;
}
