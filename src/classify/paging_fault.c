/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault in iowait of which no stack was taken: storage it is, but a file or swap cannot be said,
 * so it gets the state without a part.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_FAULT) && wait_has(seen, EVIDENCE_IOWAIT) &&
	       !wait_has_stack(seen);
}

const struct rule rule_paging_fault = {
	.name = "paging-fault",
	.summary = "a page fault that waits for storage, which is not known",
	.state = "paging",
	.matches = matches,
};
