/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no rule could classify stays a state of its own; too much of it and no other state can be
 * trusted.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double unknown_share_measure(const struct summary *summary, const struct summary *other,
				    char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->unknown_fraction))
		(void)snprintf(why, why_size, "the file holds no ledger of states");
	else
		(void)snprintf(why, why_size, "%.3g s of blocked time have no known cause",
			       summary->unknown_ns / 1e9);
	return summary->unknown_fraction;
}

extern const struct gate gate_unknown_share;
const struct gate gate_unknown_share = {
	.name = "unknown-share",
	.asks = "how much of the blocked time has no known cause?",
	.unit = "fraction",
	.limit = 0.02,
	.measure = unknown_share_measure,
	.next = "look at the stacks: crosscut report --question waits --dimension unknown FILE",
};
