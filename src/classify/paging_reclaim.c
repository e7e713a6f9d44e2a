/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait inside direct reclaim, of the host or of a memory cgroup, or held back by a cgroup's high
 * limit. Whatever it waits for there (a disk, a lock, a queue) it waits for because memory was
 * short, so this stands before disk and lock. A kernel thread that reclaims as its job (kswapd)
 * counts as well while it waits in it.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_RECLAIM) ||
	       wait_calls_any(seen, "__alloc_pages_slowpath", "try_to_free_pages",
			      "do_try_to_free_pages", "try_to_free_mem_cgroup_pages", "shrink_node",
			      "reclaim_throttle", "throttle_direct_reclaim",
			      "mem_cgroup_handle_over_high", "__mem_cgroup_handle_over_high",
			      "mem_cgroup_oom_synchronize");
}

const struct rule rule_paging_reclaim = {
	.name = "paging-reclaim",
	.summary = "memory being freed for an allocation",
	.state = "paging", .part = "reclaim",
	.matches = matches,
};
