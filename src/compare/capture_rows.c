/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one capture says per completion, apart from its stacks: states and their parts, amounts, objects waited for, outcomes of
 * other classes, and elapsed time. Totals come from the same account that `report` prints.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/intern.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

/* Rows hold static texts; any other unit is a plain count. */
static const char *unit_of(const char *unit)
{
	static const char *const units[] = { "ns", "bytes", "count" };

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (!strcmp(units[i], unit))
			return units[i];
	return "count";
}

static void set(struct compared *row, const struct arm *arm, double total, double events, double scale)
{
	row->told[arm->capture.side] |= 1ull << arm->capture.pair;
	row->values[arm->capture.side][arm->capture.pair] += total * scale;
	row->totals[arm->capture.side] += total;
	row->events[arm->capture.side] += events;
	row->rates[arm->capture.side] += events * arm->scale;
}

/* --- States, parts, amounts ------------------------------------------------------------------------------------------------ */

static double *completions_by_slice(const struct profile *profile, const struct selection *selection)
{
	double *completions = xcalloc(profile_slice_count(profile) + 1, sizeof(*completions));

	for (size_t i = 0; i < profile_completion_count(profile); i++) {
		const struct completion *completion = profile_completion_at(profile, i);

		if (completion->outcome == OUTCOME_CORRECT && selection_has_completion(selection, profile, completion))
			completions[completion->slice.index] += (double)completion->count;
	}
	return completions;
}

/* Exact weight by slice of one dimension and what lies below it. */
static double *weights_by_slice(const struct account *account, struct dimension_id id)
{
	const struct profile *profile = account->profile;
	double *weights = xcalloc(profile_slice_count(profile) + 1, sizeof(*weights));

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
		    dimension_is_below(profile, profile_cell_dimension(profile, cell), id) &&
		    !profile_thread_at(profile, cell->thread.index)->outside &&
		    selection_has_cell(account->question->selection, profile, cell))
			weights[cell->slice.index] += cell_weight(cell);
	}
	return weights;
}

/* Only where completions were counted all along, and not once at the end. */
static void note_slices(struct compared *row, const struct arm *arm, const struct account *account, struct dimension_id id,
			const double *completions)
{
	size_t count = profile_slice_count(account->profile), worked = 0;
	double *weights;

	for (size_t i = 1; i < count; i++)
		worked += completions[i] > 0;
	row->slices[arm->capture.side] = (struct slices_ratio){ .ratio = NAN, .error = NAN };
	if (arm->capture.pair || worked * 10 < (count - 1) * 9)
		return;
	weights = weights_by_slice(account, id);
	slices_ratio_of(weights + 1, completions + 1, count - 1, &row->slices[arm->capture.side]);
	free(weights);
}

/* What counts an amount. */
static const char *source_of(struct comparison *comparison, const struct profile *profile, struct dimension_id id)
{
	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);

		if (measure->dimension.index == id.index && measure->role != ROLE_DETAIL)
			return intern_text(comparison->row_names, intern_put(comparison->row_names, profile_text(profile, measure->source)));
	}
	return NULL;
}

static void add_dimension(struct comparison *comparison, struct arm *arm, const struct account *account, struct dimension_id id,
			  const double *completions, double period_ns)
{
	const struct dimension *dimension = profile_dimension_at(account->profile, id.index);
	bool is_part = dimension->parent.index, is_state = dimension_is_state(dimension->kind);
	struct tally tally = is_part ? account_part(account, id) : account_state(account, id);
	const char *unit = unit_of(profile_text(account->profile, dimension->unit));
	bool by_hand = period_ns > 0 && !is_state && !strcmp(unit, "count") && tally.weighting == WEIGHTING_SAMPLED;
	char path[DIMENSION_PATH_SIZE];
	struct compared *row;

	if (!tally.weighting)
		return;
	row = comparison_row(comparison, !is_state ? ROW_AMOUNT : is_part ? ROW_PART : ROW_STATE,
			     dimension_path(account->profile, id, path), path, by_hand ? "ns" : unit, dimension->kind);
	if (isnan(tally.total)) {
		row->unknown[arm->capture.side] |= 1ull << arm->capture.pair;
		return;
	}
	row->measured = weighting_name(tally.weighting);
	row->source = source_of(comparison, account->profile, id);
	row->is_level = account_is_held(account, id);
	set(row, arm, tally.total * (by_hand ? period_ns : 1), tally.count, row->is_level ? 1 : arm->scale);
	note_slices(row, arm, account, id, completions);
}

/* --- Objects and outcomes ---------------------------------------------------------------------------------------------------- */

/* Exact cells where the profile has them of that object, else those by stack. */
static void add_objects(struct comparison *comparison, struct arm *arm, const struct account *account)
{
	const struct profile *profile = account->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct object *object = profile_object_at(profile, cell->object.index);
		struct dimension_id id = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		const struct dimension *state = profile_dimension_at(profile, id.index);
		char name[512];
		struct compared *row;

		if (!object->name.index || profile_measure_at(profile, cell->measure.index)->role == ROLE_DETAIL ||
		    profile_measure_at(profile, cell->measure.index)->role != account_role(account, id) ||
		    profile_thread_at(profile, cell->thread.index)->outside ||
		    !selection_has_cell(account->question->selection, profile, cell))
			continue;
		(void)snprintf(name, sizeof(name), "%s:%s %s", profile_text(profile, state->name), profile_text(profile, object->kind),
			       profile_text(profile, object->name));
		row = comparison_row(comparison, ROW_OBJECT, name, profile_text(profile, state->name),
				     unit_of(profile_text(profile, state->unit)), state->kind);
		set(row, arm, cell_weight(cell), (double)cell->count * (double)(1ull << (cell->p_log2 & 63)), arm->scale);
	}
}

static void add_classes(struct comparison *comparison, struct arm *arm, const struct account *account)
{
	const struct profile *profile = account->profile;

	for (size_t i = 0; i < profile_completion_count(profile); i++) {
		const struct completion *completion = profile_completion_at(profile, i);
		char name[256];

		if (!selection_has_completion(account->question->selection, profile, completion))
			continue;
		(void)snprintf(name, sizeof(name), "class:%s %s", profile_text(profile, completion->class),
			       outcome_name(completion->outcome));
		set(comparison_row(comparison, ROW_CLASS, name, "completions", "count", DIMENSION_AMOUNT), arm,
		    (double)completion->count, (double)completion->count, arm->scale);
	}
}

/* --- Elapsed time ------------------------------------------------------------------------------------------------------------ */

static void add_elapsed(struct comparison *comparison, struct arm *arm, const char *name, const char *unit, double value)
{
	if (isfinite(value))
		set(comparison_row(comparison, ROW_ELAPSED, name, "elapsed", unit, DIMENSION_AMOUNT), arm, value, NAN, 1);
}

/* Per correct completion as the load generator itself counted them, in its own window. */
static void add_outcomes(struct comparison *comparison, struct arm *arm)
{
	const struct objective *objective = &arm->capture.objective;
	const struct { const char *name; double count; } outcomes[] = {
		{ "class:load attempts", objective_attempts(objective) }, { "class:load operations", objective_operations(objective) },
		{ "class:load correct", objective->correct },		  { "class:load incorrect", objective->incorrect },
		{ "class:load rejected", objective->rejected },		  { "class:load retried", objective->retried },
		{ "class:load abandoned", objective->abandoned },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(outcomes) && isfinite(objective_attempts(objective)) && objective->correct > 0; i++)
		set(comparison_row(comparison, ROW_CLASS, outcomes[i].name, "completions", "count", DIMENSION_AMOUNT), arm,
		    outcomes[i].count, outcomes[i].count, comparison->options.totals ? 1 : 1 / objective->correct);
}

static void add_objective(struct comparison *comparison, struct arm *arm)
{
	const struct objective *objective = &arm->capture.objective;

	if (!objective->known)
		return;
	add_elapsed(comparison, arm, "elapsed:mean", "ns", objective->mean_ns);
	add_elapsed(comparison, arm, "elapsed:p50", "ns", objective->p50_ns);
	add_elapsed(comparison, arm, "elapsed:p90", "ns", objective->p90_ns);
	add_elapsed(comparison, arm, "elapsed:p99", "ns", objective->p99_ns);
	add_elapsed(comparison, arm, "elapsed:p99.9", "ns", objective->p999_ns);
	add_elapsed(comparison, arm, "elapsed:throughput", "count", objective->throughput_per_s);
	add_outcomes(comparison, arm);
}

/* By state, of the requests that the mean elapsed time is of; how many they stand for. */
static double sum_parts(const struct profile *profile, const struct selection *selection, double *sums)
{
	double requests = 0;

	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);

		requests += objective_counts(profile, selection, request) ? objective_stands_for(request) : 0;
	}
	for (size_t i = 0; i < profile_part_count(profile); i++) {
		const struct part *part = profile_part_at(profile, i);
		const struct request *request = part->request < profile_request_count(profile) ? profile_request_at(profile, part->request) : NULL;
		struct dimension_id id = part->dimension.index ? part->dimension : profile_evidence_at(profile, part->evidence.index)->class;

		if (request && objective_counts(profile, selection, request))
			sums[profile_dimension_root(profile, id).index] += objective_stands_for(request) * (double)part->ns;
	}
	return requests;
}

/* The parts of a request add up to its latency: what of the mean elapsed time each state takes. */
static void add_parts(struct comparison *comparison, struct arm *arm, const struct profile *profile)
{
	double *sums = xcalloc(profile_dimension_count(profile), sizeof(*sums));
	double requests = sum_parts(profile, comparison->options.selection, sums);

	arm->has_parts = requests > 0 && profile_part_count(profile);
	for (uint32_t i = 1; i < profile_dimension_count(profile) && requests > 0; i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), "elapsed:in %s", profile_text(profile, profile_dimension_at(profile, i)->name));
		if (sums[i] > 0)
			add_elapsed(comparison, arm, name, "ns", sums[i] / requests);
	}
	free(sums);
}

void comparison_add_rows(struct comparison *comparison, struct arm *arm, const struct profile *profile,
			 const struct account *account, double period_ns)
{
	double *completions = completions_by_slice(profile, comparison->options.selection);

	for (uint32_t i = 1; i < account->count; i++)
		if (!profile_dimension_at(profile, i)->parent.index)
			add_dimension(comparison, arm, account, (struct dimension_id){ i }, completions, period_ns);
	for (uint32_t i = 1; i < account->count; i++)
		if (profile_dimension_at(profile, i)->parent.index)
			add_dimension(comparison, arm, account, (struct dimension_id){ i }, completions, period_ns);
	add_objects(comparison, arm, account);
	add_classes(comparison, arm, account);
	add_objective(comparison, arm);
	add_parts(comparison, arm, profile);
	free(completions);
}
