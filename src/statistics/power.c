/* SPDX-License-Identifier: Apache-2.0 */
/* What n pairs show grows with n, so the number is found by doubling and halving. */
#include "statistics/power.h"

#include <math.h>

#include "statistics/student.h"

enum { STEPS = 128 };
#define LARGE 1e4                            /* deviations: any two pairs show such an effect */
#define FREEDOM_MOST 1e4                     /* from here on it is as good as known */

double power_effect(double deviation, size_t pairs, double alpha, double power)
{
	double freedom = (double)pairs - 1;

	if (pairs < 2)
		return NAN;
	return (student_quantile(1 - alpha / 2, freedom) + student_quantile(power, freedom)) * deviation / sqrt((double)pairs);
}

/* The estimate may be w times the deviation: its density there, by the chi-square distribution. */
static double density_of_estimate(double w, double freedom)
{
	double half = freedom / 2;

	return exp(log(2) + half * log(half) - lgamma(half) + (freedom - 1) * log(w) - half * w * w);
}

/* Simpson's rule over all that the estimate may be. */
double power_of(double effect, double freedom, size_t pairs, double alpha)
{
	double reach = 9 / sqrt(2 * freedom), least = fmax(1e-9, 1 - reach), step = (1 + reach - least) / STEPS, limit, sum = 0;

	if (pairs < 2 || !(effect >= 0) || !(freedom > 0))
		return NAN;
	limit = student_quantile(1 - alpha / 2, (double)pairs - 1);
	if (freedom > FREEDOM_MOST)
		return student_cdf(effect * sqrt((double)pairs) - limit, (double)pairs - 1);
	for (int i = 0; i <= STEPS; i++) {
		double w = least + i * step, weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

		sum += weight * density_of_estimate(w, freedom) * student_cdf(w * effect * sqrt((double)pairs) - limit, (double)pairs - 1);
	}
	return sum * step / 3;
}

size_t power_pairs_estimated(double deviation, double freedom, double effect, double alpha, double power)
{
	size_t low = 1, high = 2;               /* low is too few */

	effect = fabs(effect);
	if (!(effect > 0) || !isfinite(deviation) || deviation < 0 || !(freedom > 0))
		return 0;
	effect /= fmax(deviation, effect / LARGE);
	while (power_of(effect, freedom, high, alpha) < power && high <= POWER_PAIRS_MOST) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (power_of(effect, freedom, middle, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high > POWER_PAIRS_MOST ? POWER_PAIRS_MOST + 1 : high;
}

size_t power_pairs(double deviation, double effect, double alpha, double power)
{
	return power_pairs_estimated(deviation, INFINITY, effect, alpha, power);
}

double power_effect_estimated(double deviation, double freedom, size_t pairs, double alpha, double power)
{
	double low = 0, high = LARGE;

	if (pairs < 2 || !isfinite(deviation) || !(freedom > 0))
		return NAN;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (power_of(middle, freedom, pairs, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high < 0.99 * LARGE ? high * deviation : NAN;
}
