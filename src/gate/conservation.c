/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread is in exactly one state at every instant, so its states must add up to its life. The
 * worst thread decides.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double conservation_measure(const struct summary *summary, const struct summary *other,
				   char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->conservation_error_ns))
		(void)snprintf(why, why_size,
			       "the file holds no ledger of threads with known lifetimes");
	else
		(void)snprintf(why, why_size,
			       "the worst thread's states miss its lifetime by %.0f ns",
			       summary->conservation_error_ns);
	return summary->conservation_error_ns;
}

extern const struct gate gate_conservation;
const struct gate gate_conservation = {
	.name = "conservation",
	.asks = "do each thread's states add up to its lifetime?",
	.unit = "ns",
	.limit = 1000,
	.measure = conservation_measure,
	.next = "the ledger of this capture is not to be trusted: report it with the file",
};
