/* SPDX-License-Identifier: Apache-2.0 */
/* The number of covariances follows the common rule 4 (n / 100)^(2/9) of Newey and West (1994). */
#include "statistics/slices.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/interval.h"
#include "statistics/student.h"

static double covariance(const double *values, size_t count, size_t lag)
{
	double sum = 0;

	for (size_t i = lag; i < count; i++)
		sum += values[i] * values[i - lag];
	return sum;
}

/* Of the sum of the values, whose mean is 0. */
static double variance_of_sum(const double *values, size_t count)
{
	size_t lags = (size_t)floor(4 * pow((double)count / 100, 2.0 / 9));
	double sum = covariance(values, count, 0);

	for (size_t lag = 1; lag <= lags && lag < count; lag++)
		sum += 2 * (1 - (double)lag / (double)(lags + 1)) * covariance(values, count, lag);
	return fmax(0, sum) * (double)count / (double)(count - 1);
}

void slices_ratio_of(const double *weights, const double *completions, size_t count, struct slices_ratio *ret)
{
	double weight = 0, work = 0;
	double *left;

	for (size_t i = 0; i < count; i++) {
		weight += weights[i];
		work += completions[i];
	}
	*ret = (struct slices_ratio){ .ratio = work > 0 ? weight / work : NAN, .error = NAN, .count = count };
	if (count < SLICES_LEAST || !(work > 0))
		return;
	left = xcalloc(count, sizeof(*left));
	for (size_t i = 0; i < count; i++)
		left[i] = weights[i] - ret->ratio * completions[i];
	ret->error = sqrt(variance_of_sum(left, count)) / work;
	free(left);
}

void slices_compare(const struct slices_ratio *base, const struct slices_ratio *candidate, double level,
		    struct statistics_interval *ret)
{
	double change = log(candidate->ratio / base->ratio), reach, count = (double)(base->count + candidate->count);

	*ret = (struct statistics_interval){ .estimate = candidate->ratio / base->ratio - 1, .low = NAN, .high = NAN,
					     .level = level, .count = 1 };
	if (!(base->ratio > 0 && candidate->ratio > 0) || isnan(base->error) || isnan(candidate->error))
		return;
	reach = student_quantile(0.5 + 0.5 * level, count - 2) * hypot(base->error / base->ratio, candidate->error / candidate->ratio);
	ret->low = expm1(change - reach);
	ret->high = expm1(change + reach);
}
