/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Kernel locks as evidence: between these two events the thread waits for a mutex or semaphore of the kernel. */
#include "probe/kernel.bpf.h"

enum { LOCK_SPINS = 1, LOCK_MUTEX = 32 };

SEC("?tp_btf/contention_begin")
int BPF_PROG(contention_begun, void *lock, unsigned int flags)
{
	struct task_ledger *ledger;

	if ((flags & LOCK_SPINS) && !(flags & LOCK_MUTEX))
		return 0;                               /* a spin lock never leaves the processor */
	ledger = ledger_of(bpf_get_current_task_btf(), false);
	if (!ledger)
		return 0;
	count(COUNT_CONTENTION);
	ledger->contended = 1;
	ledger->contention = (__u8)flags;
	return 0;
}

SEC("?tp_btf/contention_end")
int BPF_PROG(contention_ended, void *lock, int result)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	if (ledger)
		ledger->contended = ledger->contention = 0;
	return 0;
}
