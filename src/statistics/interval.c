/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paired t interval: "Student" (W. S. Gosset), "The Probable Error of a Mean", Biometrika 6
 * (1908): the mean of the differences, plus and minus the t quantile times its standard error.
 * Ratios go the same way through logarithms, so that twice and half are equally far from no change;
 * the estimate is then the geometric mean. With six pairs t is 2.57 where the normal has 1.96: the
 * normal approximation would claim changes too often.
 */
#include "statistics/interval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/moments.h"
#include "statistics/student.h"

int statistics_interval_of(const double *values, size_t count, double level,
			   struct statistics_interval *ret)
{
	struct moments moments = { 0 };
	double reach;

	if (count < 2 || !(level > 0 && level < 1))
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		moments_add(&moments, values[i]);
	if (!isfinite(moments.mean) || !isfinite(moments.squares))
		return -EINVAL;
	reach = student_quantile(0.5 + 0.5 * level, (double)(count - 1));
	reach *= moments_deviation(&moments) / sqrt((double)count);
	if (!isfinite(reach))                   /* a level that a double cannot tell from 1 */
		return -EINVAL;
	*ret = (struct statistics_interval){
		.estimate = moments.mean, .low = moments.mean - reach, .high = moments.mean + reach,
		.level = level, .count = count,
	};
	return 0;
}

static double difference(double base, double candidate)
{
	return candidate - base;
}

static double log_ratio(double base, double candidate)
{
	return base > 0 && candidate > 0 ? log(candidate / base) : NAN;
}

static int interval_of(const double *base, const double *candidate, size_t count, double level,
		       double (*change)(double, double), struct statistics_interval *ret)
{
	double *changes = xreallocarray(NULL, count ? count : 1, sizeof(*changes));
	int r;

	for (size_t i = 0; i < count; i++)
		changes[i] = change(base[i], candidate[i]);
	r = statistics_interval_of(changes, count, level, ret);
	free(changes);
	return r;
}

int statistics_interval_of_pairs(const double *base, const double *candidate, size_t count,
				 double level, struct statistics_interval *ret)
{
	return interval_of(base, candidate, count, level, difference, ret);
}

int statistics_interval_of_ratios(const double *base, const double *candidate, size_t count,
				  double level, struct statistics_interval *ret)
{
	struct statistics_interval interval;
	int r = interval_of(base, candidate, count, level, log_ratio, &interval);

	if (r < 0)
		return r;
	interval.estimate = expm1(interval.estimate);
	interval.low = expm1(interval.low);
	interval.high = expm1(interval.high);
	*ret = interval;
	return 0;
}

bool statistics_interval_excludes(const struct statistics_interval *interval, double value)
{
	return value < interval->low || value > interval->high;
}

bool statistics_interval_inside(const struct statistics_interval *interval, double low,
				double high)
{
	return interval->low >= low && interval->high <= high;
}
