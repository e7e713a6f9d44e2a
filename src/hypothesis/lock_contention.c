/* SPDX-License-Identifier: Apache-2.0 */
/* Coordination, with nothing behind it: if a device is waited for under the lock, storage-bursts is the row. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "lock", 0.25 }, { "p99", 0.1 }, { 0 } };
static const struct prediction must_not_move[] = { { "oncpu", 0.05 }, { "disk", 0.1 }, { 0 } };

extern const struct hypothesis hypothesis_lock_contention;
const struct hypothesis hypothesis_lock_contention = {
	.name = "lock-contention",
	.summary = "threads wait for each other at a lock",
	.mechanism = "A lock is held longer or asked for more often. Lock wait per completion rises and the tail with "
		     "it; running time stays level, and no device answers later.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "the ownership or the section that is said to be longer",
};
