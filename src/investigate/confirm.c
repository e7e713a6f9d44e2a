/* SPDX-License-Identifier: Apache-2.0 */
/* The population first: if what users lost is not in these threads, no profile of them will find it. */
#include "investigate/investigate.h"

#include <math.h>
#include <stdio.h>

#define GROWTH_LEAST 0.1                     /* of elapsed time, to speak of a loss */
#define INSIDE_LEAST 0.2                     /* of that growth that the threads' own time must show */

static bool stop(const struct pass_facts *facts, char *why, size_t why_size)
{
	double lost = facts->elapsed_ns[1] - facts->elapsed_ns[0], inside = facts->active_ns[1] - facts->active_ns[0];

	for (int i = 0; i < 2; i++)
		if (!(facts->correct[i] > 0)) {
			(void)snprintf(why, why_size, "the %s arm completed nothing correctly", i ? "candidate" : "baseline");
			return true;
		}
	if (lost > GROWTH_LEAST * facts->elapsed_ns[0] && inside < INSIDE_LEAST * lost) {
		(void)snprintf(why, why_size, "queueing before the process: elapsed time grew by %.3g ms, the threads' own time by %.3g ms "
					      "per completion", lost / 1e6, inside / 1e6);
		return true;
	}
	return false;
}

extern const struct pass pass_confirm;
const struct pass pass_confirm = {
	.name = "confirm", .summary = "is what users lost in these threads at all?",
	.stops = "no correct completions, or elapsed time grew and the threads' own time did not: queueing before the process",
	.stop = stop,
};
