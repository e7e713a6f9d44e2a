/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear interpolation between order statistics, definition 7 in R. J. Hyndman and Y. Fan, "Sample
 * Quantiles in Statistical Packages", The American Statistician 50 (1996): what R, NumPy and
 * spreadsheets do, so that a reader who checks a number finds it.
 */
#include "statistics/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

void sort_numbers(double *values, size_t count)
{
	if (count)
		qsort(values, count, sizeof(*values), compare);
}

double quantile_sorted(const double *values, size_t count, double fraction)
{
	double place;
	size_t below;

	if (!count || !(fraction >= 0 && fraction <= 1))
		return NAN;
	place = fraction * (double)(count - 1);
	below = (size_t)place;
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + (place - (double)below) * (values[below + 1] - values[below]);
}

double median(const double *values, size_t count)
{
	double *sorted, result;

	if (!count)
		return NAN;
	sorted = xreallocarray(NULL, count, sizeof(*sorted));
	memcpy(sorted, values, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	result = quantile_sorted(sorted, count, 0.5);
	free(sorted);
	return result;
}
