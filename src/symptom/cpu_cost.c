/* SPDX-License-Identifier: Apache-2.0 */
/* More work per completion, or no processor left. Running time is what a CPU profile is about, and only this row begins with one. */
#include "symptom/symptom.h"

#include <math.h>
#include <stdio.h>

static double fits(const struct symptom_facts *facts, char *why, size_t why_size)
{
	double active = symptom_active_ns(facts), busy = facts->oncpu / (facts->elapsed_ns * facts->processors);
	double ready = isnan(facts->runnable) ? 0 : facts->runnable;

	if (isnan(facts->oncpu) || active <= 0)
		return NAN;
	(void)snprintf(why, why_size, "%.0f %% of active thread time is running and %.0f %% is ready and waits for a processor; it keeps %.2g of "
		       "the host's processors busy", 100 * facts->oncpu / active, 100 * ready / active, busy * facts->processors);
	return (facts->oncpu + symptom_ready_ns(facts).to_running) / active;
}

extern const struct symptom symptom_cpu_cost;
const struct symptom symptom_cpu_cost = {
	.name = "cpu-cost",
	.summary = "CPU time per completion rose, or the processors are saturated",
	.first = "on-CPU stacks per correct completion, of both builds",
	.first_command = "crosscut record -p PID --work http -d 30s -o after.xcut; crosscut report -q oncpu after.xcut",
	.first_shows = "which functions hold the time that each completion gained",
	.second = "processor time that the samples cannot see, and the delay of ready threads",
	.second_command = "crosscut report --dimension runnable after.xcut",
	.second_shows = "whether demand exceeds the processors (ready threads wait), or each completion merely costs more",
	.refutes = "CPU time per correct completion is equivalent in both builds, or running time is a small part of active time: "
		   "then look at latency",
	.probes = "sampler sched",
	.fits = fits,
};
