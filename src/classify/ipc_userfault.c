/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault in memory registered with userfaultfd: the thread or process that serves it is waited
 * for (live migration, garbage collectors, snapshots restored lazily). It is a peer's work, not
 * storage.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_calls(seen, "handle_userfault");
}

const struct rule rule_ipc_userfault = {
	.name = "ipc-userfault",
	.summary = "a page that another thread has to provide",
	.state = "ipc", .part = "peer",
	.matches = matches,
};
