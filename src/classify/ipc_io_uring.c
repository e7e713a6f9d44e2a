/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait for completions that others may be working on. It looks like disk (uninterruptible and in
 * iowait on some kernels), so the call's number is asked before the disk rules; a stack, where
 * there is one, must agree, since the same call also submits and can be held up there.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	if (wait_in(seen, CALL_IO_GETEVENTS, CALL_IO_PGETEVENTS))
		return wait_sleeps(seen);
	if (!wait_in(seen, CALL_IO_URING_ENTER))
		return false;
	if (wait_has_stack(seen))
		return wait_calls_any(seen, "io_cqring_wait*");
	return wait_sleeps(seen) || wait_has(seen, EVIDENCE_IOWAIT);
}

const struct rule rule_ipc_io_uring = {
	.name = "ipc-io-uring",
	.summary = "completions of an io_uring or of libaio",
	.state = "ipc", .part = "io-uring",
	.matches = matches,
};
