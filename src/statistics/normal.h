/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The normal distribution, and how far a count lies from what chance would give.
 */

double normal_cdf(double z);                    /* P(Z <= z) */
double normal_quantile(double probability);     /* its inverse; infinite at 0 and 1, NAN outside */

/*
 * How many standard deviations `successes` lies above what `trials` of `probability` give on
 * average. NAN where nothing can vary: no trials, or a probability not inside (0, 1).
 */
double binomial_z(double successes, double trials, double probability);
