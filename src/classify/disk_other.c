/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In iowait, and no rule before this one knows where: the kernel accounts nothing but storage so,
 * once completions of an io_uring are set apart. Also what waits for I/O in flight without being
 * in iowait. The state without a part: a guess would say more than is known.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_IOWAIT) ||
	       wait_calls_any(seen, "inode_dio_wait*", "__inode_dio_wait",
			      "blk_mq_freeze_queue_wait", "submit_bio_wait");
}

const struct rule rule_disk_other = {
	.name = "disk-other",
	.summary = "storage, by a way that no other rule knows",
	.state = "disk",
	.matches = matches,
};
