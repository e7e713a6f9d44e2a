/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of running threads must add up to the exact time of the same threads. A workload in step
 * with the sampler's clock is over- or undercounted, and no number of samples would show it.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double sampling_bias_measure(const struct summary *summary, const struct summary *other,
				    char *why, unsigned why_size)
{
	(void)other;
	if (*summary->bias) {
		(void)snprintf(why, why_size, "samples were taken at %s only: nobody can say what lies elsewhere",
			       summary->bias);
		return NAN;
	}
	if (isnan(summary->sampling_z)) {
		(void)snprintf(why, why_size,
			       "fewer than 30 samples were to be expected, or none were taken");
		return NAN;
	}
	(void)snprintf(why, why_size, "%.4g s sampled, %.4g s exact: %+.1f standard errors",
		       summary->sampled_oncpu_ns / 1e9, summary->sampled_oncpu_expected_ns / 1e9,
		       summary->sampling_z);
	return fabs(summary->sampling_z);
}

extern const struct gate gate_sampling_bias;
const struct gate gate_sampling_bias = {
	.name = "sampling-bias",
	.asks = "do samples agree with the exact on-CPU time?",
	.unit = "z",
	.limit = 4,
	.measure = sampling_bias_measure,
	.next = "record longer, or at another rate that is in step with nothing: -F 97",
};
