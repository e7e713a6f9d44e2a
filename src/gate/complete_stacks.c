/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack that was walked by frame pointers, or that a foreign file holds, looks complete whether it is or
 * not, so as long as nobody checked it the gate stays unmeasured.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double complete_stacks_measure(const struct summary *summary, const struct summary *other,
				      char *why, unsigned why_size)
{
	(void)other;
	if (summary->stack_weight <= 0)
		(void)snprintf(why, why_size, "no stack was taken");
	else if (isnan(summary->complete_fraction))
		(void)snprintf(why, why_size,
			       "nobody checked whether stacks reach their roots");
	else
		(void)snprintf(why, why_size, "%.1f %% of the weight of %s has a complete stack",
			       100 * summary->complete_fraction, summary->complete_where);
	return summary->complete_fraction;
}

extern const struct gate gate_complete_stacks;
const struct gate gate_complete_stacks = {
	.name = "complete-stacks",
	.asks = "do stacks reach their root?",
	.unit = "fraction",
	.limit = 0.95,
	.at_least = true,
	.measure = complete_stacks_measure,
	.next = "conclude nothing from callers; the ledger and the leaf functions still stand",
};
