/* SPDX-License-Identifier: Apache-2.0 */
/* To which code the waits belong. Names that are missing, or events that are, would attribute them to the wrong one. */
#include "investigate/investigate.h"

#include <stdio.h>

#define UNRESOLVED_MOST 0.05
#define LOST_MOST 0.01

static bool stop(const struct pass_facts *facts, char *why, size_t why_size)
{
	if (facts->unresolved_fraction > UNRESOLVED_MOST) {
		(void)snprintf(why, why_size, "symbol loss: %.1f %% of the stacks' weight ends in frames without a name, and %.0f %% is the most",
			       100 * facts->unresolved_fraction, 100 * UNRESOLVED_MOST);
		return true;
	}
	if (facts->lost_fraction > LOST_MOST) {
		(void)snprintf(why, why_size, "lost events: %.1f %% of one source, and %.0f %% is the most", 100 * facts->lost_fraction,
			       100 * LOST_MOST);
		return true;
	}
	return false;
}

extern const struct pass pass_attribute;
const struct pass pass_attribute = {
	.name = "attribute", .summary = "to which code do the waits that grew belong?",
	.stops = "more than 5 % of the stacks' weight without a name, or more than 1 % of events lost", .stop = stop,
};
