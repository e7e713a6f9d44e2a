/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * Why a thread that could run did not, and who ran instead. What is noted at a switch is two fields; only a delay that is
 * long enough to matter pays for a look into a map, by its own thread, when it is over.
 */
#include "probe/kernel.bpf.h"

extern const volatile bool runnable_watched;            /* set before load */

enum { CALL_OF_YIELD = 24 };

/* It leaves, and could have gone on. Preempt is set where the kernel took it away in its own code; on the way back to the
 * user it calls the scheduler as a thread that yields does: there the call tells. */
static __always_inline void runnable_left(struct task_ledger *ledger, struct task_struct *task, struct task_struct *next, bool preempt)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	ledger->ready_by = next->pid;
	bpf_probe_read_kernel(ledger->ready_comm, sizeof(ledger->ready_comm), next->comm);
	if (ledger->throttled)
		ledger->ready_why = WIRE_READY_THROTTLED;
	else
		ledger->ready_why = !preempt && regs->orig_ax == CALL_OF_YIELD ? WIRE_READY_YIELDED : WIRE_READY_PREEMPTED;
}

/* It was woken so long ago, and now takes the processor over from another. */
static __always_inline void runnable_queued(struct task_ledger *ledger, struct task_struct *prev, __u64 ns)
{
	if (ns < WIRE_READY_TOLD_NS)
		return;
	bpf_probe_read_kernel(ledger->ready_comm, sizeof(ledger->ready_comm), prev->comm);
	ledger->ready_by = prev->pid;
	ledger->ready_why = prev->pid ? WIRE_READY_QUEUED : WIRE_READY_IDLE;
}

/* Such a delay of this length is over. */
VERIFIED_ONCE int runnable_add(struct task_ledger *ledger, __u64 ns);
