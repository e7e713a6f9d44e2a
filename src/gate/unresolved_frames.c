/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame without a name is a failed measurement, not a function.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double unresolved_frames_measure(const struct summary *summary, const struct summary *other,
					char *why, unsigned why_size)
{
	char lost[128] = "";

	(void)other;
	if (summary->generated_lost)
		(void)snprintf(lost, sizeof(lost), "; maps of generated code that were refused or read in part: %u (crosscut report says why)",
			       summary->generated_lost);
	if (summary->stack_weight <= 0)
		(void)snprintf(why, why_size, "no stack was taken");
	else
		(void)snprintf(why, why_size,
			       "%.1f %% of the weight of %s ends in a frame without a name, or has "
			       "no stack%s",
			       100 * summary->unresolved_fraction, summary->unresolved_where, lost);
	return summary->unresolved_fraction;
}

extern const struct gate gate_unresolved_frames;
const struct gate gate_unresolved_frames = {
	.name = "unresolved-frames",
	.asks = "do the functions that ran or waited have names?",
	.unit = "fraction",
	.limit = 0.05,
	.measure = unresolved_frames_measure,
	.next = "install debug symbols (crosscut doctor says what is missing) and record again",
};
