/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait that the window cut shows one side only. It keeps its class where that side suffices;
 * where it does not, the time is unknown for that reason and a longer capture would name it.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double cut_intervals_measure(const struct summary *summary, const struct summary *other,
				    char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->cut_fraction))
		(void)snprintf(why, why_size, "the file holds no ledger of states");
	else
		(void)snprintf(why, why_size,
			       "%.1f %% of the time lies in intervals cut by the window; %.2f %% "
			       "has no class for it",
			       100 * summary->cut_all_fraction, 100 * summary->cut_fraction);
	return summary->cut_fraction;
}

extern const struct gate gate_cut_intervals;
const struct gate gate_cut_intervals = {
	.name = "cut-intervals",
	.asks = "does the window hide what its first and last waits were?",
	.unit = "fraction",
	.limit = 0.02,
	.measure = cut_intervals_measure,
	.next = "record longer than the longest waits",
};
