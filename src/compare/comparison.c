/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures in, rows out. One family is corrected over everything that was tested, states and stacks alike, so that "nothing
 * changed" stays true at the level that is printed; what was named beforehand is tested by itself.
 */
#include "compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "compare/state.h"
#include "profile/profile.h"
#include "profile/selection.h"

const struct comparison_options comparison_defaults = {
	.judge = { .level = 0.95, .false_share = 0.04, .margin = 0.03, .power = 0.8, .pairs_least = 6 },
	.weight_share = 0.005,
};

const char *side_name(enum side side)
{
	static const char *const names[] = { "base", "candidate", "restored" };

	return (size_t)side < ARRAY_LENGTH(names) ? names[side] : "?";
}

const char *row_kind_name(enum row_kind kind)
{
	static const char *const names[] = { "?", "state", "part", "amount", "stack", "object", "class", "elapsed" };

	return (size_t)kind < ARRAY_LENGTH(names) ? names[kind] : "?";
}

struct comparison *comparison_new(const struct comparison_options *options)
{
	struct comparison *comparison = xcalloc(1, sizeof(*comparison));

	comparison->options = *options;
	comparison->row_index = map_new(2 * sizeof(uint32_t));
	comparison->row_names = intern_new();
	comparison->forest = forest_new();
	comparison->mix = mix_new();
	return comparison;
}

static void row_free(struct compared *row)
{
	for (size_t side = 0; side < SIDE_COUNT; side++)
		free(row->values[side]);
	free(row->name);
	free(row->label);
	free(row->dimension);
	free(row);
}

void comparison_free(struct comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t i = 0; i < comparison->row_count; i++)
		row_free(comparison->rows[i]);
	for (size_t i = 0; i < comparison->arm_count; i++) {
		free(comparison->arms[i].capture.name);
		free(comparison->arms[i].capture.identity);
		free(comparison->arms[i].weights.rows);
		intern_free(comparison->arms[i].told);
	}
	for (size_t side = 0; side < SIDE_COUNT; side++)
		free(comparison->pooled[side]);
	free(comparison->rows);
	free(comparison->arms);
	map_free(comparison->row_index);
	intern_free(comparison->row_names);
	forest_free(comparison->forest);
	mix_free(comparison->mix);
	free(comparison);
}

/* --- Rows ----------------------------------------------------------------------------------------------------------------- */

struct compared *comparison_row_new(struct comparison *comparison, enum row_kind kind, const char *name, const char *dimension,
				    const char *unit, enum dimension_kind dimension_kind)
{
	struct compared *row = xcalloc(1, sizeof(*row));

	*row = (struct compared){ .kind = kind, .name = xstrdup(name), .dimension = xstrdup(dimension), .unit = unit,
				  .dimension_kind = dimension_kind, .measured = "exact" };
	for (size_t side = 0; side < SIDE_COUNT; side++)
		row->values[side] = xcalloc(COMPARISON_PAIRS_MOST, sizeof(double));
	grow(comparison->rows, comparison->row_count, comparison->row_room);
	comparison->rows[comparison->row_count++] = row;
	return row;
}

struct compared *comparison_row(struct comparison *comparison, enum row_kind kind, const char *name, const char *dimension,
				const char *unit, enum dimension_kind dimension_kind)
{
	const uint32_t key[2] = { kind, intern_put(comparison->row_names, name) };
	uint32_t *at = map_put(comparison->row_index, key, NULL);

	if (!*at) {
		*at = (uint32_t)comparison->row_count + 1;
		return comparison_row_new(comparison, kind, name, dimension, unit, dimension_kind);
	}
	return comparison->rows[*at - 1];
}

/* --- One capture ---------------------------------------------------------------------------------------------------------- */

static void print_labels(const struct profile *profile, char *into, size_t size)
{
	const char *key, *value;
	size_t at = 0;

	*into = '\0';
	for (size_t i = 0; i < profile_meta_count(profile) && at < size; i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, "label.", 6))
			at += (size_t)snprintf(into + at, size - at, "%s%s=%s", at ? " " : "", key + 6, value);
	}
}

static void print_inclusion(const struct profile *profile, const struct summary *summary, double period_ns, char *into, size_t size)
{
	char period[QUANTITY_SIZE];
	bool by_length = false;
	size_t at = 0;

	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);

		by_length |= measure->weighting == WEIGHTING_SAMPLED && !measure->period && !measure->dimension.index;
	}
	*into = '\0';
	if (summary->sampling_period > 0)
		at = (size_t)snprintf(into, size, "running: one sample per %s", quantity_print(period, summary->sampling_period, "ns"));
	if (by_length && at < size)
		at += (size_t)snprintf(into + at, size - at, "%swaits: stacks of 1 in 2^k, k by length", at ? "; " : "");
	if (summary->inclusion_unknown && at < size)
		(void)snprintf(into + at, size - at, "%sunknown", at ? "; " : "");
	else if (period_ns > 0 && !at)
		(void)snprintf(into, size, "one sample per %s, given by hand", quantity_print(period, period_ns, "ns"));
}

/* Its own gates: what fails there weakens every sentence about it. */
static void print_failed(const struct summary *summary, char *into, size_t size)
{
	size_t at = 0;

	*into = '\0';
	for (const struct gate *const *gate = gates; *gate && at < size; gate++) {
		struct reading reading;

		if ((*gate)->between)
			continue;
		gate_read(*gate, (*gate)->limit, summary, NULL, &reading);
		if (reading.verdict == VERDICT_FAIL)
			at += (size_t)snprintf(into + at, size - at, "%s%s", at ? ", " : "", (*gate)->name);
	}
}

static int check_place(const struct comparison *comparison, enum side side, size_t pair, const char *name, struct error *err)
{
	if (pair >= COMPARISON_PAIRS_MOST) {
		(void)fail(err, FAILURE_USAGE, -E2BIG, "pair %zu of '%s' is out of range", pair + 1, name);
		return error_because(err, "at most %d pairs are compared", COMPARISON_PAIRS_MOST);
	}
	if (!comparison_arm(comparison, side, pair))
		return 0;
	(void)fail(err, FAILURE_USAGE, -EEXIST, "'%s' is a second %s of pair %zu", name, side_name(side), pair + 1);
	return error_try(err, "--label pair=N when recording, or name the files in the order of their pairs");
}

int comparison_add(struct comparison *comparison, enum side side, size_t pair, const char *name, const struct profile *profile,
		   const struct comparison_given *given, struct error *err)
{
	static const struct comparison_given nothing;
	struct question question = { .profile = profile, .selection = comparison->options.selection };
	CLEANUP(account) struct account *account = NULL;
	struct arm arm = { .capture = { .side = side, .pair = pair } };
	struct compared_capture *capture = &arm.capture;
	char identity[PROFILE_IDENTITY_SIZE];
	int r = check_place(comparison, side, pair, name, err);

	if (r >= 0)
		r = selection_check(question.selection, profile, name, err);
	if (r < 0)
		return r;
	given = given ? given : &nothing;
	account = account_new(&question);
	if (given->whole)
		capture->summary = *given->whole;
	else
		summary_of(profile, &capture->summary);
	capture->name = xstrdup(name);
	capture->identity = xstrdup(profile_identity(profile, identity) ? identity : name);
	capture->simulated = profile_meta(profile, "capture.simulated") != NULL;
	capture->correct = given->correct > 0 ? given->correct : account->several_ports ? 0 : account->correct;
	capture->incorrect = given->correct > 0 ? 0 : account->incorrect;
	capture->summary.correct = capture->correct;
	capture->summary.incorrect = capture->incorrect;
	if (given->correct > 0)
		capture->summary.unit[0] = '\0';
	capture->summary.inclusion_unknown &= given->period_ns <= 0;
	capture->seconds = account->elapsed_ns / 1e9;
	if (given->objective)
		capture->objective = *given->objective;
	else
		objective_of_requests(profile, comparison->options.selection, &capture->objective);
	arm.scale = capture->correct > 0 && !comparison->options.totals ? 1 / capture->correct : 1;
	print_labels(profile, capture->labels, sizeof(capture->labels));
	print_inclusion(profile, &capture->summary, given->period_ns, capture->inclusion, sizeof(capture->inclusion));
	print_failed(&capture->summary, capture->failed, sizeof(capture->failed));
	comparison_note_told(&arm, profile, account);
	comparison_add_rows(comparison, &arm, profile, account, given->period_ns);
	comparison_add_stacks(comparison, &arm, profile, account, given->period_ns);
	if (side != SIDE_RESTORED)
		mix_add(comparison->mix, profile, comparison->options.selection, side, capture->seconds);
	grow(comparison->arms, comparison->arm_count, comparison->arm_room);
	comparison->arms[comparison->arm_count++] = arm;
	return 0;
}

/* --- The finish ------------------------------------------------------------------------------------------------------------ */

const struct arm *comparison_arm(const struct comparison *comparison, enum side side, size_t pair)
{
	for (size_t i = 0; i < comparison->arm_count; i++)
		if (comparison->arms[i].capture.side == side && comparison->arms[i].capture.pair == pair)
			return &comparison->arms[i];
	return NULL;
}

static size_t arms_of(const struct comparison *comparison, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->arm_count; i++)
		count += comparison->arms[i].capture.side == side;
	return count;
}

/* The first pair, from 0, that one of the sides lacks; SIZE_MAX where all are whole. */
static size_t lacking_pair(const struct comparison *comparison, size_t pairs, enum side *ret)
{
	for (size_t pair = 0; pair < pairs; pair++)
		for (size_t side = 0; side < SIDE_COUNT; side++) {
			if (comparison_arm(comparison, (enum side)side, pair) || (side == SIDE_RESTORED && !comparison->restored))
				continue;
			*ret = (enum side)side;
			return pair;
		}
	return SIZE_MAX;
}

/* How much runs differ is seen from runs: one that stands for several would make any difference certain. */
static int check_distinct(const struct comparison *comparison, struct error *err)
{
	for (size_t i = 0; i < comparison->arm_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct compared_capture *one = &comparison->arms[k].capture, *other = &comparison->arms[i].capture;

			if (one->pair == other->pair || strcmp(one->identity, other->identity) != 0)
				continue;
			(void)fail(err, FAILURE_USAGE, -EEXIST, "'%s' is in two pairs", other->name);
			(void)error_because(err, "%s %zu and %s %zu are one recording, and one run says nothing of how runs differ",
					    side_name(one->side), one->pair + 1, side_name(other->side), other->pair + 1);
			return error_try(err, "a recording of its own for each pair");
		}
	return 0;
}

static int check_pairs(struct comparison *comparison, struct error *err)
{
	size_t most = 1, pair;
	enum side side;

	comparison->restored = arms_of(comparison, SIDE_RESTORED) > 0;
	for (size_t i = 0; i < comparison->arm_count; i++)
		most = comparison->arms[i].capture.pair >= most ? comparison->arms[i].capture.pair + 1 : most;
	comparison->pairs = most;
	pair = lacking_pair(comparison, most, &side);
	if (pair == SIZE_MAX)
		return 0;
	(void)fail(err, FAILURE_USAGE, -EINVAL, "the captures do not make pairs");
	(void)error_because(err, "%zu of base, %zu of candidate, %zu of restored; pair %zu has no %s", arms_of(comparison, SIDE_BASE),
			    arms_of(comparison, SIDE_CANDIDATE), arms_of(comparison, SIDE_RESTORED), pair + 1, side_name(side));
	return error_try(err, "crosscut diff --base A1 A2 --candidate B1 B2");
}

static const struct named *named_of(const struct comparison *comparison, const char *name)
{
	for (const struct named *named = comparison->options.named; named && named->name; named++)
		if (!strcmp(named->name, name))
			return named;
	return NULL;
}

/* Waiting for work to arrive costs nothing, and raw completions are what weights are divided by: neither is a finding. */
static bool is_tested(const struct compared *row)
{
	return row->dimension_kind != DIMENSION_IDLE && row->kind != ROW_CLASS;
}

static void judge(struct comparison *comparison, enum side side)
{
	struct judged **family = xcalloc(comparison->row_count + 1, sizeof(*family));
	size_t count = 0;

	for (size_t i = 0; i < comparison->row_count; i++) {
		struct compared *row = comparison->rows[i];
		struct judged *judged = side == SIDE_CANDIDATE ? &row->judged : &row->restored;
		const struct named *named = named_of(comparison, row->name);
		struct judge_options options = comparison->options.judge;
		bool tested;

		judged->alone = named != NULL;
		if (named && named->effect > 0)
			options.margin = named->effect / 4;
		judge_pairs(row->values[SIDE_BASE], row->values[side], comparison->pairs, &options, judged);
		if (row->lacks[SIDE_BASE] || row->lacks[side])
			judge_unmeasured(judged, row->lacks[SIDE_BASE], row->lacks[side]);
		tested = (is_tested(row) || judged->alone) && judged->change != CHANGE_UNMEASURED;
		row->tested = side == SIDE_CANDIDATE ? tested : row->tested;
		if (tested)
			family[count++] = judged;
		else if (judged->change != CHANGE_UNMEASURED)
			judged->change = CHANGE_UNTESTED;
	}
	judge_family(family, count, &comparison->options.judge);
	for (size_t i = 0; i < count; i++)
		comparison->tested += side == SIDE_CANDIDATE && !family[i]->alone && !isnan(family[i]->p);
	free(family);
}

static void find_lacking(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		for (size_t side = 0; side < SIDE_COUNT; side++)
			comparison->rows[i]->lacks[side] = (side != SIDE_RESTORED || comparison->restored) &&
							   !comparison_is_told(comparison, comparison->rows[i], (enum side)side);
}

static void tell_summaries(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->arm_count; i++) {
		comparison->arms[i].capture.summary.pairs = (double)comparison->pairs;
		comparison->arms[i].capture.summary.matched_fraction = comparison->matched_share;
	}
}

int comparison_finish(struct comparison *comparison, struct error *err)
{
	int r = check_pairs(comparison, err);

	if (r >= 0)
		r = check_distinct(comparison, err);
	if (r < 0)
		return r;
	comparison_find_stacks(comparison);
	tell_summaries(comparison);
	find_lacking(comparison);
	judge(comparison, SIDE_CANDIDATE);
	if (comparison->restored)
		judge(comparison, SIDE_RESTORED);
	comparison_mark_shifts(comparison);
	if (comparison->pairs == 1)
		comparison_describe_pair(comparison);
	comparison_judge_gates(comparison);
	return 0;
}

/* --- Reading -------------------------------------------------------------------------------------------------------------- */

size_t comparison_pairs(const struct comparison *comparison)
{
	return comparison->pairs;
}

bool comparison_has_restored(const struct comparison *comparison)
{
	return comparison->restored;
}

size_t comparison_row_count(const struct comparison *comparison)
{
	return comparison->row_count;
}

const struct compared *comparison_row_at(const struct comparison *comparison, size_t index)
{
	return comparison->rows[index];
}

const struct compared *comparison_find(const struct comparison *comparison, const char *name)
{
	const struct compared *found = NULL;
	double widest = -1;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];
		double width = fmax(0, fmax(row->judged.base, row->judged.candidate));

		if (strcmp(row->name, name) != 0 || width <= widest)
			continue;
		found = row;
		widest = width;
	}
	return found;
}

size_t comparison_capture_count(const struct comparison *comparison)
{
	return comparison->arm_count;
}

const struct compared_capture *comparison_capture_at(const struct comparison *comparison, size_t index)
{
	return &comparison->arms[index].capture;
}

double comparison_matched_share(const struct comparison *comparison)
{
	return comparison->matched_share;
}

size_t comparison_tested(const struct comparison *comparison)
{
	return comparison->tested;
}

bool comparison_described(const struct comparison *comparison)
{
	return comparison->pairs < comparison->options.judge.pairs_least;
}

/* Of what costs time; more throughput is no loss. */
static bool is_cost(const struct compared *row)
{
	if (row->kind == ROW_ELAPSED)
		return strcmp(row->name, "elapsed:throughput") != 0;
	return row->dimension_kind != DIMENSION_IDLE && row->kind != ROW_CLASS;
}

bool comparison_worse(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];

		if (row->tested && row->judged.change == CHANGE_GREW && is_cost(row) && !row->shift)
			return true;
		if (row->tested && row->judged.change == CHANGE_SHRANK && !is_cost(row))
			return true;
	}
	return false;
}

static double all_costs(const struct comparison *comparison)
{
	double all = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->kind == ROW_STATE && is_cost(comparison->rows[i]))
			all += comparison->rows[i]->judged.base;
	return all;
}

bool comparison_drifted(const struct comparison *comparison)
{
	const double least = 0.1 * all_costs(comparison);
	bool named = comparison->options.named && comparison->options.named->name;

	for (size_t i = 0; i < comparison->row_count && comparison->restored; i++) {
		const struct compared *row = comparison->rows[i];
		bool asked = named ? row->judged.alone
			     : row->kind == ROW_STATE ? is_cost(row) && row->restored.base >= least
						      : !strcmp(row->name, "elapsed:mean");

		if (asked && row->restored.change != CHANGE_EQUIVALENT && (named || row->restored.change != CHANGE_UNMEASURED))
			return true;
	}
	return false;
}
