/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Student" (W. S. Gosset), "The Probable Error of a Mean", Biometrika 6 (1908), for the p-value. The sign flips are counted
 * in Gray order, so that each of the 2^(n-1) sums costs one addition; the other half mirrors them.
 */
#include "statistics/paired.h"

#include <math.h>
#include <stdint.h>

#include "statistics/moments.h"
#include "statistics/student.h"

double paired_p_above(const double *differences, size_t count, double bound)
{
	struct moments moments = { 0 };
	double error;

	if (count < 2)
		return NAN;
	for (size_t i = 0; i < count; i++)
		moments_add(&moments, differences[i]);
	if (!isfinite(moments.mean) || !isfinite(moments.squares))
		return NAN;
	error = moments_deviation(&moments) / sqrt((double)count);
	if (error <= 0)
		return moments.mean > bound ? 0 : 1;
	return student_cdf((bound - moments.mean) / error, (double)(count - 1));
}

double paired_p(const double *differences, size_t count)
{
	double above = paired_p_above(differences, count, 0), sum = 0;

	if (isnan(above))
		return NAN;
	for (size_t i = 0; i < count; i++)
		sum += fabs(differences[i]);
	if (sum <= 0)
		return 1;
	return fmin(1, 2 * fmin(above, 1 - above));
}

double sign_flip_p(const double *differences, size_t count)
{
	double sum = 0, seen, size = 0;
	uint64_t reached = 1, all;
	double signs[SIGN_FLIP_PAIRS_MOST];

	if (!count || count > SIGN_FLIP_PAIRS_MOST)
		return NAN;
	for (size_t i = 0; i < count; i++) {
		signs[i] = differences[i];
		sum += differences[i];
		size += fabs(differences[i]);
	}
	seen = fabs(sum) - 1e-12 * size;        /* sums in another order differ in their last digits */
	all = 1ull << (count - 1);
	for (uint64_t i = 1; i < all; i++) {
		unsigned flip = (unsigned)__builtin_ctzll(i);

		signs[flip] = -signs[flip];
		sum += 2 * signs[flip];
		reached += fabs(sum) >= seen;
	}
	return (double)reached / (double)all;
}
