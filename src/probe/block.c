/* SPDX-License-Identifier: Apache-2.0 */
/* Block I/O: evidence that a wait ended with the thread's own request. */
#include "probe/probe.h"

extern const struct probe probe_block;
const struct probe probe_block = {
	.name = "block", .by_default = true, .summary = "block requests: was it the thread's own that ended the wait?",
	.fills = "disk, paging", .without = "disk waits are not matched to the thread's own requests",
	.programs = { { "block_bio_queued", "block_bio_queue", 91 }, { "block_request_completed", "block_rq_complete", 60 } },
};
