/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut list`: what this build knows, set by set. Each set is a row here that lists its rows; nothing about them is
 * repeated.
 */
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "classify/classify.h"
#include "command/answer.h"
#include "command/command.h"
#include "format/format.h"
#include "gate/gate.h"
#include "hypothesis/hypothesis.h"
#include "interpreter/interpreter.h"
#include "investigate/investigate.h"
#include "probe/probe.h"
#include "profile/dimension.h"
#include "result/document.h"
#include "runbook/runbook.h"
#include "symbol/symbol.h"
#include "symptom/symptom.h"
#include "truth/truth.h"
#include "view/view.h"
#include "work/work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct list_config {
	bool json;
};

static const struct option list_options[] = {
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct list_config, json),
	  .help = "print the rows as JSON", .example = "--json" },
	{ 0 },
};

static struct value text_or_none(const char *text)
{
	return text && *text ? value_text(text) : value_none();
}

/* "disk/read", "disk", or none. */
static struct value state_value(const char *state, const char *part)
{
	if (!state)
		return value_none();
	return part ? value_print("%s/%s", state, part) : value_text(state);
}

static const struct column plain_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "summary", .title = "what it is", .unit = "" },
};
static const struct column dimension_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "kind", .title = "kind", .unit = "" },
	{ .key = "unit", .title = "unit", .unit = "" },
	{ .key = "summary", .title = "what it is", .unit = "" },
};
static const struct column format_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "reads", .title = "reads", .unit = "" },
	{ .key = "writes", .title = "writes", .unit = "" },
	{ .key = "suffix", .title = "suffix", .unit = "" },
	{ .key = "summary", .title = "what it is", .unit = "" },
};
static const struct column gate_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "limit", .title = "limit", .unit = "", .hints = COLUMN_LEFT },
	{ .key = "unit", .title = "unit", .unit = "" },
	{ .key = "between", .title = "compares two", .unit = "" },
	{ .key = "summary", .title = "what it asks", .unit = "" },
};
static const struct column probe_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "fills", .title = "fills", .unit = "" },
	{ .key = "required", .title = "required", .unit = "" },
	{ .key = "by_default", .title = "on by default", .unit = "" },
	{ .key = "summary", .title = "what it watches", .unit = "" },
	{ .key = "without", .title = "without it", .unit = "", .hints = COLUMN_MACHINE },
};
static const struct column work_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "synopsis", .title = "usage", .unit = "" },
	{ .key = "counts", .title = "counts", .unit = "" },
	{ .key = "summary", .title = "what it is", .unit = "" },
};
static const struct column runbook_columns[] = {
	{ .key = "name", .title = "key", .unit = "" },
	{ .key = "section", .title = "section", .unit = "" },
	{ .key = "summary", .title = "what it says", .unit = "" },
};
static const struct column state_columns[] = {
	{ .key = "name", .title = "name", .unit = "" },
	{ .key = "state", .title = "state", .unit = "" },
	{ .key = "summary", .title = "what it is", .unit = "" },
};

static void add_analyses(struct table *table)
{
	for (const struct analysis *const *row = analyses; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->asks) });
}

static void add_commands(struct table *table)
{
	for (const struct command *const *row = commands; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_dimensions(struct table *table)
{
	for (size_t i = 0; i < dimension_row_count; i++) {
		const struct dimension_row *row = &dimension_rows[i];

		table_add(table, (struct value[]){
			row->parent ? value_print("%s/%s", row->parent, row->name) : value_text(row->name),
			value_text(dimension_kind_name(row->kind)), value_text(row->unit), value_text(row->meaning),
		});
	}
}

static void add_formats(struct table *table)
{
	for (const struct format *const *row = formats; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), value_truth((*row)->read), value_truth((*row)->write),
			text_or_none((*row)->suffix), value_text((*row)->summary),
		});
}

static void add_gates(struct table *table)
{
	for (const struct gate *const *row = gates; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), value_number((*row)->limit), text_or_none((*row)->unit),
			value_truth((*row)->between), value_text((*row)->asks),
		});
}

static void add_hypotheses(struct table *table)
{
	for (const struct hypothesis *const *row = hypotheses; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_interpreters(struct table *table)
{
	for (const struct interpreter *const *row = interpreters; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_passes(struct table *table)
{
	for (const struct pass *const *row = passes; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_probes(struct table *table)
{
	for (const struct probe *const *row = probes; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), text_or_none((*row)->fills), value_truth((*row)->required),
			value_truth((*row)->required || (*row)->by_default), value_text((*row)->summary), text_or_none((*row)->without),
		});
}

static void add_rules(struct table *table)
{
	for (const struct rule *const *row = rules; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), state_value((*row)->state, (*row)->part), value_text((*row)->summary),
		});
}

static void add_runbook_keys(struct table *table)
{
	for (const struct runbook_key *row = runbook_keys; row->name; row++)
		table_add(table, (struct value[]){ value_text(row->name), value_text(row->section), value_text(row->summary) });
}

static void add_symbol_sources(struct table *table)
{
	for (size_t i = 0; i < symbol_source_count; i++)
		table_add(table, (struct value[]){
			value_text(symbol_sources[i]->name), value_text(symbol_sources[i]->summary),
		});
}

static void add_symptoms(struct table *table)
{
	for (const struct symptom *const *row = symptoms; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_truths(struct table *table)
{
	for (const struct truth *const *row = truths; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), state_value((*row)->state, (*row)->part), value_text((*row)->summary),
		});
}

static void add_views(struct table *table)
{
	for (const struct view *const *row = views; *row; row++)
		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary) });
}

static void add_works(struct table *table)
{
	for (const struct work *const *row = works; *row; row++)
		table_add(table, (struct value[]){
			value_text((*row)->name), value_text((*row)->synopsis), value_text((*row)->unit),
			value_text((*row)->summary),
		});
}

#define COLUMNS(array) .columns = (array), .column_count = ARRAY_LENGTH(array)

static const struct set {
	const char *name, *title;
	const struct column *columns;
	size_t column_count;
	void (*add)(struct table *table);
} sets[] = {
	{ "analyses", "questions about a capture (report --question)", COLUMNS(plain_columns), add_analyses },
	{ "commands", "commands", COLUMNS(plain_columns), add_commands },
	{ "dimensions", "dimensions: states of the ledger, their parts, and amounts", COLUMNS(dimension_columns),
	  add_dimensions },
	{ "formats", "file formats (convert --to, which takes views, too: list views)", COLUMNS(format_columns), add_formats },
	{ "gates", "gates: may this evidence speak (check)", COLUMNS(gate_columns), add_gates },
	{ "hypotheses", "mechanisms, and what must move together ([hypothesis] mechanism)", COLUMNS(plain_columns), add_hypotheses },
	{ "interpreters", "runtimes whose own frames and code are read", COLUMNS(plain_columns), add_interpreters },
	{ "passes", "passes of an investigation, in their order (investigate)", COLUMNS(plain_columns), add_passes },
	{ "probes", "probes: what is watched in the kernel (record --with, --without)", COLUMNS(probe_columns), add_probes },
	{ "rules", "rules that name a wait from its evidence, the first that matches decides", COLUMNS(state_columns),
	  add_rules },
	{ "runbook", "keys of a runbook (record --runbook)", COLUMNS(runbook_columns), add_runbook_keys },
	{ "symbols", "sources of names, in the order in which they are asked", COLUMNS(plain_columns),
	  add_symbol_sources },
	{ "symptoms", "symptoms, and the evidence to take first (select)", COLUMNS(plain_columns), add_symptoms },
	{ "truths", "programs whose waits are known (calibrate)", COLUMNS(state_columns), add_truths },
	{ "views", "media an answer can be drawn on (convert --to, report -o)", COLUMNS(plain_columns), add_views },
	{ "works", "sources of completions (record --work)", COLUMNS(work_columns), add_works },
};

static int find_set(const char *name, const struct set **ret, struct error *err)
{
	const char *names[ARRAY_LENGTH(sets) + 1] = { 0 }, *near;

	for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
		names[i] = sets[i].name;
		*ret = &sets[i];
		if (!strcmp(sets[i].name, name))
			return 0;
	}
	near = nearest_name(name, names);
	fail(err, FAILURE_USAGE, -EINVAL, "unknown set '%s'", name);
	error_because(err, "crosscut has no such set of rows");
	return near ? error_try(err, "crosscut list %s", near) : error_try(err, "crosscut list");
}

static void add_set(struct document *document, const struct set *set)
{
	struct table *table = table_new(set->columns, set->column_count);

	set->add(table);
	document_add_table(document, set->name, set->title, table);
}

static int list_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.list/1", "what this build knows");
	const struct list_config *list = config;
	const struct set *set;

	for (size_t i = 0; i < arguments->operand_count; i++) {
		int r = find_set(arguments->operands[i], &set, err);

		if (r < 0)
			return r;
		if (!document_find(document, set->name))
			add_set(document, set);
	}
	for (size_t i = 0; !arguments->operand_count && i < ARRAY_LENGTH(sets); i++)
		add_set(document, &sets[i]);
	return answer_print(document, list->json, err);
}

const struct command cmd_list = {
	.name = "list",
	.summary = "show the rows of every open set: gates, formats, rules, dimensions …",
	.synopsis = "crosscut list [OPTIONS] [SET]...",
	.example = "crosscut list gates formats",
	.options = list_options,
	.config_size = sizeof(struct list_config),
	.run = list_run,
};
