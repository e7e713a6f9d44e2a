/* SPDX-License-Identifier: Apache-2.0 */
/*
 * B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products",
 * Technometrics 4 (1962); merging after Chan, Golub and LeVeque, "Updating Formulae and a Pairwise
 * Algorithm for Computing Sample Variances" (1979). Times in ns since boot share their first
 * digits: the textbook formula would leave few for their spread.
 */
#include "statistics/moments.h"

#include <math.h>

void moments_add(struct moments *moments, double value)
{
	double delta = value - moments->mean;

	moments->count++;
	moments->mean += delta / (double)moments->count;
	moments->squares += delta * (value - moments->mean);
}

void moments_merge(struct moments *moments, const struct moments *other)
{
	double delta = other->mean - moments->mean;
	size_t count = moments->count + other->count;
	double share;

	if (!count)
		return;
	share = (double)other->count / (double)count;
	moments->squares += other->squares + delta * delta * (double)moments->count * share;
	moments->mean += delta * share;
	moments->count = count;
}

double moments_variance(const struct moments *moments)
{
	return moments->count < 2 ? 0 : moments->squares / (double)(moments->count - 1);
}

double moments_deviation(const struct moments *moments)
{
	return sqrt(moments_variance(moments));
}
