/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait until pages reach the device: the write-back that a direct read or write must let finish
 * first, or a page that must not change while it is being written. Before reads, on whose stacks
 * it can lie.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "folio_wait_writeback*", "wait_on_page_writeback",
			      "folio_wait_stable", "wait_for_stable_page",
			      "__filemap_fdatawait_range", "filemap_fdatawait*",
			      "inode_wait_for_writeback", "__inode_wait_for_writeback");
}

const struct rule rule_disk_writeback = {
	.name = "disk-writeback",
	.summary = "write-back of pages, one's own or another's",
	.state = "disk", .part = "write",
	.matches = matches,
};
