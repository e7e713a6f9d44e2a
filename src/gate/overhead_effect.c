/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the capture did to the target's own throughput and latency, where that was measured (record --measure-overhead), beside the
 * change that is suspected. The upper end of the interval counts: an effect that cannot be told from the suspected one makes
 * the capture inconclusive.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double overhead_effect_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->overhead_worst) || !(summary->overhead_suspected > 0)) {
		(void)snprintf(why, why_size, "it was not asked for: record --measure-overhead");
		return 0;
	}
	(void)snprintf(why, why_size, "throughput or latency may be worse by %.2f %% with the capture than without; the suspected change is %.2f %%",
		       100 * summary->overhead_worst, 100 * summary->overhead_suspected);
	return summary->overhead_worst / summary->overhead_suspected;
}

extern const struct gate gate_overhead_effect;
const struct gate gate_overhead_effect = {
	.name = "overhead-effect",
	.asks = "is the effect on the target smaller than the suspected change?",
	.unit = "ratio",
	.limit = 1,
	.measure = overhead_effect_measure,
	.next = "inconclusive: capture less (--frequency, --without), or measure over more pairs (--overhead-pairs)",
};
