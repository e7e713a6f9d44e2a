/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where one capture names fewer frames, or loses more stacks, what it could not name looks as if it had vanished, and its
 * callers as if they had grown.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

/* Both unknown is alike; one unknown is not known to be alike. */
static double apart(double first, double second)
{
	if (isnan(first) && isnan(second))
		return 0;
	return fabs(first - second);
}

static double equal_resolution_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	const double differences[] = { apart(summary->unresolved_fraction, other->unresolved_fraction),
				       apart(summary->complete_fraction, other->complete_fraction),
				       apart(summary->unknown_fraction, other->unknown_fraction) };
	static const char *const names[] = { "unresolved frames", "complete stacks", "unknown waits" };
	const double values[][2] = { { summary->unresolved_fraction, other->unresolved_fraction },
				     { summary->complete_fraction, other->complete_fraction },
				     { summary->unknown_fraction, other->unknown_fraction } };
	unsigned worst = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (isnan(differences[i])) {
			(void)snprintf(why, why_size, "%s are known of one capture only", names[i]);
			return NAN;
		}
		worst = differences[i] > differences[worst] ? i : worst;
	}
	if (isnan(values[worst][0]))
		(void)snprintf(why, why_size, "neither has stacks that could be judged");
	else
		(void)snprintf(why, why_size, "%s: %.2f %% and %.2f %%", names[worst], 100 * values[worst][0], 100 * values[worst][1]);
	return differences[worst];
}

extern const struct gate gate_equal_resolution;
const struct gate gate_equal_resolution = {
	.name = "equal-resolution",
	.asks = "are like shares of stacks complete and named?",
	.unit = "fraction",
	.limit = 0.02,
	.between = true,
	.measure = equal_resolution_measure,
	.next = "name both by the same debug files: crosscut symbolize",
};
