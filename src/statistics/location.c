/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact distribution of the rank sum is counted over all ways to choose the candidate's ranks, with twice the mid-rank for
 * ties so that every sum is whole; its two tails need not mirror each other then, so p is twice the smaller one.
 */
#include "statistics/location.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/interval.h"
#include "statistics/normal.h"
#include "statistics/quantile.h"

struct ranked { double value; size_t twice_rank; int is_candidate; };

static int compare_ranked(const void *left, const void *right)
{
	double a = ((const struct ranked *)left)->value, b = ((const struct ranked *)right)->value;

	return (a > b) - (a < b);
}

/* Returns the sum over ties of t^3 - t. */
static double give_ranks(struct ranked *all, size_t count)
{
	double ties = 0;

	qsort(all, count, sizeof(*all), compare_ranked);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && all[end].value <= all[i].value; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].twice_rank = i + end + 1;        /* ranks i + 1 … end, their mean twice */
		ties += pow((double)(end - i), 3) - (double)(end - i);
	}
	return ties;
}

/* ways[k * (most + 1) + sum]: how often k of the ranks so far have that sum, as a share of all choices. */
static double exact_p(const struct ranked *all, size_t count, size_t chosen, size_t seen)
{
	size_t most = 0, width;
	double *ways, total = 0, lower = 0, upper = 0;

	for (size_t i = 0; i < count; i++)
		most += all[i].twice_rank;
	width = most + 1;
	ways = xcalloc((chosen + 1) * width, sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--)
			for (size_t sum = most; sum + 1 > all[i].twice_rank; sum--)
				ways[k * width + sum] += ways[(k - 1) * width + sum - all[i].twice_rank];
	for (size_t sum = 0; sum <= most; sum++) {
		double share = ways[chosen * width + sum];

		total += share;
		lower += sum <= seen ? share : 0;
		upper += sum >= seen ? share : 0;
	}
	free(ways);
	return fmin(1, 2 * fmin(lower, upper) / total);
}

static double normal_p(size_t base_count, size_t candidate_count, double rank_sum, double ties)
{
	double n = (double)base_count, m = (double)candidate_count, all = n + m;
	double mean = m * (all + 1) / 2, variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double away = fmax(0, fabs(rank_sum - mean) - 0.5);     /* sums are whole: half a step for continuity */

	return variance > 0 ? fmin(1, 2 * normal_cdf(-away / sqrt(variance))) : 1;
}

double mann_whitney_p(const double *base, size_t base_count, const double *candidate, size_t candidate_count)
{
	size_t count = base_count + candidate_count, twice = 0;
	struct ranked *all;
	double ties, p;

	if (!base_count || !candidate_count)
		return NAN;
	all = xcalloc(count, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = (struct ranked){ .value = i < base_count ? base[i] : candidate[i - base_count],
					  .is_candidate = i >= base_count };
	ties = give_ranks(all, count);
	for (size_t i = 0; i < count; i++)
		twice += all[i].is_candidate ? all[i].twice_rank : 0;
	p = count <= LOCATION_EXACT_MOST ? exact_p(all, count, candidate_count, twice)
					 : normal_p(base_count, candidate_count, (double)twice / 2, ties);
	free(all);
	return p;
}

/* Every n-th value of the sorted sample, so that few enough remain for all differences to be looked at. */
static double *thinned(const double *values, size_t count, size_t *ret_count)
{
	const size_t most = 2000;
	size_t kept = count < most ? count : most;
	double *sorted = xcalloc(count, sizeof(*sorted)), *thin = xcalloc(kept, sizeof(*thin));

	_Static_assert(2000 * 2000 <= LOCATION_PAIRS_MOST, "all differences fit");
	memcpy(sorted, values, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	for (size_t i = 0; i < kept; i++)
		thin[i] = kept == count ? sorted[i] : quantile_sorted(sorted, count, ((double)i + 0.5) / (double)kept);
	free(sorted);
	*ret_count = kept;
	return thin;
}

int hodges_lehmann(const double *base, size_t base_count, const double *candidate, size_t candidate_count, double level,
		   struct statistics_interval *ret)
{
	double *first, *second, *shifts;
	double n, m, all, reach, place;
	size_t count, n_kept, m_kept;

	if (!base_count || !candidate_count || !(level > 0 && level < 1))
		return -EINVAL;
	first = thinned(base, base_count, &n_kept);
	second = thinned(candidate, candidate_count, &m_kept);
	count = n_kept * m_kept;
	shifts = xcalloc(count, sizeof(*shifts));
	for (size_t i = 0; i < n_kept; i++)
		for (size_t k = 0; k < m_kept; k++)
			shifts[i * m_kept + k] = second[k] - first[i];
	sort_numbers(shifts, count);
	n = (double)base_count;
	m = (double)candidate_count;
	all = n * m;
	/* U's deviation in units of all pairs, so that thinning does not change how sure the answer is. */
	reach = normal_quantile(0.5 + 0.5 * level) * sqrt(all * (n + m + 1) / 12) / all;
	place = fmax(0, 0.5 - reach);
	*ret = (struct statistics_interval){
		.estimate = quantile_sorted(shifts, count, 0.5),
		.low = quantile_sorted(shifts, count, place), .high = quantile_sorted(shifts, count, 1 - place),
		.level = level, .count = base_count + candidate_count,
	};
	free(first);
	free(second);
	free(shifts);
	return 0;
}

/* P(X <= below) of Binomial(count, 1/2). */
static double binomial_half(size_t count, size_t below)
{
	double sum = 0;

	for (size_t i = 0; i <= below; i++)
		sum += exp(lgamma((double)count + 1) - lgamma((double)i + 1) - lgamma((double)(count - i) + 1) -
			   (double)count * M_LN2);
	return sum;
}

/* The tightest pair of order statistics, equally far from both ends, that reaches the level. */
int median_interval(const double *values, size_t count, double level, struct statistics_interval *ret)
{
	double *sorted, outside = 0;
	size_t cut = 0;

	if (!count || !(level >= 0 && level < 1))
		return -EINVAL;
	sorted = xcalloc(count, sizeof(*sorted));
	memcpy(sorted, values, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	while (cut < (count - 1) / 2 && 1 - 2 * binomial_half(count, cut + 1) >= level)
		cut++;
	outside = 2 * binomial_half(count, cut);
	*ret = (struct statistics_interval){ .estimate = quantile_sorted(sorted, count, 0.5), .low = sorted[cut],
					     .high = sorted[count - 1 - cut], .level = 1 - outside, .count = count };
	if (1 - outside < level || count < 2) {
		ret->low = -INFINITY;
		ret->high = INFINITY;
		ret->level = 1;
	}
	free(sorted);
	return 0;
}
