/* SPDX-License-Identifier: Apache-2.0 */
/* From the largest p down: q = p * tested / rank, never larger than that of a larger p. */
#include "statistics/correction.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

static int compare_p(const void *left, const void *right)
{
	double a = **(double *const *)left, b = **(double *const *)right;

	return (a > b) - (a < b);
}

void correct_false_discovery(double *p, size_t count)
{
	double **sorted = xcalloc(count + 1, sizeof(*sorted));
	double least = 1;
	size_t tested = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			sorted[tested++] = &p[i];
	qsort(sorted, tested, sizeof(*sorted), compare_p);
	for (size_t rank = tested; rank > 0; rank--) {
		least = fmin(least, *sorted[rank - 1] * (double)tested / (double)rank);
		*sorted[rank - 1] = least;
	}
	free(sorted);
}
