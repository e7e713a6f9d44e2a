/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The E-test sums the probability of every pair of counts, under the common rate estimated from those seen, that is at least
 * as far from equal as those seen. Counts further than twelve deviations from their mean add nothing a double could hold.
 */
#include "statistics/rate.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "statistics/normal.h"

enum { HALVING_LIMIT = 200 };
static const double deviations = 12;

double rate_z(struct rate base, struct rate candidate, double ratio)
{
	double scale = ratio * candidate.exposure / base.exposure;      /* candidate's count for each of base's */
	double counts = base.count + candidate.count;

	return counts > 0 ? (candidate.count - base.count * scale) / sqrt(counts * scale) : 0;
}

static double poisson(double count, double mean)
{
	return exp(count * log(mean) - mean - lgamma(count + 1));
}

/* Probability of candidate counts, for one count of the base, that are as extreme as z. */
static double tail(struct rate base, struct rate candidate, double mean, double z, bool two_sided)
{
	double reach = deviations * sqrt(mean) + deviations, sum = 0;

	for (double count = fmax(0, floor(mean - reach)); count <= mean + reach; count++) {
		double other = rate_z(base, (struct rate){ count, candidate.exposure }, 1);

		if (two_sided ? fabs(other) >= fabs(z) - 1e-10 : other >= z - 1e-10)
			sum += poisson(count, mean);
	}
	return sum;
}

double rate_exact_p(struct rate base, struct rate candidate, bool two_sided)
{
	double rate = (base.count + candidate.count) / (base.exposure + candidate.exposure);
	double mean = rate * base.exposure, reach = deviations * sqrt(mean) + deviations, sum = 0;
	double z = rate_z(base, candidate, 1);

	if (rate <= 0)
		return 1;
	for (double count = fmax(0, floor(mean - reach)); count <= mean + reach; count++)
		sum += poisson(count, mean) * tail((struct rate){ count, base.exposure }, candidate,
						   rate * candidate.exposure, z, two_sided);
	return fmin(1, sum);
}

/* The ratio at which the score is z. It falls as the ratio grows. */
static double ratio_at(struct rate base, struct rate candidate, double z)
{
	double low = -700, high = 700;          /* logarithms */

	for (int i = 0; i < HALVING_LIMIT && high - low > DBL_EPSILON; i++) {
		double middle = 0.5 * (low + high);

		if (rate_z(base, candidate, exp(middle)) > z)
			low = middle;
		else
			high = middle;
	}
	return exp(0.5 * (low + high));
}

int rate_compare(struct rate base, struct rate candidate, double level, struct rate_change *ret)
{
	double counts = base.count + candidate.count, z;

	if (!(base.exposure > 0 && candidate.exposure > 0 && base.count >= 0 && candidate.count >= 0) ||
	    !isfinite(counts) || !(level > 0 && level < 1))
		return -EINVAL;
	z = normal_quantile(0.5 + 0.5 * level);
	*ret = (struct rate_change){
		.ratio = candidate.count / candidate.exposure / (base.count / base.exposure),
		.low = candidate.count > 0 ? ratio_at(base, candidate, z) : 0,
		.high = base.count > 0 ? ratio_at(base, candidate, -z) : INFINITY,
		.z = rate_z(base, candidate, 1),
		.insufficient = counts < RATE_COUNT_LEAST,
	};
	ret->p = counts <= RATE_EXACT_MOST ? rate_exact_p(base, candidate, true) : 2 * normal_cdf(-fabs(ret->z));
	return 0;
}
