/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Mean and variance in one pass, without the loss of digits that sums of squares suffer.
 *
 *	struct moments moments = { 0 };
 *	moments_add(&moments, value);
 */
#include <stddef.h>

struct moments {
	size_t count;
	double mean;
	double squares;         /* sum of squared deviations from the mean */
};

void moments_add(struct moments *moments, double value);
/* As if all that went into the other had been added here. */
void moments_merge(struct moments *moments, const struct moments *other);
/* Of a sample (n - 1), and its root; 0 below two values. */
double moments_variance(const struct moments *moments);
double moments_deviation(const struct moments *moments);
