/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page that had been swapped out, be it in a fault, be it while the kernel touches user memory
 * or a file in shared memory. Before major faults, since most swap-ins are faults too.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "do_swap_page", "swapin_readahead", "swap_cluster_readahead",
			      "swap_vma_readahead", "swapin_folio", "read_swap_cache_async",
			      "swap_read_folio", "swap_readpage", "shmem_swapin*");
}

const struct rule rule_paging_swap = {
	.name = "paging-swap",
	.summary = "a page read from swap",
	.state = "paging", .part = "swap",
	.matches = matches,
};
