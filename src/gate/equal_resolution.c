/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where one capture names fewer frames, or loses more stacks, what it could not name looks as if it had vanished, and its
 * callers as if they had grown. What four standard errors of the sampling explain is not counted as a difference: a short
 * capture holds few stacks.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>

static const double errors_away = 4;

/* Both unknown is alike; one unknown is not known to be alike. */
static double apart(double first, double first_error, double second, double second_error)
{
	double distance = fabs(first - second) - errors_away * hypot(first_error, second_error);

	if (isnan(first) && isnan(second))
		return 0;
	return isnan(distance) ? NAN : fmax(0, distance);
}

static double equal_resolution_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	const double differences[] = { apart(summary->unresolved_fraction, summary->unresolved_error, other->unresolved_fraction,
					     other->unresolved_error),
				       apart(summary->complete_fraction, summary->complete_error, other->complete_fraction,
					     other->complete_error),
				       apart(summary->unknown_fraction, 0, other->unknown_fraction, 0) };
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
