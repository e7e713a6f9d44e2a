/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of another event, or stacks by another walker or to another depth, are another measurement. Another rate is not: each
 * sample weighs its period, or the inverse of its inclusion probability.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double equal_sampling_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	unsigned shared = 0, differ = 0;
	double first = summary->sampling_period, second = other->sampling_period;

	for (unsigned i = 0; i < summary->sampling_count; i++) {
		const struct summary_fact *fact = &summary->sampling[i];
		const struct summary_fact *its = summary_fact_of(other->sampling, other->sampling_count, fact->key);

		shared += its != NULL;
		if (!its || !strcmp(its->value, fact->value))
			continue;
		if (!differ++)
			(void)snprintf(why, why_size, "%s is by '%s' in one and by '%s' in the other", fact->key, fact->value, its->value);
	}
	if (!differ && first > 0 && second > 0 && fabs(first - second) > 1e-9 * first)
		(void)snprintf(why, why_size, "%u facts agree; one sample stands for %.4g in one and for %.4g in the other: corrected",
			       shared, first, second);
	else if (!differ)
		(void)snprintf(why, why_size, "%u facts agree", shared);
	return differ;
}

extern const struct gate gate_equal_sampling;
const struct gate gate_equal_sampling = {
	.name = "equal-sampling",
	.asks = "were both sampled by the same events, walkers and depths?",
	.unit = "differences",
	.limit = 0,
	.between = true,
	.measure = equal_sampling_measure,
	.next = "record both sides with the same options",
};
