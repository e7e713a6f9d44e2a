/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A hypothesis states a mechanism, and what must move together if it is true: local attribution (thread time per completion)
 * and what users saw. It is judged by three arms in matched blocks: the baseline, the candidate, and the candidate with one
 * change taken back. What rose must fall back together; if only what lies elsewhere moves, the mechanism was not it.
 *
 *	supported      all that must move rose, fell back, and is equivalent to the baseline again
 *	rejected       something that must move did not rise, or did not fall back; or what must not move rose
 *	inconclusive   too few pairs, or these cannot tell; or the evidence may not speak
 *	drift          it fell back, but not to where the baseline is: something else moved meanwhile
 *
 * Knows numbers only: one value per block and arm.
 */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

struct prediction {
	const char *name;                    /* "disk", "lock/mutex", or of what users saw "p99"; NULL ends a list */
	double by;                           /* the least rise, as a share of the baseline: 0.5 is by half */
};

struct hypothesis {
	const char *name;                    /* "storage-bursts", as in [hypothesis] mechanism = storage-bursts */
	const char *summary;                 /* one line, below 72 columns */
	const char *mechanism;               /* why these move together */
	const struct prediction *must_move;  /* together, up, and back when the change is taken back */
	const struct prediction *must_not_move;      /* `by` is what is still taken for level */
	const char *change;                  /* what the restored arm should take back */
};

extern const struct hypothesis *const hypotheses[];  /* NULL-terminated, sorted by name */
const struct hypothesis *hypothesis_find(const char *name);

enum judgement { JUDGED_SUPPORTED = 1, JUDGED_REJECTED, JUDGED_INCONCLUSIVE, JUDGED_DRIFT };
const char *judgement_name(enum judgement judgement);        /* "supported" … */

enum answer { ANSWER_UNCLEAR, ANSWER_YES, ANSWER_NO };
const char *answer_name(enum answer answer);         /* "unclear", "yes", "no" */

/* One quantity in all blocks; the caller fills what is above the line. */
struct moved {
	const char *name, *unit;
	double by;
	bool must_not;
	bool may_be_lower;                   /* the rest of the release lowers it too: below the baseline is no drift */
	const double *baseline, *candidate, *restored;       /* one value per pair */
	/* ---- */
	bool from_nothing;                   /* the baseline hardly had any: rise and rest are shares of the candidate then */
	struct statistics_interval rise;     /* candidate / baseline - 1 */
	struct statistics_interval fall;     /* restored / candidate - 1 */
	struct statistics_interval rest;     /* restored / baseline - 1 */
	double margin;                       /* of equivalence: a quarter of the predicted effect, at least 3 %; from nothing 10 % */
	enum answer rose, fell, is_back;     /* fell: back by at least half of what it rose */
	size_t pairs_needed;                 /* to answer what is unclear; 0 where nothing is, or it cannot be said */
};

struct judging {
	struct moved *moved;
	size_t count, pairs;
	size_t pairs_least;                  /* a verdict takes so many: 6 */
	const char *refused;                 /* why the evidence may not speak; NULL: it may */
};

struct conclusion {
	enum judgement judgement;
	size_t pairs_needed;                 /* of an inconclusive one: blocks per arm that would decide; 0 unknown */
	char why[400];                       /* with the quantity and its numbers */
};

void hypothesis_judge(struct judging *judging, struct conclusion *ret);
