/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's time: a device, a network, a service behind it. The caller's stack proves where it waited, not why. */
#include "symptom/symptom.h"

#include <math.h>
#include <stdio.h>

static double fits(const struct symptom_facts *facts, char *why, size_t why_size)
{
	double active = symptom_active_ns(facts);

	if (isnan(facts->disk) || isnan(facts->network) || active <= 0)
		return NAN;
	(void)snprintf(why, why_size, "%.0f %% of active thread time waits for storage, %.0f %% for the network",
		       100 * facts->disk / active, 100 * facts->network / active);
	return (facts->disk + facts->network) / active;
}

extern const struct symptom symptom_remote;
const struct symptom symptom_remote = {
	.name = "remote",
	.summary = "threads wait on storage, the network or a remote dependency",
	.first = "waits by device and by peer, with the stacks that entered them",
	.first_command = "crosscut record -p PID --work http -d 30s -o after.xcut; crosscut report -q waits after.xcut",
	.first_shows = "how many waits a completion has and how long each is: more waits is the caller, longer ones the other end",
	.second = "every interval by itself, to set beside the other end's own times",
	.second_command = "crosscut record -p PID --work http -d 5s --timeline -o short.xcut; crosscut report -q waits short.xcut",
	.second_shows = "whether waits come in bursts, and what a thread does between the answer and its next step",
	.refutes = "the number and the length of these waits per completion are equivalent, or the other end's own times are "
		   "as long as before: then the wait is after the answer (ready, lock)",
	.probes = "sched block",
	.fits = fits,
};
