/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Two counts over two exposures: samples of a frame per completion, in one capture and in another. What is counted is at best
 * a Poisson process, so this is the least uncertainty that one pair of captures has: within the run, a lower bound. It knows
 * nothing of how runs differ.
 *
 * K. Krishnamoorthy and J. Thomson, "A more powerful test for comparing two Poisson means", Journal of Statistical Planning
 * and Inference 119 (2004), the E-test, on the score statistic; beyond RATE_EXACT_MOST counts the score test itself
 * (H. K. T. Ng and M.-L. Tang, Statistics in Medicine 24, 2005), whose inversion is the interval of the ratio.
 */
#include <stdbool.h>

enum { RATE_COUNT_LEAST = 20,                /* pooled; fewer are insufficient for any claim */
       RATE_EXACT_MOST = 400 };

struct rate { double count, exposure; };

struct rate_change {
	double ratio, low, high;             /* candidate's rate over base's; high is INFINITY where base has no count */
	double z, p;                         /* of equal rates, two-sided */
	bool insufficient;                   /* fewer than RATE_COUNT_LEAST counts in both together */
};

/* The score statistic of candidate = ratio * base. */
double rate_z(struct rate base, struct rate candidate, double ratio);
/* The E-test's p of equal rates: two-sided, or of a candidate that is larger. */
double rate_exact_p(struct rate base, struct rate candidate, bool two_sided);
/* -EINVAL where an exposure is not positive, a count negative, or the level outside (0, 1). */
int rate_compare(struct rate base, struct rate candidate, double level, struct rate_change *ret);
