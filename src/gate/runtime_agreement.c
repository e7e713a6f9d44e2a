/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An independent check of the ledger: the scheduler keeps its own account of each thread's run
 * time. It charges a thread some 20 us more per wake from idle, so only threads that hardly wait
 * are compared; and what the host stole or spent in interrupts is on CPU here and no run time
 * there.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double runtime_agreement_measure(const struct summary *summary, const struct summary *other,
					char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->conservation_error_ns)) {
		(void)snprintf(why, why_size,
			       "the file holds no ledger of threads with known lifetimes");
		return NAN;
	}
	if (isnan(summary->runtime_error_fraction)) {
		(void)snprintf(why, why_size, "does not apply: no thread was bound by CPU");
		return 0;
	}
	(void)snprintf(why, why_size, "%.2f %% apart over %.0f threads that were bound by CPU",
		       100 * summary->runtime_error_fraction, summary->runtime_threads);
	return summary->runtime_error_fraction;
}

extern const struct gate gate_runtime_agreement;
const struct gate gate_runtime_agreement = {
	.name = "runtime-agreement",
	.asks = "does on-CPU time agree with the kernel's own account?",
	.unit = "fraction",
	.limit = 0.01,
	.measure = runtime_agreement_measure,
	.next = "look for lost events and stolen time (crosscut report FILE), and record again",
};
