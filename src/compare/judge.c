/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p and the interval of the difference come from the paired t: at six to twelve pairs permutations alone could not reach what
 * a correction over a hundred frames asks for (2 / 2^n). That differences are roughly normal is therefore assumed, and the
 * exact sign flips stand beside it. The ratio goes through logarithms, so that pairs under more load weigh no more.
 */
#include "compare/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "statistics/correction.h"
#include "statistics/moments.h"
#include "statistics/paired.h"
#include "statistics/power.h"
#include "statistics/spread.h"

const struct judge_options judge_defaults = {
	.level = 0.95, .false_share = 0.04, .margin = 0.03, .power = 0.8, .pairs_least = 6,
};

const char *change_name(enum change change)
{
	static const char *const names[] = { "unclear", "grew", "shrank", "equivalent", "unmeasured", "untested" };

	return (size_t)change < ARRAY_LENGTH(names) ? names[change] : "?";
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : NAN;
}

/* Where a zero forbids logarithms, the interval of the difference over the base's mean. */
static void find_ratio(const double *base, const double *candidate, size_t pairs, double level, struct judged *judged)
{
	if (statistics_interval_of_ratios(base, candidate, pairs, level, &judged->ratio) == 0)
		return;
	judged->ratio = judged->delta;
	judged->ratio.estimate /= judged->base;
	judged->ratio.low /= judged->base;
	judged->ratio.high /= judged->base;
}

/* Enough to see the change that was seen, or to see that it stays inside the margin: whichever is nearer. */
static size_t more_pairs(const double *differences, size_t pairs, const struct judged *judged, const struct judge_options *options)
{
	struct moments moments = { 0 };
	double margin = options->margin * judged->base, seen = fabs(judged->delta.estimate);
	size_t needed;

	for (size_t i = 0; i < pairs; i++)
		moments_add(&moments, differences[i]);
	needed = power_pairs(moments_deviation(&moments), fmax(seen, margin - seen), 1 - options->level, options->power);
	if (needed < options->pairs_least)
		needed = options->pairs_least;
	return needed > pairs ? needed - pairs : 1;
}

static bool is_uneven(const double *base, const double *candidate, size_t pairs, double level)
{
	struct spread spread;

	spread_compare(base, pairs, candidate, pairs, &spread);
	return !spread_is_alike(&spread, level);
}

void judge_pairs(const double *base, const double *candidate, size_t pairs, const struct judge_options *options,
		 struct judged *ret)
{
	double *differences = xcalloc(pairs + 1, sizeof(*differences));
	bool alone = ret->alone;

	*ret = (struct judged){ .base = mean_of(base, pairs), .candidate = mean_of(candidate, pairs), .p = NAN, .p_corrected = NAN,
				.p_flips = NAN, .margin = options->margin, .alone = alone };
	ret->delta = (struct statistics_interval){ .estimate = ret->candidate - ret->base, .low = NAN, .high = NAN,
						   .level = options->level, .count = pairs };
	ret->ratio = ret->delta;
	ret->ratio.estimate = ret->base > 0 ? ret->candidate / ret->base - 1 : NAN;
	for (size_t i = 0; i < pairs; i++)
		differences[i] = candidate[i] - base[i];
	if (pairs > 1 && statistics_interval_of_pairs(base, candidate, pairs, options->level, &ret->delta) == 0) {
		find_ratio(base, candidate, pairs, options->level, ret);
		ret->p = paired_p(differences, pairs);
		ret->p_flips = sign_flip_p(differences, pairs);
		ret->more_pairs = more_pairs(differences, pairs, ret, options);
		ret->uneven = is_uneven(base, candidate, pairs, options->level);
	}
	free(differences);
}

void judge_unmeasured(struct judged *judged, bool base_lacks, bool candidate_lacks)
{
	const struct statistics_interval unknown = { .estimate = NAN, .low = NAN, .high = NAN, .level = judged->delta.level };

	*judged = (struct judged){ .base = base_lacks ? NAN : judged->base, .candidate = candidate_lacks ? NAN : judged->candidate,
				   .delta = unknown, .ratio = unknown, .p = NAN, .p_corrected = NAN, .p_flips = NAN,
				   .change = CHANGE_UNMEASURED, .margin = judged->margin, .alone = judged->alone };
}

/* A quantity that was never there is equivalent to itself; its ratio says nothing. */
static bool is_inside(const struct judged *judged, double margin)
{
	if (judged->base <= 0 && judged->candidate <= 0)
		return judged->delta.low >= 0 && judged->delta.high <= 0;
	return statistics_interval_inside(&judged->ratio, -margin, margin);
}

/* A difference that is certain and yet inside the margin is a change too small to matter. */
static void decide(struct judged *judged, const struct judge_options *options)
{
	double limit = judged->alone ? 1 - options->level : options->false_share;
	bool inside = is_inside(judged, judged->margin);

	judged->change = CHANGE_UNCLEAR;
	if (isnan(judged->p) || judged->delta.count < options->pairs_least)
		return;
	if (inside && !judged->uneven)
		judged->change = CHANGE_EQUIVALENT;
	else if (!inside && judged->p_corrected <= limit)
		judged->change = judged->delta.estimate > 0 ? CHANGE_GREW : CHANGE_SHRANK;
	judged->uneven &= inside;
	if (judged->change != CHANGE_UNCLEAR)
		judged->more_pairs = 0;
}

bool judged_excludes_zero(const struct judged *judged)
{
	return judged->change == CHANGE_UNCLEAR && (judged->delta.low > 0 || judged->delta.high < 0);
}

void judge_family(struct judged **rows, size_t count, const struct judge_options *options)
{
	double *p = xcalloc(count + 1, sizeof(*p));

	for (size_t i = 0; i < count; i++)
		p[i] = rows[i]->alone ? NAN : rows[i]->p;
	correct_false_discovery(p, count);
	for (size_t i = 0; i < count; i++) {
		rows[i]->p_corrected = rows[i]->alone ? rows[i]->p : p[i];
		decide(rows[i], options);
	}
	free(p);
}
