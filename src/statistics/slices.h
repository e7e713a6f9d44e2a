/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A ratio of sums within one capture, and how sure it is: R = sum of weights / sum of completions over slices of time. By the
 * delta method (W. G. Cochran, "Sampling Techniques", 1977, section 6.3) its variance is that of e = weight - R * completions;
 * slices that follow one another are alike, so their covariances count too, with the weights of W. K. Newey and K. D. West
 * (Econometrica 55, 1987). It is still a lower bound: another run of the same program may differ by more than any slice does.
 */
#include <stddef.h>

struct slices_ratio {
	double ratio;
	double error;                        /* standard error; NAN of fewer than SLICES_LEAST slices */
	size_t count;                        /* slices */
};

enum { SLICES_LEAST = 10 };                  /* fewer slices show no spread worth a number */

/* Ratio NAN where the denominators sum to nothing. */
void slices_ratio_of(const double *weights, const double *completions, size_t count, struct slices_ratio *ret);
/*
 * The relative change between two such ratios, with the interval of the log ratio: 0.5 is half more. low and high are NAN
 * where either has no error or is not positive.
 */
struct statistics_interval;
void slices_compare(const struct slices_ratio *base, const struct slices_ratio *candidate, double level,
		    struct statistics_interval *ret);
