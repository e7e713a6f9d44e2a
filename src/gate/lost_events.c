/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worst source decides, because a sum over sources would hide one that lost everything behind
 * one that is busy. The slice with most losses is named: "nothing happened then" is not evidence
 * while a buffer overflowed.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double lost_events_measure(const struct summary *summary, const struct summary *other,
				  char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->lost_fraction)) {
		(void)snprintf(why, why_size, "the file does not count events seen and lost");
		return NAN;
	}
	if (summary->events_lost <= 0)
		(void)snprintf(why, why_size, "%.0f events seen, none lost", summary->events_seen);
	else
		(void)snprintf(why, why_size,
			       "%.0f of %.0f events lost; '%s' lost the largest share, most of it "
			       "at %.0f s",
			       summary->events_lost, summary->events_seen + summary->events_lost,
			       summary->lost_source, summary->lost_slice_s);
	return summary->lost_fraction;
}

extern const struct gate gate_lost_events;
const struct gate gate_lost_events = {
	.name = "lost-events",
	.asks = "were events lost, and when?",
	.unit = "fraction",
	.limit = 0.01,
	.measure = lost_events_measure,
	.next = "record fewer dimensions (--without) or a smaller population",
};
