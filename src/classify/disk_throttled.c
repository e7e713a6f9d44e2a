/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer held back because the device cannot keep up: the limit of dirty pages, write-back
 * throttling, a cgroup's I/O control, or no free request in the queue. Before the rules of faults
 * and of reads and writes: those functions lie on the same stacks, but the thread waits for its
 * turn, not for its data.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "balance_dirty_pages*", "wbt_wait", "rq_qos_wait",
			      "blkcg_iolatency_throttle", "ioc_rqos_throttle", "__blk_throtl_bio",
			      "blkcg_maybe_throttle_current", "__blkcg_maybe_throttle_current",
			      "blk_mq_get_tag", "__bio_queue_enter", "blk_queue_enter");
}

const struct rule rule_disk_throttled = {
	.name = "disk-throttled",
	.summary = "held back: too much is dirty or queued",
	.state = "disk", .part = "throttled",
	.matches = matches,
};
