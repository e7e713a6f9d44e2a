/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How locks lie in a profile. A wait for a lock is cut at each release of it; every part is a segment, of the thread that
 * made that release: its holder. All are cells with the role DETAIL; the thread is the waiter, other the holder, object
 * the lock:
 *
 *	LOCK_SEGMENTS   exact: all segments; they sum to the waits. Sampled: those of waits whose stack was taken, with the
 *	                waiter's stack and the one on which the holder let go
 *	LOCK_HAND_OFFS  exact: the last segment of each wait, which ended with the lock. Those of one lock do not overlap
 *	LOCK_HOLDERS    exact: what the holder did during those, as a dimension
 */
#define LOCK_SEGMENTS "lock-segments"
#define LOCK_HAND_OFFS "lock-hand-offs"
#define LOCK_HOLDERS "lock-holders"

/* struct link.kind of the parts of a wait for a lock. */
#define LOCK_LINK "lock"
/* object.kind of locks in user space; others are the kernel's. */
#define LOCK_IN_PROGRAM "futex"
