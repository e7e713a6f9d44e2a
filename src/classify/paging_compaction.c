/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait inside direct compaction, or for a page that is just being moved. The tracepoints' flag
 * is enough; the stack serves where the wait was found by the iterator. It stands before reclaim
 * because an allocation may do both, and the inner one is what it waits for.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_COMPACTION) ||
	       wait_calls_any(seen, "try_to_compact_pages", "compact_zone*",
			      "migration_entry_wait*");
}

const struct rule rule_paging_compaction = {
	.name = "paging-compaction",
	.summary = "memory being moved together for a large page",
	.state = "paging", .part = "compaction",
	.matches = matches,
};
