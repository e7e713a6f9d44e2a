/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for pages. A collector's own work is running time: cpu-cost. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "paging", 0.25 }, { "mean", 0.05 }, { 0 } };
static const struct prediction must_not_move[] = { { 0 } };

extern const struct hypothesis hypothesis_memory_pressure;
const struct hypothesis hypothesis_memory_pressure = {
	.name = "memory-pressure",
	.summary = "threads wait for memory: faults, swap, reclaim",
	.mechanism = "The working set outgrew memory. Waits for pages per completion rise, and elapsed time with them.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "what made the working set larger",
};
