/* SPDX-License-Identifier: Apache-2.0 */
/* Ready time that grows while each completion runs no longer than before. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "runnable", 0.25 }, { "p99", 0.1 }, { 0 } };
static const struct prediction must_not_move[] = { { "oncpu", 0.05 }, { 0 } };

extern const struct hypothesis hypothesis_cpu_shortage;
const struct hypothesis hypothesis_cpu_shortage = {
	.name = "cpu-shortage",
	.summary = "threads are ready and wait for a processor",
	.mechanism = "Demand comes in bursts or exceeds the processors. Ready time per completion rises and the tail "
		     "with it, while running time per completion stays level.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "what makes threads ready together, or the number of processors",
};
