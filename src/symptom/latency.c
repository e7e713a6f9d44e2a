/* SPDX-License-Identifier: Apache-2.0 */
/* Slow without working more: the time lies where nothing runs. Proposed where no single kind of wait explains it alone. */
#include "symptom/symptom.h"

#include <math.h>
#include <stdio.h>

static double known(double ns)
{
	return isnan(ns) ? 0 : ns;
}

static double fits(const struct symptom_facts *facts, char *why, size_t why_size)
{
	const double kinds[] = { known(facts->runnable) + known(facts->lock), known(facts->paging),
				 known(facts->disk) + known(facts->network) + known(facts->child) };
	double active = symptom_active_ns(facts), waiting = active - known(facts->oncpu), largest = 0;

	if (isnan(facts->oncpu) || active <= 0)
		return NAN;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		largest = fmax(largest, kinds[i]);
	(void)snprintf(why, why_size, "%.0f %% of active thread time is not running, and the largest kind of wait is %.0f %%",
		       100 * waiting / active, 100 * largest / active);
	/* Of mixed waits it is all, of one kind only the rest: then the row of that kind says more. */
	return largest > 0.6 * waiting ? (waiting - largest) / active : waiting / active;
}

extern const struct symptom symptom_latency;
const struct symptom symptom_latency = {
	.name = "latency",
	.summary = "latency rose while CPU time per completion did not",
	.first = "the ledger of thread states per correct completion, of both builds",
	.first_command = "crosscut record -p PID --work http -d 30s -o after.xcut; crosscut report after.xcut",
	.first_shows = "in which state a completion spends the time it gained: ready, lock, disk, network, paging",
	.second = "the stacks of that state alone",
	.second_command = "crosscut report --dimension wall after.xcut",
	.second_shows = "where threads entered the wait that grew, and who ended it",
	.refutes = "no state grew per correct completion while elapsed time did: the time is lost before the process (a queue, a "
		   "balancer) or the unit of work changed",
	.probes = "sched",
	.fits = fits,
};
