/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Two samples without pairs and without a distribution, for latencies: does one lie higher, and by how much. H. B. Mann and
 * D. R. Whitney (1947) for the test; J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests" (1963), for
 * the shift: the median of all differences. A location test is blind to a change of spread and to a few large outliers:
 * nothing is equivalent by it alone (spread.h).
 */
#include <stddef.h>

enum { LOCATION_EXACT_MOST = 100,            /* values of both together; beyond, the normal approximation */
       LOCATION_PAIRS_MOST = 4 << 20 };      /* differences looked at; larger samples are thinned evenly */

/* Two-sided, exact also with ties up to LOCATION_EXACT_MOST. 1 where all values are equal, NAN where a sample is empty. */
double mann_whitney_p(const double *base, size_t base_count, const double *candidate, size_t candidate_count);

/* The shift candidate - base with its interval; fills estimate, low, high, level and count. -EINVAL where a sample is empty. */
struct statistics_interval;
int hodges_lehmann(const double *base, size_t base_count, const double *candidate, size_t candidate_count, double level,
		   struct statistics_interval *ret);
/*
 * The median's interval between two order statistics: what it holds is exact, whatever the distribution. Its level is the
 * one reached, at least the one asked for; infinite where the sample is too small for it.
 */
int median_interval(const double *values, size_t count, double level, struct statistics_interval *ret);
