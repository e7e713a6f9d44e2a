/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The incomplete beta function by its continued fraction (DLMF 8.17.22), evaluated by Lentz's
 * method as modified by Thompson and Barnett, "Coulomb and Bessel functions of complex arguments
 * and order" (1986); t by I_x(v/2, 1/2) with x = v / (v + t^2) (DLMF 8.17, Abramowitz and Stegun
 * 26.7.1). The quantile by bisection: the distribution is monotonic, and 200 halvings are nothing
 * here.
 */
#include "statistics/student.h"

#include <float.h>
#include <math.h>

enum { TERM_LIMIT = 10000, HALVING_LIMIT = 200 };
static const double tiny = 1e-300;

static double away_from_zero(double value)
{
	return fabs(value) < tiny ? tiny : value;
}

/* Numerator d_k of the continued fraction 1 / (1 + d_1 / (1 + d_2 / (1 + ...))). */
static double numerator(double a, double b, double x, int k)
{
	double m = k / 2;       /* whole */

	if (k % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double continued_fraction(double a, double b, double x)
{
	double fraction = 1, c = 1, d = 0;

	for (int k = 1; k < TERM_LIMIT; k++) {
		double term = numerator(a, b, x, k);

		d = 1 / away_from_zero(1 + term * d);
		c = away_from_zero(1 + term / c);
		fraction *= c * d;
		if (fabs(c * d - 1) < DBL_EPSILON)
			break;
	}
	return 1 / fraction;
}

double incomplete_beta(double a, double b, double x)
{
	double front;

	if (!(a > 0 && b > 0 && x >= 0 && x <= 1))
		return NAN;
	if (x == 0 || x == 1)
		return x;
	if (x > (a + 1) / (a + b + 2))          /* where the fraction converges slowly */
		return 1 - incomplete_beta(b, a, 1 - x);
	front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
	return front * continued_fraction(a, b, x) / a;
}

double student_cdf(double t, double freedom)
{
	double tail;

	if (!(freedom > 0) || isnan(t))
		return NAN;
	if (isinf(t))
		return t > 0;
	tail = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
	return t > 0 ? 1 - tail : tail;
}

/* t in the lower half, as a positive number. */
static double tail_quantile(double probability, double freedom)
{
	double low = 0, high = 1;

	while (student_cdf(-high, freedom) > probability && high < DBL_MAX / 4) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < HALVING_LIMIT && high - low > DBL_EPSILON * high; i++) {
		double middle = low + 0.5 * (high - low);

		if (student_cdf(-middle, freedom) > probability)
			low = middle;
		else
			high = middle;
	}
	return low + 0.5 * (high - low);
}

double student_quantile(double probability, double freedom)
{
	if (!(freedom > 0 && probability >= 0 && probability <= 1))
		return NAN;
	if (probability == 0 || probability == 1)
		return probability ? INFINITY : -INFINITY;
	if (probability == 0.5)
		return 0;
	if (probability < 0.5)
		return -tail_quantile(probability, freedom);
	return tail_quantile(1 - probability, freedom);
}
