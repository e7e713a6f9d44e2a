/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault in a mapped file whose page was not in memory, also when the kernel runs into it inside
 * a system call, as in a write() from a mapped buffer. Reading what the fault needs (an extent,
 * another thread's read of the same page) belongs to it. The notice that a clean page becomes
 * dirty (page_mkwrite) does not: it waits for a journal or for write-back.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	if (!wait_in_fault(seen) || wait_calls(seen, "do_page_mkwrite"))
		return false;
	return wait_has(seen, EVIDENCE_IOWAIT) ||
	       wait_calls_any(seen, "filemap_fault", "__do_fault", "do_read_fault", "do_cow_fault",
			      "filemap_map_pages");
}

const struct rule rule_paging_major_fault = {
	.name = "paging-major-fault",
	.summary = "a page read from a file",
	.state = "paging", .part = "major-fault",
	.matches = matches,
};
