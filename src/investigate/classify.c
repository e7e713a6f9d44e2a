/* SPDX-License-Identifier: Apache-2.0 */
/* In which state the time was lost. Running time that grew most needs another profile than waits do. */
#include "investigate/investigate.h"

#include <stdio.h>
#include <string.h>

static bool stop(const struct pass_facts *facts, char *why, size_t why_size)
{
	if (facts->expects_cpu)
		return false;
	if (facts->largest && !strcmp(facts->largest, "oncpu")) {
		(void)snprintf(why, why_size, "on-CPU growth: running time grew most, by %.3g ms per completion; crosscut select cpu-cost",
			       facts->largest_growth_ns / 1e6);
		return true;
	}
	if (!facts->largest || !*facts->largest) {
		(void)snprintf(why, why_size, "no state grew per completion: there is nothing to attribute");
		return true;
	}
	return false;
}

extern const struct pass pass_classify;
const struct pass pass_classify = {
	.name = "classify", .summary = "in which state of the threads was the time lost?",
	.stops = "running time grew most, unless the hypothesis says so; or nothing grew", .stop = stop,
};
