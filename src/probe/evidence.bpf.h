/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* What both sides of a wait leave behind: read at the switch-out, and again at the wake-up. */
#include "probe/kernel.bpf.h"

/* The sleeping side, from the task that is about to leave its processor: current, so its registers, descriptors and
 * stacks can be read. Decides as well whether the wait's user stack is taken: before the wait's length is known, so the
 * choice cannot favour long ones. */
HIDDEN void evidence_gather(void *ctx, struct task_struct *task, struct task_ledger *ledger, unsigned int state);
/* The same for a task that sleeps already, for the iterator at the start: no user stack. */
HIDDEN void evidence_of_sleeper(struct task_struct *task, struct task_ledger *ledger, unsigned int state);
/* The waking side: current is the waker, or was interrupted by it. */
HIDDEN void evidence_of_wake(void *ctx, struct task_struct *task, struct task_ledger *ledger);

static __always_inline void wait_site_learn(struct wait_site *site, __u64 wait_ns)
{
	__u64 expected = ((__u64)site->expected_ns * 3 + wait_ns) >> 2;

	site->expected_ns = expected > 0xffffffffu ? 0xffffffffu : expected;
}
