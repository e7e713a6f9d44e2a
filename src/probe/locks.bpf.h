/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * Waits for locks, cut at every release. Called by sched.bpf.c, which alone moves states: at the switch-out of a thread that
 * waits for a lock, and at its wake-up, in the context of whoever makes it runnable.
 */
#include "probe/kernel.bpf.h"

extern const volatile bool locks_watched;               /* set before load */

/* A wait whose stack is taken begins: whoever lets go of its lock meanwhile leaves a stack as well. */
HIDDEN void lock_wanted(struct task_ledger *ledger);
HIDDEN bool lock_is_wanted(const struct task_ledger *ledger);
/* It is over, and its evidence complete. current let go of the lock, or something else ended the wait. */
VERIFIED_ONCE int lock_left(struct task_ledger *ledger, __u64 now);

/* What a thread takes up now. */
static __always_inline void lock_note_move(struct task_ledger *ledger, __u64 now, __u32 doing)
{
	if (locks_watched)
		ledger->moves[ledger->move_count++ & (MOVES - 1)] = now << MOVE_SHIFT | doing;
}
/* What its wait is, by the first look: the rules of classify/ say it finally. */
HIDDEN __u32 lock_doing_of_wait(const struct task_ledger *ledger);
