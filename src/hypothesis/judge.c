/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From numbers to a verdict, in the order in which each step makes the next one meaningful: may the evidence speak, are there
 * enough pairs, did everything rise, did everything fall back, is it where it was. The first answer that is not yes decides.
 *
 * Ratios are of logarithms (statistics/interval.h), since noise grows with size. A rise is shown where the interval excludes 0
 * and its middle reaches what was predicted, and refuted where the whole interval lies below that.
 */
#include "hypothesis/hypothesis.h"

#include "statistics/power.h"
#include "statistics/student.h"

#include <math.h>
#include <stdio.h>

#define LEVEL 0.95
#define ALPHA 0.05
#define POWER 0.8
#define MARGIN_LEAST 0.03
#define NOTHING 0.05                         /* of the candidate: a baseline below it had none */
#define NOTHING_MARGIN 0.1                   /* of the candidate: what is still none */
#define FALL_SHARE 0.5                       /* of what it rose, to have fallen back */

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* A quantity that was nothing in some block has no logarithm: the interval is of plain differences over the mean then. */
static void interval_between(const double *from, const double *to, size_t pairs, struct statistics_interval *ret)
{
	double mean = mean_of(from, pairs);

	*ret = (struct statistics_interval){ NAN, NAN, NAN, LEVEL, pairs };
	if (statistics_interval_of_ratios(from, to, pairs, LEVEL, ret) >= 0)
		return;
	if (mean <= 0)
		return;
	if (statistics_interval_of_pairs(from, to, pairs, LEVEL, ret) >= 0) {
		ret->estimate /= mean;
		ret->low /= mean;
		ret->high /= mean;
	} else {
		ret->estimate = mean_of(to, pairs) / mean - 1;
	}
}

/* Where the baseline had none, a ratio to it says nothing: differences, as shares of what the candidate has. */
static void interval_over(const double *from, const double *to, size_t pairs, double whole, struct statistics_interval *ret)
{
	*ret = (struct statistics_interval){ NAN, NAN, NAN, LEVEL, pairs };
	if (statistics_interval_of_pairs(from, to, pairs, LEVEL, ret) < 0)
		return;
	ret->estimate /= whole;
	ret->low /= whole;
	ret->high /= whole;
}

/* How many pairs would tell the estimate from a bound, from the spread that these pairs had: of a ratio, as its interval was made,
 * by logarithms, where alone it is as wide above as below. */
static size_t pairs_to_tell(const struct statistics_interval *interval, double bound, size_t pairs, bool by_logarithms)
{
	double low = interval->low, high = interval->high, distance = interval->estimate - bound, spread;

	if (by_logarithms && low > -1 && bound > -1) {
		distance = log1p(interval->estimate) - log1p(bound);
		low = log1p(low);
		high = log1p(high);
	}
	if (!(high > low) || !isfinite(high - low) || pairs < 2)
		return 0;
	spread = (high - low) / 2 * sqrt((double)pairs) / student_quantile(1 - ALPHA / 2, (double)pairs - 1);
	return power_pairs(spread, distance, ALPHA, POWER);
}

static enum answer rose(const struct moved *moved)
{
	const struct statistics_interval *rise = &moved->rise;

	if (moved->must_not)
		return rise->low > 0 && rise->estimate > moved->by ? ANSWER_YES
		       : rise->high < fmax(moved->by, MARGIN_LEAST) || rise->estimate <= 0 ? ANSWER_NO
											   : ANSWER_UNCLEAR;
	if (rise->low > 0 && (moved->from_nothing || rise->estimate >= moved->by))
		return ANSWER_YES;
	if (moved->from_nothing)
		return ANSWER_UNCLEAR;
	return rise->high < moved->by ? ANSWER_NO : ANSWER_UNCLEAR;
}

/* Half of what it rose, as a share of the candidate. */
static double fall_wanted(const struct moved *moved)
{
	return moved->from_nothing ? -FALL_SHARE : -FALL_SHARE * moved->rise.estimate / (1 + moved->rise.estimate);
}

static enum answer fell(const struct moved *moved)
{
	if (moved->fall.high < 0 && moved->fall.estimate <= fall_wanted(moved))
		return ANSWER_YES;
	return moved->fall.low > fall_wanted(moved) ? ANSWER_NO : ANSWER_UNCLEAR;
}

static enum answer is_back(const struct moved *moved)
{
	double least = moved->may_be_lower ? -INFINITY : -moved->margin;

	if (moved->rest.low >= least && moved->rest.high <= moved->margin)
		return ANSWER_YES;
	return moved->rest.low > moved->margin || moved->rest.high < least ? ANSWER_NO : ANSWER_UNCLEAR;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void judge_one(struct moved *moved, size_t pairs)
{
	double nearest, whole = mean_of(moved->candidate, pairs);
	bool ratio;

	moved->from_nothing = !moved->must_not && mean_of(moved->baseline, pairs) < NOTHING * whole;
	if (moved->from_nothing) {
		interval_over(moved->baseline, moved->candidate, pairs, whole, &moved->rise);
		interval_over(moved->candidate, moved->restored, pairs, whole, &moved->fall);
		interval_over(moved->baseline, moved->restored, pairs, whole, &moved->rest);
	} else {
		interval_between(moved->baseline, moved->candidate, pairs, &moved->rise);
		interval_between(moved->candidate, moved->restored, pairs, &moved->fall);
		interval_between(moved->baseline, moved->restored, pairs, &moved->rest);
	}
	moved->margin = moved->from_nothing ? NOTHING_MARGIN : fmax(moved->by / 4, MARGIN_LEAST);
	moved->rose = rose(moved);
	moved->fell = fell(moved);
	moved->is_back = is_back(moved);
	ratio = !moved->from_nothing;
	if (moved->rose == ANSWER_UNCLEAR)
		moved->pairs_needed = pairs_to_tell(&moved->rise, moved->rise.estimate >= moved->by ? 0 : moved->by, pairs, ratio);
	if (!moved->must_not && moved->fell == ANSWER_UNCLEAR)
		moved->pairs_needed = most(moved->pairs_needed,
					   pairs_to_tell(&moved->fall, moved->fall.estimate <= fall_wanted(moved) ? 0 : fall_wanted(moved),
							 pairs, ratio));
	nearest = moved->rest.estimate < 0 && !moved->may_be_lower ? -moved->margin : moved->margin;
	if (!moved->must_not && moved->is_back == ANSWER_UNCLEAR)
		moved->pairs_needed = most(moved->pairs_needed, pairs_to_tell(&moved->rest, nearest, pairs, ratio));
}

/* --- The verdict ------------------------------------------------------------------------------------------------ */

enum step { STEP_ROSE, STEP_FELL, STEP_BACK };

static enum answer answer_of(const struct moved *moved, enum step step)
{
	if (moved->must_not)
		return step != STEP_ROSE ? ANSWER_YES
		       : moved->rose == ANSWER_YES ? ANSWER_NO
		       : moved->rose == ANSWER_NO ? ANSWER_YES
						  : ANSWER_UNCLEAR;
	return step == STEP_ROSE ? moved->rose : step == STEP_FELL ? moved->fell : moved->is_back;
}

static const struct moved *first_with(const struct judging *judging, enum step step, enum answer answer)
{
	for (size_t i = 0; i < judging->count; i++)
		if (answer_of(&judging->moved[i], step) == answer)
			return &judging->moved[i];
	return NULL;
}

static void say(struct conclusion *ret, enum judgement judgement, const struct moved *moved, enum step step)
{
	static const char *const wanted[] = { "rose by %+.0f %% (%+.0f to %+.0f %%)", "moved by %+.0f %% (%+.0f to %+.0f %%)",
					      "is %+.0f %% off the baseline (%+.0f to %+.0f %%)" };
	const struct statistics_interval *interval = step == STEP_ROSE ? &moved->rise : step == STEP_FELL ? &moved->fall : &moved->rest;
	char text[160];
	const char *format = wanted[step];

	ret->judgement = judgement;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(text, sizeof(text), format, 100 * interval->estimate, 100 * interval->low, 100 * interval->high);
#pragma GCC diagnostic pop
	if (step == STEP_ROSE && moved->from_nothing)
		(void)snprintf(ret->why, sizeof(ret->why), "%s, next to nothing in the baseline, %s, as a share of the candidate's, where "
			       "the interval is to exclude 0", moved->name, text);
	else if (step == STEP_ROSE && moved->must_not)
		(void)snprintf(ret->why, sizeof(ret->why), "%s %s in the candidate, where the mechanism has it level within %.0f %%", moved->name,
			       text, 100 * moved->by);
	else if (step == STEP_ROSE)
		(void)snprintf(ret->why, sizeof(ret->why), "%s %s in the candidate, and by %.0f %% or more was predicted", moved->name, text,
			       100 * moved->by);
	else if (step == STEP_FELL)
		(void)snprintf(ret->why, sizeof(ret->why), "%s %s when the change was taken back, and %.0f %% was to be regained at least",
			       moved->name, text, 100 * fall_wanted(moved));
	else
		(void)snprintf(ret->why, sizeof(ret->why), "%s %s in the restored arm%s, and the margin is %.0f %%", moved->name, text,
			       moved->from_nothing ? ", as a share of the candidate's" : "", 100 * moved->margin);
}

static size_t all_need(const struct judging *judging)
{
	size_t needed = judging->pairs_least;

	for (size_t i = 0; i < judging->count; i++)
		needed = most(needed, judging->moved[i].pairs_needed);
	return needed;
}

/* The least that a verdict takes, and what the spread of these pairs asks for, which three of them tell badly. */
static void say_too_few(const struct judging *judging, struct conclusion *ret)
{
	int at = snprintf(ret->why, sizeof(ret->why), "%zu pairs describe; a verdict takes %zu pairs or more", judging->pairs,
			  judging->pairs_least);
	size_t room = sizeof(ret->why) - (size_t)at;

	if (ret->pairs_needed > POWER_PAIRS_MOST)
		(void)snprintf(ret->why + at, room, ", and at the spread of these more than %d: longer blocks, or a quieter host",
			       POWER_PAIRS_MOST);
	else if (ret->pairs_needed > judging->pairs_least)
		(void)snprintf(ret->why + at, room, ", and at the spread of these %zu", ret->pairs_needed);
}

static void decide(const struct judging *judging, struct conclusion *ret)
{
	static const enum judgement if_no[] = { JUDGED_REJECTED, JUDGED_REJECTED, JUDGED_DRIFT };
	const struct moved *moved;

	for (enum step step = STEP_ROSE; step <= STEP_BACK; step++) {
		if ((moved = first_with(judging, step, ANSWER_NO))) {
			say(ret, if_no[step], moved, step);
			return;
		}
		if ((moved = first_with(judging, step, ANSWER_UNCLEAR))) {
			say(ret, JUDGED_INCONCLUSIVE, moved, step);
			ret->pairs_needed = all_need(judging);
			return;
		}
	}
	ret->judgement = JUDGED_SUPPORTED;
	(void)snprintf(ret->why, sizeof(ret->why),
		       "all that must move rose in the candidate, fell back together when the change was taken back, and is "
		       "equivalent to the baseline again; what must not move did not");
}

void hypothesis_judge(struct judging *judging, struct conclusion *ret)
{
	*ret = (struct conclusion){ .judgement = JUDGED_INCONCLUSIVE };
	for (size_t i = 0; i < judging->count && judging->pairs; i++)
		judge_one(&judging->moved[i], judging->pairs);
	if (judging->refused)
		(void)snprintf(ret->why, sizeof(ret->why), "the evidence may not speak: %.300s", judging->refused);
	else if (!judging->count)
		(void)snprintf(ret->why, sizeof(ret->why), "nothing was predicted");
	else if (judging->pairs < judging->pairs_least) {
		ret->pairs_needed = all_need(judging);
		say_too_few(judging, ret);
	} else
		decide(judging, ret);
}
