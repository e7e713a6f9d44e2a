/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels and contract say what a capture covers. A fact that only one of them states is none that differs; builds, arms, pairs
 * and hosts may differ, since that is what is compared. A larger share of incorrect outcomes is another population too.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double outcome_most = 0.02;

static double incorrect_share(const struct summary *summary)
{
	double all = summary->correct + summary->incorrect;

	return all > 0 ? summary->incorrect / all : 0;
}

static double equal_population_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	double first = incorrect_share(summary), second = incorrect_share(other);
	unsigned shared = 0, differ = 0;

	for (unsigned i = 0; i < summary->population_count; i++) {
		const struct summary_fact *fact = &summary->population[i];
		const struct summary_fact *its = summary_fact_of(other->population, other->population_count, fact->key);

		shared += its != NULL;
		if (!its || !strcmp(its->value, fact->value))
			continue;
		if (!differ++)
			(void)snprintf(why, why_size, "%s is '%s' in one and '%s' in the other", fact->key, fact->value, its->value);
	}
	if (fabs(first - second) > outcome_most && !differ++)
		(void)snprintf(why, why_size, "%.1f %% of all outcomes are not correct in one, %.1f %% in the other", 100 * first,
			       100 * second);
	if (!differ)
		(void)snprintf(why, why_size, "%u facts agree; not correct: %.2f %% and %.2f %%", shared, 100 * first, 100 * second);
	return differ;
}

extern const struct gate gate_equal_population;
const struct gate gate_equal_population = {
	.name = "equal-population",
	.asks = "do both captures cover like populations?",
	.unit = "differences",
	.limit = 0,
	.between = true,
	.measure = equal_population_measure,
	.next = "record the same workload, endpoint and tenants on both sides",
};
