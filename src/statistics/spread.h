/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a comparison of means or medians cannot see: a change of spread alone, or a few large values on one side only. Nothing
 * is called equivalent before this agrees.
 *
 * Spread: M. B. Brown and A. B. Forsythe, "Robust Tests for the Equality of Variances", Journal of the American Statistical
 * Association 69 (1974): a t test of the distances from each sample's median. Tails: J. W. Tukey's far fences, three
 * interquartile ranges beyond the quartiles of both samples together ("Exploratory Data Analysis", 1977): what lies outside
 * on one side only.
 */
#include <stdbool.h>
#include <stddef.h>

struct spread {
	double p;                            /* of equal spread, two-sided; NAN where a sample has fewer than three values */
	double ratio;                        /* candidate's mean distance from its median, over base's */
	size_t base_far, candidate_far;      /* values beyond the far fences */
};

void spread_compare(const double *base, size_t base_count, const double *candidate, size_t candidate_count, struct spread *ret);
/* Equally spread at a level (0.95), and no side alone has far values. What cannot be tested is not alike. */
bool spread_is_alike(const struct spread *spread, double level);
