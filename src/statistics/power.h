/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How many pairs it takes. From a pilot's spread of differences: the number at which an effect of a given size would be
 * shown at a level in a given share of experiments, by the two t quantiles at that number's own degrees of freedom
 * (W. C. Guenther, "Sample Size Formulas for Normal Theory T Tests", The American Statistician 35, 1981).
 */
#include <stddef.h>

enum { POWER_PAIRS_MOST = 10000 };           /* more than anyone would run: POWER_PAIRS_MOST + 1 stands for "more" */

/*
 * deviation: of one pair's difference; effect: its mean, in the same unit; alpha: two-sided, 0.05; power: 0.8. At least 2.
 * 0 where it cannot be said: no effect, or a deviation that is not finite.
 */
size_t power_pairs(double deviation, double effect, double alpha, double power);
/* The least effect that so many pairs show: the inverse. NAN below two pairs. */
double power_effect(double deviation, size_t pairs, double alpha, double power);

/*
 * The same where the deviation is itself only estimated, with so many degrees of freedom: in the mean over what a pilot may have
 * found, the share of experiments is the power that was asked for (S. A. Julious, R. J. Owen, "Sample size calculations for clinical
 * studies allowing for uncertainty about the variance", Pharmaceutical Statistics 5, 2006). INFINITY: it is known.
 */
size_t power_pairs_estimated(double deviation, double freedom, double effect, double alpha, double power);
double power_effect_estimated(double deviation, double freedom, size_t pairs, double alpha, double power);
/* The share of experiments in which so many pairs show an effect that is so many deviations large. */
double power_of(double effect, double freedom, size_t pairs, double alpha);
