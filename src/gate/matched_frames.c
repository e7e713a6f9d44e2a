/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of two builds match by name. Where many do not, one of them was stripped or renamed, and everything would appear both
 * as vanished and as new.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double matched_frames_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->matched_fraction)) {
		(void)snprintf(why, why_size, "no stacks: there is nothing to match");
		return 1;
	}
	(void)snprintf(why, why_size, "%.1f %% of the frames, by weight, lie in modules whose names both sides know",
		       100 * summary->matched_fraction);
	return summary->matched_fraction;
}

extern const struct gate gate_matched_frames;
const struct gate gate_matched_frames = {
	.name = "matched-frames",
	.asks = "do the frames of both sides match by name?",
	.unit = "fraction",
	.limit = 0.95,
	.at_least = true,
	.between = true,
	.measure = matched_frames_measure,
	.next = "name both by their own binaries: crosscut symbolize",
};
