/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Quantiles of a set of numbers. NAN of an empty set, or for a fraction outside 0 to 1.
 */
#include <stddef.h>

void sort_numbers(double *values, size_t count);        /* ascending, in place; no NAN among them */
double quantile_sorted(const double *values, size_t count, double fraction);    /* ascending */
double median(const double *values, size_t count);      /* in any order; they stay as they are */
