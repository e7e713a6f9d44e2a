/* SPDX-License-Identifier: Apache-2.0 */
/* More instructions per completion: what a CPU profile is good at. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "oncpu", 0.05 }, { "mean", 0.02 }, { 0 } };
static const struct prediction must_not_move[] = { { "disk", 0.1 }, { 0 } };

extern const struct hypothesis hypothesis_cpu_cost;
const struct hypothesis hypothesis_cpu_cost = {
	.name = "cpu-cost",
	.summary = "each completion costs more processor time",
	.mechanism = "A change makes each completion execute more instructions. Running time per completion rises, and "
		     "elapsed time with it; nothing waits more than before.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "the code that is said to cost more",
};
