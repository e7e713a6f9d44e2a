/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cumulative distribution is the C library's erfc, exact in both tails. Its inverse is found by
 * bisection, which needs no table of coefficients to be right to the last digits, as far out as the
 * distribution itself; Newton's method crawls there.
 */
#include "statistics/normal.h"

#include <float.h>
#include <math.h>

enum { HALVING_LIMIT = 200 };
static const double farthest = 40;      /* erfc is 0 in a double beyond 39 deviations */

double normal_cdf(double z)
{
	return 0.5 * erfc(-z / M_SQRT2);
}

/* For the lower half, where the distribution is exact to the last digit. */
static double lower_quantile(double probability)
{
	double low = -farthest, high = 0;

	for (int i = 0; i < HALVING_LIMIT && high - low > DBL_EPSILON * -low; i++) {
		double middle = 0.5 * (low + high);

		if (normal_cdf(middle) < probability)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

double normal_quantile(double probability)
{
	if (!(probability >= 0 && probability <= 1))
		return NAN;
	if (probability == 0 || probability == 1)
		return probability ? INFINITY : -INFINITY;
	if (probability == 0.5)
		return 0;
	return probability < 0.5 ? lower_quantile(probability) : -lower_quantile(1 - probability);
}

double binomial_z(double successes, double trials, double probability)
{
	if (!(trials > 0 && probability > 0 && probability < 1))
		return NAN;
	return (successes - trials * probability) / sqrt(trials * probability * (1 - probability));
}
