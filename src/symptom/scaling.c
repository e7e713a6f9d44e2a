/* SPDX-License-Identifier: Apache-2.0 */
/* More workers, the same throughput: they queue for each other. A lock in front of them all shows as lock and ready time. */
#include "symptom/symptom.h"

#include <math.h>
#include <stdio.h>

static double fits(const struct symptom_facts *facts, char *why, size_t why_size)
{
	double active = symptom_active_ns(facts), ready = isnan(facts->runnable) ? 0 : facts->runnable;

	if (isnan(facts->lock) || active <= 0)
		return NAN;
	(void)snprintf(why, why_size, "%.0f %% of active thread time waits for locks, %.0f %% is ready and waits for a processor",
		       100 * facts->lock / active, 100 * ready / active);
	return (facts->lock + symptom_ready_ns(facts).to_locks) / active;
}

extern const struct symptom symptom_scaling;
const struct symptom symptom_scaling = {
	.name = "scaling",
	.summary = "throughput stays flat as workers are added",
	.first = "lock waits per completion at several numbers of workers",
	.first_command = "crosscut investigate --scale workers=1,2,4,8 RUNBOOK",
	.first_shows = "which wait per completion grows with the workers, and whether a few threads bear most of it",
	.second = "who holds what the others wait for",
	.second_command = "crosscut report --dimension lock after.xcut",
	.second_shows = "the stacks that wait for the lock and those that made them go on",
	.refutes = "lock and ready time per completion do not grow with the workers: the limit is a device, a peer, or the load itself",
	.probes = "sched contention",
	.fits = fits,
};
