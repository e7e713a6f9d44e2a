/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as a cause: reclaim and faults are waits of their own, a collector's work is running time under its own names. */
#include "symptom/symptom.h"

#include <math.h>
#include <stdio.h>

static double fits(const struct symptom_facts *facts, char *why, size_t why_size)
{
	double active = symptom_active_ns(facts);

	if (isnan(facts->paging) || active <= 0)
		return NAN;
	(void)snprintf(why, why_size, "%.0f %% of active thread time waits for memory", 100 * facts->paging / active);
	return facts->paging / active;
}

extern const struct symptom symptom_memory;
const struct symptom symptom_memory = {
	.name = "memory",
	.summary = "memory or collector work grew, or the host is short of memory",
	.first = "waits for memory, and running time below allocators and collectors",
	.first_command = "crosscut record -p PID --work http -d 30s --with reclaim -o after.xcut; "
			 "crosscut report --dimension paging after.xcut",
	.first_shows = "major faults, swap, reclaim and compaction per completion, with the stacks that ran into them",
	.second = "running time of the allocator and the collector by name",
	.second_command = "crosscut report -q oncpu --focus 'alloc|free|gc|collect' after.xcut",
	.second_shows = "whether creating objects (churn) or keeping them (a full heap) is what costs",
	.refutes = "faults, reclaim and the collector's running time per completion are equivalent, and resident memory is level: "
		   "creation is not retention, and neither is the cause",
	.probes = "sched reclaim sampler",
	.fits = fits,
};
