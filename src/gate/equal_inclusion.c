/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the exact weight has a stack, and how many events were lost. What a sample stands for must be known: without it
 * a tenfold rate looks like tenfold work. What four standard errors of the sampling explain is not counted as a difference.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static const double errors_away = 4;

/* What sampling alone may do is no difference; and what one capture has nothing of is the rows' to show. */
static double apart(double first, double first_error, double second, double second_error)
{
	double distance = fabs(first - second) - errors_away * hypot(first_error, second_error);

	return isnan(distance) ? 0 : fmax(0, distance);
}

static double equal_inclusion_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	double running = apart(summary->included_running, summary->included_running_error, other->included_running,
			       other->included_running_error);
	double waiting = apart(summary->included_waiting, summary->included_waiting_error, other->included_waiting,
			       other->included_waiting_error);
	double lost = apart(summary->lost_fraction, 0, other->lost_fraction, 0);

	if (summary->inclusion_unknown || other->inclusion_unknown) {
		(void)snprintf(why, why_size, "%s: what one sample stands for is unknown",
			       summary->inclusion_unknown && other->inclusion_unknown ? "both" : "one of them");
		return NAN;
	}
	if (lost >= running && lost >= waiting && lost > 0)
		(void)snprintf(why, why_size, "lost events: %.2f %% and %.2f %%", 100 * summary->lost_fraction,
			       100 * other->lost_fraction);
	else if (isnan(summary->included_running) && isnan(other->included_running) && isnan(summary->included_waiting) &&
		 isnan(other->included_waiting))
		(void)snprintf(why, why_size, "neither has exact time that stacks could be held against");
	else if (running >= waiting)
		(void)snprintf(why, why_size, "stacks of on-CPU time stand for %.1f %% and %.1f %% of it",
			       100 * summary->included_running, 100 * other->included_running);
	else
		(void)snprintf(why, why_size, "stacks of waits stand for %.1f %% and %.1f %% of them", 100 * summary->included_waiting,
			       100 * other->included_waiting);
	return fmax(lost, fmax(running, waiting));
}

extern const struct gate gate_equal_inclusion;
const struct gate gate_equal_inclusion = {
	.name = "equal-inclusion",
	.asks = "do like shares of the weight have stacks, and is their inclusion known?",
	.unit = "fraction",
	.limit = 0.02,
	.between = true,
	.measure = equal_inclusion_measure,
	.next = "record longer, or say what one sample stands for: crosscut diff --period TIME",
};
