/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the capture itself took, beside what the target took. It is measured in every capture,
 * never assumed.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double own_cost_measure(const struct summary *summary, const struct summary *other,
			       char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->own_cost_fraction))
		(void)snprintf(
			why, why_size,
			"the capture's own cost, or the target's time on CPU, is not in the file");
	else
		(void)snprintf(why, why_size, "the capture took %.3g s of CPU, the target %.3g s",
			       summary->own_cost_ns / 1e9, summary->oncpu_ns / 1e9);
	return summary->own_cost_fraction;
}

extern const struct gate gate_own_cost;
const struct gate gate_own_cost = {
	.name = "own-cost",
	.asks = "did the capture cost little beside the target?",
	.unit = "fraction",
	.limit = 0.02,
	.measure = own_cost_measure,
	.next = "record with a lower rate (-F 49) or fewer dimensions (--without)",
};
