/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Memory pressure as evidence: the thread frees or moves pages before it gets its own. */
#include "probe/kernel.bpf.h"

static __always_inline int mark(bool compaction, bool inside)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	if (!ledger)
		return 0;
	if (inside)
		count(COUNT_RECLAIM);
	if (compaction)
		ledger->compaction = inside;
	else
		ledger->reclaim = inside;
	return 0;
}

#define MARKS(tracepoint, name, compaction, inside)      \
	SEC("?tp_btf/" tracepoint)                       \
	int BPF_PROG(name)                               \
	{                                                \
		return mark(compaction, inside);         \
	}

MARKS("mm_vmscan_direct_reclaim_begin", reclaim_direct_begun, false, true)
MARKS("mm_vmscan_direct_reclaim_end", reclaim_direct_ended, false, false)
MARKS("mm_vmscan_memcg_reclaim_begin", reclaim_cgroup_begun, false, true)
MARKS("mm_vmscan_memcg_reclaim_end", reclaim_cgroup_ended, false, false)
MARKS("mm_compaction_begin", compaction_begun, true, true)
MARKS("mm_compaction_end", compaction_ended, true, false)
