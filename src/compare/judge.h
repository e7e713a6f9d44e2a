/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One quantity per completion, in matched pairs of a base and a candidate: did it grow, did it shrink, is it equivalent, or
 * can these pairs not tell, and how many would. Knows numbers only; what they are of is comparison.h's to know.
 *
 *	grew, shrank    the difference is not chance: its p, corrected over all that were tested together, is at most q
 *	equivalent      the interval of the ratio lies inside the margin, and spread and tails are alike (statistics/spread.h)
 *	unclear         neither, or fewer pairs than a verdict takes
 *	unmeasured      one of the sides says nothing of it, which is not the same as nothing
 *	untested        nobody asked: it costs nothing
 *
 * An interval is of its row alone, an outcome is corrected over all: an interval may exclude 0 where the outcome is unclear.
 */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

enum change { CHANGE_UNCLEAR, CHANGE_GREW, CHANGE_SHRANK, CHANGE_EQUIVALENT, CHANGE_UNMEASURED, CHANGE_UNTESTED, CHANGE_COUNT };
const char *change_name(enum change change);         /* "grew" … */

struct judge_options {
	double level;                /* of intervals, and of tests that stand alone; 0.95 */
	double false_share;          /* of findings among all that were tested together; 0.04, so that with few pairs it stays below 0.05 */
	double margin;               /* of equivalence, as a share of the base; 0.03 */
	double power;                /* for "how many more pairs"; 0.8 */
	size_t pairs_least;          /* a verdict takes so many; 6 */
};
extern const struct judge_options judge_defaults;

struct judged {
	double base, candidate;              /* means over the pairs */
	struct statistics_interval delta;    /* of candidate - base; low and high NAN where one pair is all there is */
	struct statistics_interval ratio;    /* of candidate / base - 1; by logarithms where all values are positive */
	double p, p_corrected;               /* NAN: not tested; p_corrected is p for what stands alone */
	double p_flips;                      /* the check that assumes no distribution */
	enum change change;
	size_t more_pairs;                   /* of an unclear one: how many more would tell; 0 unknown */
	double margin;                       /* of equivalence, as it was judged by */
	bool alone;                          /* named beforehand: tested by itself at the level */
	bool uneven;                         /* the means agree, spread or tails do not */
};

/* Everything but the correction and what follows from it. Values: one per pair, per completion. */
void judge_pairs(const double *base, const double *candidate, size_t pairs, const struct judge_options *options,
		 struct judged *ret);
/* One side or both say nothing of it: no change, no interval, no p. */
void judge_unmeasured(struct judged *judged, bool base_lacks, bool candidate_lacks);
/* Unclear, and yet the interval of the difference excludes 0. */
bool judged_excludes_zero(const struct judged *judged);
/* Corrects over all rows with a p that do not stand alone, then decides every row. Rows are pointers into the caller's. */
void judge_family(struct judged **rows, size_t count, const struct judge_options *options);
