/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pressure: evidence that a wait was for memory to be freed or moved. */
#include "probe/probe.h"

extern const struct probe probe_reclaim;
const struct probe probe_reclaim = {
	.name = "reclaim", .by_default = true, .summary = "threads that free or move memory before they get their own",
	.fills = "paging/reclaim, paging/compaction", .without = "reclaim and compaction are told by the kernel stack alone",
	.programs = {
		{ "reclaim_direct_begun", "mm_vmscan_direct_reclaim_begin", 40 }, { "reclaim_direct_ended", "mm_vmscan_direct_reclaim_end", 40 },
		{ "reclaim_cgroup_begun", "mm_vmscan_memcg_reclaim_begin", 40 }, { "reclaim_cgroup_ended", "mm_vmscan_memcg_reclaim_end", 40 },
		{ "compaction_begun", "mm_compaction_begin", 40 }, { "compaction_ended", "mm_compaction_end", 40 },
	},
};
