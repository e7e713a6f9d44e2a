/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the captures of the arms to comparison, verdict and claims. Called to fill a packet and again to verify it, so that no
 * figure in a packet rests on anything but its captures. What was predicted is named to the comparison beforehand.
 */
#include "packet/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "compare/comparison.h"
#include "compare/widest.h"
#include "format/format.h"
#include "hypothesis/hypothesis.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "runbook/runbook.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PREDICTION_LIMIT = 32, STACK_ROW_LIMIT = 200 };
static const char *const arms[SIDE_COUNT] = { "baseline", "candidate", "restored" };

struct concluding {
	const struct packet *packet;
	struct comparison *comparison;
	json_t *captures[SIDE_COUNT][COMPARISON_PAIRS_MOST];     /* borrowed; matched, without gaps */
	size_t pairs;
	bool has_restored;
	struct named named[PREDICTION_LIMIT + 1];
	struct moved moved[PREDICTION_LIMIT];
	char *names[PREDICTION_LIMIT];                           /* as the comparison calls them */
	size_t predicted;
	char refusal[220];
};

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* --- Which captures --------------------------------------------------------------------------------------------- */

static json_t *capture_of(const struct packet *packet, const char *arm, unsigned pair)
{
	json_t *capture;
	size_t i;

	json_array_foreach(json_object_get(packet->root, "captures"), i, capture) {
		if (!strcmp(packet_text(capture, "arm"), arm) && json_integer_value(json_object_get(capture, "pair")) == (json_int_t)pair)
			return capture;
	}
	return NULL;
}

static bool has_arm(const struct packet *packet, const char *arm)
{
	json_t *capture;
	size_t i;

	json_array_foreach(json_object_get(packet->root, "captures"), i, capture) {
		if (!strcmp(packet_text(capture, "arm"), arm))
			return true;
	}
	return false;
}

/* A pair that lacks an arm is no pair: the blocks of one number ran side by side. */
static void match_pairs(struct concluding *concluding)
{
	const struct packet *packet = concluding->packet;

	concluding->has_restored = has_arm(packet, "restored");
	for (unsigned pair = 1; pair <= PACKET_CAPTURE_LIMIT && concluding->pairs < COMPARISON_PAIRS_MOST; pair++) {
		json_t *found[SIDE_COUNT];
		bool whole = true;

		for (int side = 0; side < SIDE_COUNT; side++) {
			found[side] = capture_of(packet, arms[side], pair);
			whole &= found[side] || (side == SIDE_RESTORED && !concluding->has_restored);
		}
		for (int side = 0; side < SIDE_COUNT && whole; side++)
			concluding->captures[side][concluding->pairs] = found[side];
		concluding->pairs += whole;
	}
}

/* --- What was predicted ----------------------------------------------------------------------------------------- */

static void add_predictions(struct concluding *concluding, const char *key, bool must_not)
{
	const json_t *hypothesis = json_object_get(concluding->packet->root, "hypothesis");
	json_t *prediction;
	size_t i;

	json_array_foreach(json_object_get(hypothesis, key), i, prediction) {
		const char *name = packet_text(prediction, "name");
		size_t at = concluding->predicted;

		if (at == PREDICTION_LIMIT)
			return;
		concluding->moved[at] = (struct moved){ .name = name, .must_not = must_not,
							.by = json_number_value(json_object_get(prediction, "by")),
							.may_be_lower = json_is_true(json_object_get(prediction, "may_be_lower")) };
		concluding->names[at] = xasprintf("%s%s", runbook_is_objective(name) ? "elapsed:" : "", strcmp(name, "p999") ? name : "p99.9");
		concluding->named[at] = (struct named){ concluding->names[at], must_not ? 0 : concluding->moved[at].by };
		concluding->predicted++;
	}
}

/* --- Comparing -------------------------------------------------------------------------------------------------- */

static int add_capture(struct concluding *concluding, enum side side, size_t pair, struct error *err)
{
	const json_t *capture = concluding->captures[side][pair];
	CLEANUP_TEXT char *path = packet_path(concluding->packet, packet_text(capture, "file"));
	const char *name = packet_text(capture, "objective");
	CLEANUP_TEXT char *objective_path = *name ? packet_path(concluding->packet, name) : NULL;
	CLEANUP(profile) struct profile *profile = NULL;
	struct objective objective;
	struct comparison_given given = { 0 };
	int r = objective_path ? objective_read(objective_path, &objective, err) : 0;

	if (r >= 0)
		r = format_read(path, &profile, err);
	if (r < 0)
		return r;
	given.objective = objective_path ? &objective : NULL;
	return comparison_add(concluding->comparison, side, pair, packet_text(capture, "file"), profile, &given, err);
}

static int compare(struct concluding *concluding, const struct selection *selection, struct error *err)
{
	struct comparison_options options = comparison_defaults;
	int r = 0;

	options.selection = selection;
	options.named = concluding->named;
	concluding->comparison = comparison_new(&options);
	for (size_t pair = 0; pair < concluding->pairs && r >= 0; pair++)
		for (int side = 0; side < SIDE_COUNT && r >= 0; side++)
			if (concluding->captures[side][pair])
				r = add_capture(concluding, side, pair, err);
	return r < 0 ? r : comparison_finish(concluding->comparison, err);
}

static json_t *interval_of(const struct statistics_interval *interval)
{
	return json_pack("{s:o,s:o,s:o}", "estimate", number(interval->estimate), "low", number(interval->low), "high",
			 number(interval->high));
}

/* What one side does not tell has no change, whatever the other says. */
static bool is_measured(const struct compared *row)
{
	return !row->lacks[SIDE_BASE] && !row->lacks[SIDE_CANDIDATE] && !row->lacks[SIDE_RESTORED];
}

static json_t *row_of(const struct compared *row, bool has_restored)
{
	const struct statistics_interval unknown = { NAN, NAN, NAN, 0, 0 };
	bool measured = is_measured(row);
	json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:s,s:o,s:o,s:I}", "name", row->name, "kind",
				   row_kind_name(row->kind), "dimension", row->dimension ? row->dimension : "", "unit", row->unit, "measured",
				   row->measured ? row->measured : "", "base", number(row->judged.base), "candidate",
				   number(row->judged.candidate), "delta",
				   interval_of(measured ? &row->judged.delta : &unknown), "ratio",
				   interval_of(measured ? &row->judged.ratio : &unknown), "outcome",
				   change_name(measured ? row->judged.change : CHANGE_UNMEASURED), "p",
				   number(row->judged.p), "p_corrected", number(row->judged.p_corrected), "more_pairs",
				   (json_int_t)row->judged.more_pairs);

	json_object_set_new(object, "total_base", number(row->totals[SIDE_BASE]));
	json_object_set_new(object, "total_candidate", number(row->totals[SIDE_CANDIDATE]));
	if (has_restored) {
		json_object_set_new(object, "restored", number(row->restored.candidate));
		json_object_set_new(object, "restored_ratio", interval_of(&row->restored.ratio));
		json_object_set_new(object, "restored_outcome", json_string(change_name(row->restored.change)));
	}
	return object;
}

static json_t *comparison_json(const struct concluding *concluding)
{
	const struct comparison *comparison = concluding->comparison;
	json_t *read = json_array(), *rows = json_array();
	size_t stacks = 0;

	for (size_t i = 0; i < comparison_gate_count(comparison); i++) {
		const struct compared_gate *gate = comparison_gate_at(comparison, i);

		json_array_append_new(read, json_pack("{s:s,s:s,s:o,s:o}", "name", gate->gate->name, "verdict",
						      verdict_name(gate->reading.verdict), "value", number(gate->reading.value), "limit",
						      number(gate->reading.limit)));
	}
	for (size_t i = 0; i < comparison_row_count(comparison); i++) {
		const struct compared *row = comparison_row_at(comparison, i);
		bool is_detail = row->kind == ROW_STACK || row->kind == ROW_OBJECT;

		if (!is_detail || (row->tested && comparison_find(comparison, row->name) == row && stacks++ < STACK_ROW_LIMIT))
			json_array_append_new(rows, row_of(row, concluding->has_restored));
	}
	return json_pack("{s:I,s:b,s:b,s:o,s:o,s:o}", "pairs", (json_int_t)concluding->pairs, "refused",
			 comparison_refused(comparison), "described", comparison_described(comparison), "matched_frames",
			 number(comparison_matched_share(comparison)), "gates", read, "rows", rows);
}

/* --- Verdict ---------------------------------------------------------------------------------------------------- */

/* Gates of what only stacks rest on: what was predicted are states, counted without any, and what users saw. */
static bool guards_stacks(const struct gate *gate)
{
	static const char *const names[] = { "equal-inclusion", "equal-resolution", "equal-sampling", "matched-frames" };

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (!strcmp(names[i], gate->name))
			return true;
	return false;
}

/* A verdict rests on states, which are counted without any stack, in arms that all bear the same cost: what these gates guard
 * it does not need. */
bool packet_verdict_needs(const char *gate)
{
	static const char *const others[] = { "complete-stacks", "own-cost", "sampling-bias", "unresolved-frames" };

	for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
		if (!strcmp(others[i], gate))
			return false;
	return true;
}

/* The first capture that may not speak for itself: what packet_verify() would not let pass is no verdict to begin with. */
static const char *failed_capture(struct concluding *concluding)
{
	json_t *gate;
	size_t i;

	for (size_t side = 0; side < SIDE_COUNT; side++)
		for (size_t pair = 0; pair < concluding->pairs && (side != SIDE_RESTORED || concluding->has_restored); pair++)
			json_array_foreach(json_object_get(concluding->captures[side][pair], "gates"), i, gate) {
				const char *name = packet_text(gate, "name");

				if (strcmp(packet_text(gate, "verdict"), "fail") != 0 || !packet_verdict_needs(name))
					continue;
				(void)snprintf(concluding->refusal, sizeof(concluding->refusal), "%.100s failed in %.100s", name,
					       packet_text(concluding->captures[side][pair], "file"));
				return concluding->refusal;
			}
	return NULL;
}

static const char *first_refusal(struct concluding *concluding)
{
	const char *outside = packet_text(concluding->packet->root, "refused");

	if (*outside)
		return outside;
	for (size_t i = 0; i < comparison_gate_count(concluding->comparison); i++) {
		const struct compared_gate *gate = comparison_gate_at(concluding->comparison, i);

		if (strcmp(gate->gate->name, "enough-pairs") && !guards_stacks(gate->gate) && gate->reading.verdict >= VERDICT_FAIL)
			return *gate->reading.why ? gate->reading.why : gate->gate->name;
	}
	return failed_capture(concluding);
}

static json_t *quantity_of(const struct moved *moved)
{
	return json_pack("{s:s,s:b,s:o,s:b,s:o,s:o,s:o,s:o,s:s,s:s,s:s,s:I}", "name", moved->name, "from_nothing", moved->from_nothing, "by", number(moved->by), "must_not",
			 moved->must_not, "rise", interval_of(&moved->rise), "fall", interval_of(&moved->fall), "rest",
			 interval_of(&moved->rest), "margin", number(moved->margin), "rose", answer_name(moved->rose), "fell",
			 answer_name(moved->fell), "is_back", answer_name(moved->is_back), "pairs_needed",
			 (json_int_t)moved->pairs_needed);
}

static json_t *untested(const char *why)
{
	return json_pack("{s:s,s:s}", "judgement", "untested", "why", why);
}

static json_t *verdict_json(struct concluding *concluding)
{
	struct judging judging = { .moved = concluding->moved, .count = concluding->predicted, .pairs = concluding->pairs,
				   .pairs_least = PACKET_PAIRS_LEAST, .refused = first_refusal(concluding) };
	struct conclusion conclusion;
	json_t *quantities, *verdict;

	if (!concluding->predicted)
		return untested("no hypothesis was stated");
	if (!concluding->has_restored)
		return untested("there is no restored arm: nothing was taken back, so that nothing could fall back");
	for (size_t i = 0; i < concluding->predicted; i++) {
		const struct compared *row = comparison_find(concluding->comparison, concluding->names[i]);

		if (!row || !is_measured(row))
			return untested("a quantity that was predicted was not measured in every block");
		concluding->moved[i].unit = row->unit;
		concluding->moved[i].baseline = row->values[SIDE_BASE];
		concluding->moved[i].candidate = row->values[SIDE_CANDIDATE];
		concluding->moved[i].restored = row->values[SIDE_RESTORED];
	}
	hypothesis_judge(&judging, &conclusion);
	quantities = json_array();
	for (size_t i = 0; i < concluding->predicted; i++)
		json_array_append_new(quantities, quantity_of(&concluding->moved[i]));
	verdict = json_pack("{s:s,s:s,s:I,s:o}", "judgement", judgement_name(conclusion.judgement), "why", conclusion.why, "pairs_needed",
			    (json_int_t)conclusion.pairs_needed, "quantities", quantities);
	return verdict;
}

/* --- Claims ----------------------------------------------------------------------------------------------------- */

static void claim(json_t *claims, const char *evidence, const char *text)
{
	json_array_append_new(claims, json_pack("{s:s,s:[s]}", "text", text, "evidence", evidence));
}

static void claim_change(json_t *claims, const char *what, const struct compared *row)
{
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE], by[QUANTITY_SIZE], text[400];
	double change = row->judged.candidate - row->judged.base;

	(void)snprintf(text, sizeof(text), "%s: %s went from %s to %s (%s%s) per correct completion", what, row->name,
		       quantity_print(from, row->judged.base, row->unit), quantity_print(to, row->judged.candidate, row->unit),
		       change < 0 ? "" : "+", quantity_print(by, change, row->unit));
	claim(claims, row->name, text);
}

/* The function that a flame graph of running time would point at. */
static const struct compared *widest_on_cpu(const struct comparison *comparison)
{
	struct widest widest;

	if (!widest_find(comparison, "oncpu", SIDE_CANDIDATE, &widest))
		return NULL;
	{
		CLEANUP_TEXT char *name = xasprintf("oncpu:%s", widest.name);

		return comparison_find(comparison, name);
	}
}

static json_t *claims_json(struct concluding *concluding, const json_t *verdict)
{
	json_t *claims = json_array(), *evidence = json_array();
	const struct comparison *comparison = concluding->comparison;
	const struct compared *lost = comparison_most_lost(comparison), *cpu = comparison_find(comparison, "oncpu"),
			      *widest = widest_on_cpu(comparison);

	if (first_refusal(concluding)) {
		json_decref(evidence);
		return claims;
	}
	if (lost)
		claim_change(claims, "the dimension that lost most", lost);
	if (cpu)
		claim_change(claims, "running time", cpu);
	if (widest && !comparison_refused(comparison))
		claim_change(claims, "the widest stack on the CPU", widest);
	for (size_t i = 0; i < concluding->predicted; i++)
		if (comparison_find(comparison, concluding->names[i]))
			json_array_append_new(evidence, json_string(concluding->names[i]));
	if (json_array_size(evidence) && strcmp(packet_text(verdict, "judgement"), "untested")) {
		CLEANUP_TEXT char *text = xasprintf("the hypothesis is %s: %s", packet_text(verdict, "judgement"),
						    packet_text(verdict, "why"));

		json_array_append_new(claims, json_pack("{s:s,s:O}", "text", text, "evidence", evidence));
	}
	json_decref(evidence);
	return claims;
}

int packet_conclude(const struct packet *packet, json_t **ret, struct error *err)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct concluding concluding = { .packet = packet };
	json_t *verdict;
	int r;

	match_pairs(&concluding);
	add_predictions(&concluding, "must_move", false);
	add_predictions(&concluding, "must_not_move", true);
	if (!concluding.pairs) {
		*ret = json_pack("{s:n,s:o,s:[]}", "comparison", "verdict", untested("no pair of a baseline and a candidate"), "claims");
		r = 0;
	} else {
		r = compare(&concluding, selection, err);
		if (r >= 0) {
			verdict = verdict_json(&concluding);
			*ret = json_pack("{s:o,s:o,s:o}", "comparison", comparison_json(&concluding), "verdict", verdict, "claims",
					 claims_json(&concluding, verdict));
			r = 0;
		}
	}
	for (size_t i = 0; i < concluding.predicted; i++)
		free(concluding.names[i]);
	comparison_free(concluding.comparison);
	return r;
}

int packet_judge(struct packet *packet, struct error *err)
{
	json_t *answer;
	int r = packet_conclude(packet, &answer, err);

	if (r < 0)
		return r;
	json_object_update(packet->root, answer);
	json_decref(answer);
	packet_note(packet, "judged: %s", packet_judgement(packet));
	return 0;
}

const char *packet_judgement(const struct packet *packet)
{
	return json_string_value(json_object_get(json_object_get(packet->root, "verdict"), "judgement"));
}
