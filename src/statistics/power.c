/* SPDX-License-Identifier: Apache-2.0 */
/* The effect that n pairs show falls with n, so the number is found by doubling and halving. */
#include "statistics/power.h"

#include <math.h>

#include "statistics/student.h"

double power_effect(double deviation, size_t pairs, double alpha, double power)
{
	double freedom = (double)pairs - 1;

	if (pairs < 2)
		return NAN;
	return (student_quantile(1 - alpha / 2, freedom) + student_quantile(power, freedom)) * deviation / sqrt((double)pairs);
}

size_t power_pairs(double deviation, double effect, double alpha, double power)
{
	size_t low = 1, high = 2;               /* low is too few */

	effect = fabs(effect);
	if (!(effect > 0) || !isfinite(deviation) || deviation < 0)
		return 0;
	while (power_effect(deviation, high, alpha, power) > effect && high <= POWER_PAIRS_MOST) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (power_effect(deviation, middle, alpha, power) > effect)
			low = middle;
		else
			high = middle;
	}
	return high > POWER_PAIRS_MOST ? POWER_PAIRS_MOST + 1 : high;
}
