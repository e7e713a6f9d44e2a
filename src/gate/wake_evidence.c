/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every wait that ends is ended by a wake-up. Waits that ended without one show that wake-ups were
 * missed, even where all times still add up. A few in a thousand race with the thread's own way to
 * sleep. Waits for block I/O are left out: the kernel may end one by setting the task's state
 * itself (blk_wake_io_task()), and then no tracer sees a wake-up of up to one in a hundred.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static double wake_evidence_measure(const struct summary *summary, const struct summary *other,
				    char *why, unsigned why_size)
{
	(void)other;
	if (isnan(summary->conservation_error_ns)) {
		(void)snprintf(why, why_size,
			       "the file holds no ledger of threads with known lifetimes");
		return NAN;
	}
	if (isnan(summary->no_waker_fraction)) {
		(void)snprintf(why, why_size, "does not apply: no wait ended inside the window, block I/O apart");
		return 0;
	}
	(void)snprintf(why, why_size, "%.0f of %.0f waits, block I/O apart, ended without a wake-up being seen",
		       summary->no_waker_fraction * summary->waits, summary->waits);
	return summary->no_waker_fraction;
}

extern const struct gate gate_wake_evidence;
const struct gate gate_wake_evidence = {
	.name = "wake-evidence",
	.asks = "was the wake-up of each wait seen?",
	.unit = "fraction",
	.limit = 0.005,
	.measure = wake_evidence_measure,
	.next = "wake-ups were missed, so wakers and delays are wrong: look at lost-events, then "
		"record again",
};
