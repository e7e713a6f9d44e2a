/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardware counters that share registers are scaled up from the part of the time they counted.
 * Without any counter there is nothing to scale: the gate does not apply and says so.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double multiplexing_measure(const struct summary *summary, const struct summary *other,
				   char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->multiplexed_fraction)) {
		(void)snprintf(why, why_size, "does not apply: no hardware counter was used");
		return 0;
	}
	(void)snprintf(why, why_size, "counters were off for %.1f %% of their time",
		       100 * summary->multiplexed_fraction);
	return summary->multiplexed_fraction;
}

extern const struct gate gate_multiplexing;
const struct gate gate_multiplexing = {
	.name = "multiplexing",
	.asks = "did hardware counters count all the time?",
	.unit = "fraction",
	.limit = 0.05,
	.measure = multiplexing_measure,
	.next = "record fewer hardware counters at once",
};
