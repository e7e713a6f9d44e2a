/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How much changed between matched pairs, and how sure that is. Each pair is a base and a candidate
 * that ran under like conditions: what both share (the hour, the machine) cancels out.
 *
 * An interval that excludes 0 is a change at its level; one that includes 0 shows none, which is
 * not yet equivalence: for that it must lie inside the margin that was asked for.
 */
#include <stdbool.h>
#include <stddef.h>

struct statistics_interval {
	double estimate, low, high;
	double level;                   /* 0.95: of many such intervals, 95 % hold the truth */
	size_t count;                   /* pairs */
};

/*
 * All return a negative errno, and then leave *ret alone: -EINVAL for a level outside (0, 1), fewer
 * than two values, or one that is not finite; of ratios also where one is not positive.
 */
int statistics_interval_of(const double *values, size_t count, double level,
			   struct statistics_interval *ret);
/* Of candidate - base, in their unit. */
int statistics_interval_of_pairs(const double *base, const double *candidate, size_t count,
				 double level, struct statistics_interval *ret);
/* Of candidate / base - 1: 0.5 is half more. For quantities whose noise grows with their size. */
int statistics_interval_of_ratios(const double *base, const double *candidate, size_t count,
				  double level, struct statistics_interval *ret);

bool statistics_interval_excludes(const struct statistics_interval *interval, double value);
bool statistics_interval_inside(const struct statistics_interval *interval, double low,
				double high);
