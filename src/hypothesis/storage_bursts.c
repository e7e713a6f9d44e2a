/* SPDX-License-Identifier: Apache-2.0 */
/* One cause in front of three waits: only the change that takes it away moves all of them back together. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "disk", 0.5 }, { "runnable", 0.25 }, { "lock", 0.25 }, { "p99", 0.25 }, { 0 } };
static const struct prediction must_not_move[] = { { "oncpu", 0.05 }, { 0 } };

extern const struct hypothesis hypothesis_storage_bursts;
const struct hypothesis hypothesis_storage_bursts = {
	.name = "storage-bursts",
	.summary = "each completion waits for more storage; the rest queues behind it",
	.mechanism = "Each completion waits for more input. Completions then arrive in bursts, so that threads wake "
		     "together, queue for processors, and hand locks over: disk wait, ready time, lock wait and the "
		     "tail rise and fall together.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "the store access",
};
