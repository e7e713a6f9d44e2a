/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison as a document. Every number stands beside what it was divided by: the title of each table says per what, over
 * how many pairs, and by which test.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figure.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "result/document.h"

static const struct column change_columns[] = {
	{ "name", "name", "", COLUMN_MACHINE },
	{ "label", "", "", COLUMN_HUMAN },
	{ "kind", "kind", "", COLUMN_MACHINE },
	{ "stack", "stack", "", COLUMN_MACHINE | COLUMN_CODE },
	{ "dimension", "dimension", "", COLUMN_MACHINE },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "base", "base", "", 0 },
	{ "candidate", "candidate", "", 0 },
	{ "delta", "change", "", 0 },
	{ "relative", "relative", "", COLUMN_MACHINE },
	{ "confidence", "confidence", "", COLUMN_MACHINE },
	{ "percent", "", "", COLUMN_HUMAN },
	{ "interval", "95 % interval", "", COLUMN_HUMAN },
	{ "says", "outcome", "", COLUMN_HUMAN },
	{ "outcome", "outcome", "", COLUMN_MACHINE },
	{ "presence", "presence", "", COLUMN_MACHINE },
	{ "shift", "cost shift", "", COLUMN_MACHINE },
	{ "p", "p", "", COLUMN_MACHINE },
	{ "p_corrected", "p, corrected", "", COLUMN_MACHINE },
	{ "p_sign_flip", "p, sign flips", "", COLUMN_MACHINE },
	{ "alone", "tested alone", "", COLUMN_MACHINE },
	{ "margin", "margin", "fraction", COLUMN_MACHINE },
	{ "more_pairs", "more pairs", "", COLUMN_MACHINE },
	{ "base_total", "base, raw total", "", COLUMN_MACHINE },
	{ "candidate_total", "candidate, raw total", "", COLUMN_MACHINE },
	{ "base_count", "base, events", "count", COLUMN_MACHINE },
	{ "candidate_count", "candidate, events", "count", COLUMN_MACHINE },
	{ "measured", "measured", "", COLUMN_MACHINE },
};

static const char *presence_of(const struct compared *row, enum side side)
{
	if (row->lacks[SIDE_BASE] || row->lacks[side])
		return "unmeasured";
	if (row->totals[SIDE_BASE] == 0 && row->totals[side] != 0)
		return "new";
	return row->totals[SIDE_BASE] != 0 && row->totals[side] == 0 ? "vanished" : "both";
}

/* A sign for those who see no colour, and a word for those who see no sign. */
static struct value say(const struct comparison *comparison, const struct compared *row, const struct judged *judged, enum side side)
{
	const char *presence = presence_of(row, side), *also = strcmp(presence, "both") ? presence : row->shift ? "cost shift" : "";
	const char *comma = *also ? ", " : "";

	if (judged->change == CHANGE_UNMEASURED)
		return value_print("not measured in %s", !row->lacks[side] ? side_name(SIDE_BASE) : row->lacks[SIDE_BASE] ? "either" : side_name(side));
	if (!row->tested)
		return value_text(also);
	if (comparison_described(comparison))
		return value_print("described%s%s", comma, also);
	switch (judged->change) {
	case CHANGE_GREW:
		return value_print("▲ grew%s%s", comma, also);
	case CHANGE_SHRANK:
		return value_print("▼ shrank%s%s", comma, also);
	case CHANGE_EQUIVALENT:
		return value_print("= within %.3g %%", 100 * judged->margin);
	case CHANGE_UNCLEAR:
	case CHANGE_UNMEASURED:
	case CHANGE_UNTESTED:
	case CHANGE_COUNT:
		break;
	}
	if (judged->uneven)
		return value_text("? spread differs");
	return judged->more_pairs > 1000 ? value_print("? too noisy%s%s", comma, also)
					 : value_print("? +%zu pairs%s%s", judged->more_pairs, comma, also);
}

static struct value print_interval(const struct compared *row, const struct statistics_interval *interval)
{
	char low[QUANTITY_SIZE], high[QUANTITY_SIZE];

	if (!isfinite(interval->low) || !isfinite(interval->high))
		return value_none();
	(void)quantity_print(low, interval->low, row->unit);
	(void)quantity_print(high, interval->high, row->unit);
	return value_print("%s … %s", low, high);
}

static struct record *confidence_of(const struct comparison *comparison, const struct judged *judged)
{
	struct record *record = record_new();

	record_add(record, "low", "low", "", figure(judged->delta.low));
	record_add(record, "high", "high", "", figure(judged->delta.high));
	record_add(record, "level", "level", "", figure(judged->delta.level));
	record_add(record, "relative_low", "low", "fraction", figure(judged->ratio.low));
	record_add(record, "relative_high", "high", "fraction", figure(judged->ratio.high));
	record_add(record, "pairs", "pairs", "count", value_integer((int64_t)comparison->pairs));
	record_add(record, "kind", "kind", "",
		   value_text(comparison->pairs == 1 ? "within-run, lower bound" : "matched pairs, t"));
	return record;
}

static void add_row(const struct comparison *comparison, const struct compared *row, enum side side, struct table *table)
{
	const struct judged *judged = side == SIDE_RESTORED ? &row->restored : &row->judged;
	const char *part = strchr(row->name, '/');
	double change = judged->base > 0 ? judged->delta.estimate / judged->base : NAN;     /* of the means that stand beside it */
	struct value label = row->kind == ROW_PART && part ? value_print("  %s", part + 1)
			     : row->kind == ROW_STACK	   ? value_print("%s: %s", row->dimension, row->label)
			     : row->kind == ROW_ELAPSED	   ? value_text(row->name + strlen("elapsed:"))
							   : value_text(row->name);

	table_add(table, (struct value[]){
		value_text(row->name), label, value_text(row_kind_name(row->kind)), row->label ? value_text(row->label) : value_none(),
		value_text(row->dimension), value_text(row->unit), figure(judged->base), figure(judged->candidate),
		figure(judged->delta.estimate), figure(judged->ratio.estimate), value_record(confidence_of(comparison, judged)),
		isfinite(change) ? value_print("%+.1f %%", 100 * change) : value_text(""),
		print_interval(row, &judged->delta), say(comparison, row, judged, side), value_text(change_name(judged->change)),
		value_text(presence_of(row, side)), value_truth(row->shift), figure(judged->p), figure(judged->p_corrected),
		figure(judged->p_flips), value_truth(judged->alone), figure(judged->margin),
		judged->more_pairs ? value_integer((int64_t)judged->more_pairs) : value_none(),
		figure(row->lacks[SIDE_BASE] ? NAN : row->totals[SIDE_BASE]), figure(row->lacks[side] ? NAN : row->totals[side]),
		figure(row->events[SIDE_BASE]), figure(row->events[side]), value_text(row->measured) });
}

/* --- Which rows, and in which order -------------------------------------------------------------------------------------------- */

static bool is_shown(const struct compared *row)
{
	return row->lacks[SIDE_BASE] || row->lacks[SIDE_CANDIDATE] || row->judged.base != 0 || row->judged.candidate != 0 || row->restored.candidate != 0;
}

static bool has_parts_of(const struct compared *state, const struct compared *part)
{
	size_t size = strlen(state->name);

	return part->kind == ROW_PART && !strncmp(part->name, state->name, size) && part->name[size] == '/';
}

static void add_states(const struct comparison *comparison, enum side side, struct table *table)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];

		if ((row->kind != ROW_STATE && row->kind != ROW_AMOUNT) || row->is_level || !is_shown(row))
			continue;
		add_row(comparison, row, side, table);
		for (size_t k = 0; k < comparison->row_count && side != SIDE_RESTORED; k++)
			if (has_parts_of(row, comparison->rows[k]) && is_shown(comparison->rows[k]))
				add_row(comparison, comparison->rows[k], side, table);
	}
}

static void add_levels(const struct comparison *comparison, enum side side, struct table *table)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->is_level && is_shown(comparison->rows[i]))
			add_row(comparison, comparison->rows[i], side, table);
}

static void add_kind(const struct comparison *comparison, enum row_kind kind, enum side side, struct table *table)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->kind == kind && is_shown(comparison->rows[i]))
			add_row(comparison, comparison->rows[i], side, table);
}

/* What was found first, then what changed most. Units differ, so the change is taken as a share of its unit's largest row. */
static int compare_rows(const void *left, const void *right)
{
	const struct compared *a = *(const struct compared *const *)left, *b = *(const struct compared *const *)right;
	bool a_found = a->judged.change == CHANGE_GREW || a->judged.change == CHANGE_SHRANK;
	bool b_found = b->judged.change == CHANGE_GREW || b->judged.change == CHANGE_SHRANK;
	double a_change = fmax(0, fabs(a->judged.delta.estimate)), b_change = fmax(0, fabs(b->judged.delta.estimate));

	if (a_found != b_found)
		return a_found ? -1 : 1;
	if (a_change != b_change)
		return a_change > b_change ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static struct table *stacks_of(const struct comparison *comparison, size_t most, size_t *ret_count)
{
	struct table *table = table_new(change_columns, ARRAY_LENGTH(change_columns));
	const struct compared **rows = xcalloc(comparison->row_count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->kind == ROW_STACK && comparison->rows[i]->dimension_kind != DIMENSION_IDLE)
			rows[count++] = comparison->rows[i];
	qsort(rows, count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < count && (!most || i < most); i++)
		add_row(comparison, rows[i], SIDE_CANDIDATE, table);
	table->rows_left_out = most && count > most ? count - most : 0;
	free(rows);
	*ret_count = count;
	return table;
}

/* --- What was compared ------------------------------------------------------------------------------------------------------------ */

static const struct column capture_columns[] = {
	{ "side", "side", "", 0 },
	{ "pair", "pair", "", COLUMN_LEFT },
	{ "capture", "capture", "", 0 },
	{ "correct", "correct", "count", 0 },
	{ "incorrect", "not correct", "count", 0 },
	{ "seconds", "seconds", "", 0 },
	{ "labels", "labels", "", COLUMN_MACHINE },
	{ "inclusion", "included", "", COLUMN_MACHINE },
	{ "own_cost", "own cost", "fraction", COLUMN_MACHINE },
	{ "failed_gates", "its own failed gates", "", COLUMN_MACHINE },
	{ "mean_ns", "mean elapsed", "ns", COLUMN_MACHINE },
	{ "p99_ns", "p99 elapsed", "ns", COLUMN_MACHINE },
	{ "attempts", "attempts", "count", COLUMN_MACHINE },
	{ "operations", "operations", "count", COLUMN_MACHINE },
	{ "rejected", "rejected", "count", COLUMN_MACHINE },
	{ "retried", "retried", "count", COLUMN_MACHINE },
	{ "abandoned", "abandoned", "count", COLUMN_MACHINE },
};

/* What the load generator says of its own attempts; none where it does not tell. */
static struct value outcome_of(const struct objective *objective, double count)
{
	return objective->known ? figure_whole(count) : value_none();
}

static void add_captures(const struct comparison *comparison, struct document *into)
{
	struct table *table = table_new(capture_columns, ARRAY_LENGTH(capture_columns));

	for (size_t side = 0; side < SIDE_COUNT; side++)
		for (size_t pair = 0; pair < comparison->pairs; pair++) {
			const struct arm *arm = comparison_arm(comparison, (enum side)side, pair);
			const struct compared_capture *capture = arm ? &arm->capture : NULL;

			if (!capture)
				continue;
			table_add(table, (struct value[]){
				value_text(side_name(capture->side)), value_integer((int64_t)pair + 1), value_text(capture->name),
				figure_whole(capture->correct), figure_whole(capture->incorrect), figure(capture->seconds),
				value_text(capture->labels), value_text(capture->inclusion),
				figure(capture->summary.own_cost_fraction), value_text(capture->failed),
				figure(capture->objective.known ? capture->objective.mean_ns : NAN),
				figure(capture->objective.known ? capture->objective.p99_ns : NAN),
				outcome_of(&capture->objective, objective_attempts(&capture->objective)),
				outcome_of(&capture->objective, objective_operations(&capture->objective)),
				outcome_of(&capture->objective, capture->objective.rejected),
				outcome_of(&capture->objective, capture->objective.retried),
				outcome_of(&capture->objective, capture->objective.abandoned) });
		}
	(void)document_add_table(into, "captures", "Captures, and the completions that their weights are divided by", table);
}

static const struct column gate_columns[] = {
	{ "name", "gate", "", COLUMN_LEFT }, { "verdict", "verdict", "", 0 }, { "value", "value", "", 0 },
	{ "limit", "limit", "", 0 },	     { "unit", "unit", "", 0 },	      { "why", "why", "", 0 },
	{ "next", "next", "", 0 },
};

static void add_gates(const struct comparison *comparison, struct document *into)
{
	struct table *table = table_new(gate_columns, ARRAY_LENGTH(gate_columns));

	for (size_t i = 0; i < comparison->gate_count; i++) {
		const struct gate *gate = comparison->gates[i].gate;
		const struct reading *reading = &comparison->gates[i].reading;

		table_add(table, (struct value[]){
			value_text(gate->name), value_text(verdict_name(reading->verdict)), figure(reading->value),
			figure(reading->limit), value_text(gate->unit), value_text(reading->why),
			reading->verdict == VERDICT_PASS ? value_none() : value_text(gate->next) });
	}
	(void)document_add_table(into, "gates", "May these captures be compared?", table);
}

/* --- How often, and how much each time ------------------------------------------------------------------------------------------- */

static const struct column rate_columns[] = {
	{ "name", "", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "base_rate", "per completion", "count", 0 },
	{ "candidate_rate", "then", "count", 0 },
	{ "base_cost", "each", "", 0 },
	{ "candidate_cost", "then", "", 0 },
	{ "by_rate", "by how often", "", 0 },
	{ "by_cost", "by how much each", "", 0 },
};

/* Change = change of rate x mean cost + change of cost x mean rate: exact, with nothing left over. Rates are means of the pairs as the
 * rows are, so that the two parts sum to the row's own change. */
static void add_rate(const struct comparison *comparison, const struct compared *row, struct table *table)
{
	const double values[2] = { row->judged.base, row->judged.candidate };
	double rate[2], cost[2];

	for (size_t side = 0; side < 2; side++) {
		rate[side] = row->rates[side] / (double)comparison->pairs;
		cost[side] = values[side] / rate[side];
	}
	if (!isfinite(cost[0]) || !isfinite(cost[1]) || strcmp(row->measured, "exact") != 0)
		return;
	table_add(table, (struct value[]){
		value_text(row->name), value_text(row->unit), figure(rate[0]), figure(rate[1]), figure(cost[0]), figure(cost[1]),
		figure((rate[1] - rate[0]) * 0.5 * (cost[0] + cost[1])), figure((cost[1] - cost[0]) * 0.5 * (rate[0] + rate[1])) });
}

static void add_rates(const struct comparison *comparison, struct document *into)
{
	struct table *table = table_new(rate_columns, ARRAY_LENGTH(rate_columns));

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];

		if ((row->kind == ROW_STATE || row->kind == ROW_PART) && row->dimension_kind != DIMENSION_IDLE &&
		    !row->lacks[SIDE_BASE] && !row->lacks[SIDE_CANDIDATE])
			add_rate(comparison, row, table);
	}
	if (table->row_count)
		(void)document_add_table(into, "rates", "The change of each state: how often, and how long each time", table);
	else
		table_free(table);
}

/* --- All of it -------------------------------------------------------------------------------------------------------------------- */

static const char *unit_of_work(const struct comparison *comparison)
{
	const struct arm *arm = comparison_arm(comparison, SIDE_BASE, 0);

	if (comparison->options.totals)
		return "raw totals, divided by nothing";
	return *arm->capture.summary.unit ? arm->capture.summary.unit : "completion";
}

static void add_table(struct document *into, const char *key, struct table *table, char *title)
{
	if (table->row_count)
		(void)document_add_table(into, key, title, table);
	else
		table_free(table);
	free(title);
}

static void add_changes(const struct comparison *comparison, const struct comparison_asked *asked, struct document *into)
{
	struct table *elapsed = table_new(change_columns, ARRAY_LENGTH(change_columns));
	struct table *states = table_new(change_columns, ARRAY_LENGTH(change_columns));
	struct table *objects = table_new(change_columns, ARRAY_LENGTH(change_columns));
	struct table *classes = table_new(change_columns, ARRAY_LENGTH(change_columns));
	struct table *levels = table_new(change_columns, ARRAY_LENGTH(change_columns));
	const char *unit = unit_of_work(comparison);
	size_t count;
	struct table *stacks = stacks_of(comparison, asked->most, &count);
	CLEANUP_TEXT char *per = comparison->options.totals ? xstrdup(unit) : xasprintf("per %s%s", strncmp(unit, "correct", 7) ? "correct " : "", unit);

	add_kind(comparison, ROW_ELAPSED, SIDE_CANDIDATE, elapsed);
	add_states(comparison, SIDE_CANDIDATE, states);
	add_levels(comparison, SIDE_CANDIDATE, levels);
	add_kind(comparison, ROW_OBJECT, SIDE_CANDIDATE, objects);
	add_kind(comparison, ROW_CLASS, SIDE_CANDIDATE, classes);
	add_table(into, "elapsed", elapsed, xstrdup("Elapsed time of one request, and requests per second"));
	add_table(into, "dimensions", states,
		  xasprintf("Where the time went, %s (thread time, mean of %zu pair%s)", per, comparison->pairs,
			    comparison->pairs == 1 ? "" : "s"));
	add_table(into, "levels", levels, xstrdup("What processes held at the last look (not divided by completions)"));
	add_rates(comparison, into);
	mix_add_document(comparison->mix, asked->most, into);
	add_table(into, "stacks", stacks,
		  xasprintf("Stacks, %s (%zu of %.3g %% of their dimension or more)", per, count,
			    100 * comparison->options.weight_share));
	add_table(into, "objects", objects, xasprintf("What was waited for, %s", per));
	add_table(into, "classes", classes, xasprintf("Outcomes by class, %s", per));
}

static void add_restored(const struct comparison *comparison, struct document *into)
{
	struct table *table = table_new(change_columns, ARRAY_LENGTH(change_columns));

	add_kind(comparison, ROW_ELAPSED, SIDE_RESTORED, table);
	add_states(comparison, SIDE_RESTORED, table);
	add_table(into, "restored", table, xstrdup("Restored (as candidate) against base: it must be equivalent, or the machine drifted"));
}

void comparison_document(const struct comparison *comparison, const struct comparison_asked *asked, struct document *into)
{
	bool refused = comparison_refused(comparison);

	into->refused = refused && asked->anyway;
	comparison_add_findings(comparison, into);
	if (!refused || asked->anyway) {
		add_changes(comparison, asked, into);
		if (comparison->restored)
			add_restored(comparison, into);
	}
	add_captures(comparison, into);
	add_gates(comparison, into);
	if (asked->trees && (!refused || asked->anyway))
		comparison_add_trees(comparison, into);
}
