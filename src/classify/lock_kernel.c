/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock of the kernel: an inode's, an address space's (a page fault beside an mmap shows here), a
 * socket's, a mutex of some driver. The flag is set between contention_begin and contention_end,
 * where nothing but the lock can be waited for. Locks without these tracepoints are told by their
 * functions. Before faults and disk: both take locks.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_CONTENDED) ||
	       wait_calls_any(seen, "rwsem_down_read_slowpath", "rwsem_down_write_slowpath",
			      "__mutex_lock", "__mutex_lock_slowpath", "__ww_mutex_lock",
			      "percpu_rwsem_wait", "percpu_down_write", "__percpu_down_read",
			      "rt_mutex_slowlock*", "__rt_mutex_slowlock*", "rtlock_slowlock*",
			      "__down", "__down_common", "__down_killable", "__down_interruptible",
			      "__down_timeout", "__lock_sock", "__vma_start_write",
			      "vma_mark_detached");
}

const struct rule rule_lock_kernel = {
	.name = "lock-kernel",
	.summary = "a mutex or semaphore inside the kernel",
	.state = "lock", .part = "kernel",
	.matches = matches,
};
