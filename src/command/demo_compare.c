/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the demo says. Everything is per correct response, because the arms completed different numbers of them; and one
 * pair only describes: the intervals over several interleaved pairs are what decides.
 */
#include "command/demo_compare.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "compare/judge.h"
#include "format/format.h"
#include "gate/gate.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/summary.h"
#include "result/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES_MOST = 32 };

/* One row of the comparison: a state or an amount, per correct response, in every capture. */
struct compared {
	const struct dimension_row *row;
	double baseline[DEMO_PAIRS_MOST], candidate[DEMO_PAIRS_MOST];
};

struct comparison {
	struct compared rows[STATES_MOST];
	unsigned row_count, pair_count;
	char widest[128];                    /* function of the candidate, of the pair that is shown */
	double widest_ns[2];
};

static double share_per_completion(const struct account *account, const char *state)
{
	struct dimension_id id = profile_dimension_find(account->profile, NULL, state);

	return id.index ? account_per_completion(account, account_state(account, id).total) : 0;
}

static double mean_of(const double *values, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	return sum / count;
}

/* --- Reading one capture ---------------------------------------------------------------------------------------- */

static void add_measures(struct comparison *comparison, const struct account *account, unsigned pair, bool candidate)
{
	for (unsigned i = 0; i < comparison->row_count; i++) {
		struct compared *compared = &comparison->rows[i];

		(candidate ? compared->candidate : compared->baseline)[pair] = share_per_completion(account, compared->row->name);
	}
}

static const struct value *field_of(const struct record *record, const char *key)
{
	for (size_t i = 0; record && i < record->count; i++)
		if (!strcmp(record->fields[i].key, key))
			return &record->fields[i].value;
	return NULL;
}

/* The widest on-CPU function, as the analysis named it. */
static void note_widest(struct comparison *comparison, const struct document *document, bool candidate)
{
	const struct section *section = document_find(document, "oncpu");
	const struct value *widest = section ? field_of(section->record, "widest") : NULL, *name, *per_completion;

	if (!widest || widest->kind != VALUE_RECORD)
		return;
	name = field_of(widest->record, "function");
	per_completion = field_of(widest->record, "per_completion");
	if (candidate && name && name->kind == VALUE_TEXT)
		(void)snprintf(comparison->widest, sizeof(comparison->widest), "%s", name->text);
	if (per_completion && per_completion->kind == VALUE_NUMBER)
		comparison->widest_ns[candidate] = per_completion->number;
}

static void add_gates(const struct profile *profile, struct document *into)
{
	struct summary summary;

	summary_of(profile, &summary);
	(void)gate_judge(&summary, NULL, 0, into);
}

static int open_arm(const struct demo_arm *arm, const struct selection *selection, struct profile **ret_profile,
		    struct account **ret_account, struct question *question, struct error *err)
{
	int r = format_read(arm->capture, ret_profile, err);

	if (r < 0)
		return r;
	*question = (struct question){ .profile = *ret_profile, .selection = selection };
	*ret_account = account_new(question);
	return 0;
}

static int read_arm(const struct demo_arm *arm, unsigned pair, bool candidate, struct comparison *comparison, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(account) struct account *account = NULL;
	struct question question;
	int r = open_arm(arm, selection, &profile, &account, &question, err);

	if (r >= 0)
		add_measures(comparison, account, pair, candidate);
	return r;
}

static int show_arm(const struct demo_arm *arm, bool candidate, struct comparison *comparison, struct document *into, struct error *err)
{
	static const char *const asked[] = { "ledger", "oncpu", "waits", "tree" };
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(account) struct account *account = NULL;
	CLEANUP(document) struct document *own = document_new("crosscut.ledger/1", arm->name);
	struct question question;
	int r = open_arm(arm, selection, &profile, &account, &question, err);

	for (size_t i = 0; i < ARRAY_LENGTH(asked) && r >= 0; i++)
		r = analysis_find(asked[i])->run(&question, own, err);
	if (r < 0)
		return r;
	note_widest(comparison, own, candidate);
	add_gates(profile, own);
	for (size_t i = 0; i < own->section_count; i++)
		own->sections[i].hints |= COLUMN_MACHINE;       /* people get the comparison; the page and JSON get all */
	document_take(into, own, arm->name);
	return 0;
}

/* --- Saying it -------------------------------------------------------------------------------------------------- */

static const struct column comparison_columns[] = {
	{ "name", "per correct response", "", 0 },       { "kind", "kind", "", COLUMN_MACHINE },
	{ "unit", "unit", "", COLUMN_MACHINE },          { "baseline", "baseline", "", 0 },
	{ "candidate", "candidate", "", 0 },             { "change", "change", "", 0 },
	{ "relative", "relative", "fraction", 0 },       { "low", "from", "", 0 },
	{ "high", "to", "", 0 },                         { "outcome", "outcome", "", 0 },
};

static const char *outcome_of(const struct judged *judged, unsigned pairs)
{
	return pairs < judge_defaults.pairs_least ? "described" : change_name(judged->change);
}

/* The rows are one family, judged by what diff judges by. */
static void add_comparison(const struct comparison *comparison, struct table *table)
{
	struct judged judged[STATES_MOST] = { 0 }, *family[STATES_MOST];

	for (unsigned i = 0; i < comparison->row_count; i++) {
		judge_pairs(comparison->rows[i].baseline, comparison->rows[i].candidate, comparison->pair_count, &judge_defaults, &judged[i]);
		family[i] = &judged[i];
	}
	judge_family(family, comparison->row_count, &judge_defaults);
	for (unsigned i = 0; i < comparison->row_count; i++) {
		const struct compared *row = &comparison->rows[i];

		if (judged[i].base <= 0 && judged[i].candidate <= 0)
			continue;
		table_add(table, (struct value[]){
			value_text(row->row->name), value_text(dimension_kind_name(row->row->kind)), value_text(row->row->unit),
			value_number(judged[i].base), value_number(judged[i].candidate), value_number(judged[i].delta.estimate),
			judged[i].base > 0 ? value_number(judged[i].candidate / judged[i].base - 1) : value_none(),
			value_number(judged[i].delta.low), value_number(judged[i].delta.high),
			value_text(outcome_of(&judged[i], comparison->pair_count)) });
	}
}

static const struct column latency_columns[] = {
	{ "arm", "arm", "", 0 },          { "correct", "correct", "count", 0 },   { "incorrect", "not correct", "count", 0 },
	{ "throughput", "per second", "", 0 }, { "mean", "mean", "ns", 0 },       { "p50", "p50", "ns", 0 },
	{ "p99", "p99", "ns", 0 },        { "maximum", "maximum", "ns", COLUMN_MACHINE }, { "late", "generator late (p99)", "ns", 0 },
};

static void add_load(struct table *table, const struct demo_arm *arm)
{
	const struct objective *load = &arm->load;

	table_add(table, (struct value[]){
		value_text(arm->name), value_integer((int64_t)load->correct), value_integer((int64_t)load->incorrect),
		value_number(load->throughput_per_s), value_number(load->mean_ns), value_number(load->p50_ns),
		value_number(load->p99_ns), value_number(load->maximum_ns), value_number(load->late_p99_ns) });
}

void demo_compare_loads(const struct demo_pair *pairs, unsigned count, struct document *into)
{
	struct table *table = table_new(latency_columns, ARRAY_LENGTH(latency_columns));

	for (unsigned i = 0; i < count; i++) {
		add_load(table, &pairs[i].baseline);
		add_load(table, &pairs[i].candidate);
	}
	document_add_table(into, "latency", "What the load generator saw, from the intended time of each request", table);
}

static const struct compared *row_of(const struct comparison *comparison, const char *name)
{
	for (unsigned i = 0; i < comparison->row_count; i++)
		if (!strcmp(comparison->rows[i].row->name, name))
			return &comparison->rows[i];
	return NULL;
}

static const struct compared *most_lost(const struct comparison *comparison)
{
	const struct compared *most = NULL;
	double largest = 0;

	for (unsigned i = 0; i < comparison->row_count; i++) {
		const struct compared *row = &comparison->rows[i];
		double change = mean_of(row->candidate, comparison->pair_count) - mean_of(row->baseline, comparison->pair_count);

		if (row->row->kind > DIMENSION_WAITING || change <= largest)
			continue;
		largest = change;
		most = row;
	}
	return most;
}

/* The story in words; every number with its unit and its denominator. */
static void add_findings(const struct comparison *comparison, struct document *into)
{
	const struct compared *cpu = row_of(comparison, "oncpu"), *most = most_lost(comparison);
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE];
	double base = mean_of(cpu->baseline, comparison->pair_count), candidate = mean_of(cpu->candidate, comparison->pair_count);

	document_add_finding(into, SEVERITY_NOTE, "CPU per correct response went from %s to %s (%+.0f %%)",
			     quantity_print(from, base, "ns"), quantity_print(to, candidate, "ns"), 100 * (candidate / base - 1));
	if (*comparison->widest)
		document_add_finding(into, SEVERITY_NOTE,
				     "the candidate's widest on-CPU function is %s, %s per correct response: a CPU profile alone "
				     "would say to optimise that", comparison->widest,
				     quantity_print(from, comparison->widest_ns[1], "ns"));
	if (most) {
		base = mean_of(most->baseline, comparison->pair_count);
		candidate = mean_of(most->candidate, comparison->pair_count);
		document_add_finding(into, SEVERITY_WARNING,
				     "the dimension that lost most is %s: from %s to %s of thread time per correct response",
				     most->row->name, quantity_print(from, base, "ns"), quantity_print(to, candidate, "ns"));
	}
	if (comparison->pair_count < judge_defaults.pairs_least)
		document_add_finding(into, SEVERITY_NOTE,
				     "%u pair%s describe%s, it takes six to decide: crosscut demo --pairs 6",
				     comparison->pair_count, comparison->pair_count > 1 ? "s" : "",
				     comparison->pair_count > 1 ? "" : "s");
}

int demo_compare(const struct demo_pair *pairs, unsigned count, const struct demo_pair *shown, struct document *into,
		 struct error *err)
{
	struct comparison comparison = { .pair_count = count };
	struct table *table = table_new(comparison_columns, ARRAY_LENGTH(comparison_columns));
	CLEANUP(document) struct document *arms = document_new("crosscut.ledger/1", "arms");
	int r = 0;

	for (size_t i = 0; i < dimension_row_count && comparison.row_count < STATES_MOST; i++)
		if (!dimension_rows[i].parent)
			comparison.rows[comparison.row_count++].row = &dimension_rows[i];
	for (unsigned i = 0; i < count && r >= 0; i++) {
		r = read_arm(&pairs[i].baseline, i, false, &comparison, err);
		if (r >= 0)
			r = read_arm(&pairs[i].candidate, i, true, &comparison, err);
	}
	if (r >= 0)
		r = show_arm(&shown->baseline, false, &comparison, arms, err);
	if (r >= 0)
		r = show_arm(&shown->candidate, true, &comparison, arms, err);
	add_comparison(&comparison, table);
	document_add_table(into, "comparison", "Where the time of one correct response went (thread time, not elapsed time)", table);
	demo_compare_loads(pairs, count, into);
	if (r >= 0) {
		add_findings(&comparison, into);
		document_take(into, arms, NULL);
	}
	return r;
}
