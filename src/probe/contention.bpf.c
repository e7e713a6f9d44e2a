/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Kernel locks as evidence: between these two events the thread waits for a mutex or semaphore of the kernel. */
#include "probe/kernel.bpf.h"

enum { LOCK_SPINS = 1, LOCK_MUTEX = 32 };

static __always_inline bool is_mmap_lock(struct task_struct *task, const void *lock)
{
	if (!bpf_core_field_exists(task->mm) || !bpf_core_field_exists(((struct mm_struct *)0)->mmap_lock) || !task->mm)
		return false;
	return lock == task->mm + bpf_core_field_offset(struct mm_struct, mmap_lock);
}

SEC("?tp_btf/contention_begin")
int BPF_PROG(contention_begun, void *lock, unsigned int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ledger *ledger;

	if ((flags & LOCK_SPINS) && !(flags & LOCK_MUTEX))
		return 0;                               /* a spin lock never leaves the processor */
	ledger = ledger_of(task, false);
	if (!ledger)
		return 0;
	count(COUNT_CONTENTION);
	ledger->contended = 1;
	ledger->kernel_lock = (__u64)lock;
	ledger->contention = (__u8)flags | (is_mmap_lock(task, lock) ? WIRE_CONTENTION_MMAP : 0);
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
