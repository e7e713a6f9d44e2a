/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Whether matched pairs differ: the p-value that goes with interval.h, and a check of it that assumes no distribution.
 *
 * The sign-flip test says how often chance alone, giving each pair's difference either sign, reaches a mean as large as the
 * one seen (R. A. Fisher, "The Design of Experiments", 1935, section 21). Its smallest two-sided value is 2 / 2^n: 0.031 of
 * six pairs, 0.25 of three. Below six pairs nothing can be decided without assuming a normal distribution.
 */
#include <stddef.h>

enum { SIGN_FLIP_PAIRS_MOST = 20 };          /* beyond, 2^n is more than anyone waits for */

/* Two-sided, of a mean difference of 0. NAN of fewer than two values; 1 where all are 0, 0 where all are one other number. */
double paired_p(const double *differences, size_t count);
/* The same, of one mean alone: larger than (or at least as small as) a bound. For equivalence and predictions. */
double paired_p_above(const double *differences, size_t count, double bound);
/* Exact and two-sided. NAN of no values, or of more than SIGN_FLIP_PAIRS_MOST. */
double sign_flip_p(const double *differences, size_t count);
