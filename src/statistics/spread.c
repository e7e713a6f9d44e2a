/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fences are drawn around the middle half of both samples together, so that neither side sets its own measure. Where that
 * half is one number (a range of 0), whatever lies further from it than a quarter of it counts as far.
 */
#include "statistics/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/moments.h"
#include "statistics/quantile.h"
#include "statistics/student.h"

static const double fence = 3, least_share = 0.25;

static struct moments distances_of(const double *values, size_t count)
{
	struct moments moments = { 0 };
	double middle = median(values, count);

	for (size_t i = 0; i < count; i++)
		moments_add(&moments, fabs(values[i] - middle));
	return moments;
}

static double brown_forsythe_p(const struct moments *base, const struct moments *candidate)
{
	double n = (double)base->count, m = (double)candidate->count, pooled, error;

	if (n < 3 || m < 3)
		return NAN;
	pooled = (base->squares + candidate->squares) / (n + m - 2);
	error = sqrt(pooled * (1 / n + 1 / m));
	if (error <= 0)
		return fabs(base->mean - candidate->mean) > 0 ? 0 : 1;
	return 2 * student_cdf(-fabs(base->mean - candidate->mean) / error, n + m - 2);
}

static size_t beyond(const double *values, size_t count, double low, double high)
{
	size_t far = 0;

	for (size_t i = 0; i < count; i++)
		far += values[i] < low || values[i] > high;
	return far;
}

static void find_fences(const double *base, size_t base_count, const double *candidate, size_t candidate_count, double *low,
			double *high)
{
	size_t count = base_count + candidate_count;
	double *all = xcalloc(count + 1, sizeof(*all));
	double first, third, range;

	memcpy(all, base, base_count * sizeof(*all));
	memcpy(all + base_count, candidate, candidate_count * sizeof(*all));
	sort_numbers(all, count);
	first = quantile_sorted(all, count, 0.25);
	third = quantile_sorted(all, count, 0.75);
	range = fence * (third - first);
	if (range <= 0)
		range = least_share * fabs(quantile_sorted(all, count, 0.5));
	*low = first - range;
	*high = third + range;
	free(all);
}

void spread_compare(const double *base, size_t base_count, const double *candidate, size_t candidate_count, struct spread *ret)
{
	struct moments first, second;
	double low, high;

	*ret = (struct spread){ .p = NAN, .ratio = NAN };
	if (!base_count || !candidate_count)
		return;
	first = distances_of(base, base_count);
	second = distances_of(candidate, candidate_count);
	find_fences(base, base_count, candidate, candidate_count, &low, &high);
	ret->p = brown_forsythe_p(&first, &second);
	ret->ratio = second.mean / first.mean;
	ret->base_far = beyond(base, base_count, low, high);
	ret->candidate_far = beyond(candidate, candidate_count, low, high);
}

bool spread_is_alike(const struct spread *spread, double level)
{
	return spread->p >= 1 - level && !spread->base_far == !spread->candidate_far;
}
