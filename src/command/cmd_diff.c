/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut diff`: captures against captures, on equal units of useful work. Reads one capture at a time. Answers yes only
 * where the gates let it speak, enough pairs decide, and nothing that costs time grew.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/quantity.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/diff_captures.h"
#include "command/gate_limit.h"
#include "command/profile_open.h"
#include "compare/comparison.h"
#include "gate/gate.h"
#include "profile/selection.h"
#include "result/document.h"
#include "view/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_config {
	struct option_list base, candidate, restored, objective, work, period, test, gate, where, focus, ignore;
	const char *output, *counts;
	double margin;
	uint64_t from_ns, to_ns, top;
	bool anyway, totals, json, force;
};

static const struct diff_config diff_defaults = { .margin = 3, .top = 20 };

#define AT(member) offsetof(struct diff_config, member)
static const struct option diff_options[] = {
	{ .name = "anyway", .type = OPTION_FLAG, .into = AT(anyway), .example = "--anyway",
	  .help = "show what was refused, marked as refused throughout" },
	{ .name = "base", .type = OPTION_WORDS, .into = AT(base), .value = "FILE...", .example = "--base a-1.xcut a-2.xcut",
	  .help = "captures of the base, in the order of their pairs" },
	{ .name = "candidate", .type = OPTION_WORDS, .into = AT(candidate), .value = "FILE...",
	  .example = "--candidate b-1.xcut b-2.xcut", .help = "captures of the candidate" },
	OPTION_COUNTS(diff_config),
	{ .name = "focus", .type = OPTION_LIST, .into = AT(focus), .value = "REGEX", .example = "--focus '^parse'",
	  .help = "only stacks in which a function matches" },
	{ .name = "force", .type = OPTION_FLAG, .into = AT(force), .example = "--force", .help = "overwrite an existing file" },
	{ .name = "from", .type = OPTION_DURATION, .into = AT(from_ns), .value = "TIME", .example = "--from 10s",
	  .help = "leave out what ended before this, since each capture's start" },
	{ .name = "gate", .type = OPTION_LIST, .into = AT(gate), .value = "NAME=LIMIT", .example = "--gate matched-frames=0.9",
	  .help = "another limit for a gate between captures; may be given again" },
	{ .name = "ignore", .type = OPTION_LIST, .into = AT(ignore), .value = "REGEX", .example = "--ignore '^memcpy'",
	  .help = "leave out stacks in which a function matches" },
	{ .name = "json", .type = OPTION_FLAG, .into = AT(json), .example = "--json", .help = "print the answer as JSON" },
	{ .name = "margin", .type = OPTION_PERCENT, .into = AT(margin), .value = "PERCENT", .example = "--margin 5",
	  .help = "equivalent is what differs by no more than this; 5 and 5% are one" },
	{ .name = "objective", .type = OPTION_WORDS, .into = AT(objective), .value = "FILE...",
	  .example = "--objective a-1.json b-1.json", .help = "what a load generator saw; the list ends at the next option or --" },
	{ .name = "output", .letter = 'o', .type = OPTION_TEXT, .into = AT(output), .value = "FILE", .example = "-o pull-request.md",
	  .help = "write to a file, drawn as its name ends: .txt, .json, .md, .html" },
	{ .name = "period", .type = OPTION_LIST, .commas = true, .into = AT(period), .value = "TIME,...", .example = "--period 10ms",
	  .help = "what one sample stands for, where an import does not say" },
	{ .name = "restored", .type = OPTION_WORDS, .into = AT(restored), .value = "FILE...",
	  .example = "--restored c-1.xcut c-2.xcut", .help = "the change taken back: must be equivalent to the base" },
	{ .name = "test", .type = OPTION_LIST, .commas = true, .into = AT(test), .value = "NAME[=PERCENT]",
	  .example = "--test disk=50", .help = "a row named beforehand, with the change predicted: tested alone" },
	{ .name = "to", .type = OPTION_DURATION, .into = AT(to_ns), .value = "TIME", .example = "--to 20s",
	  .help = "leave out what began after this, since each capture's start" },
	{ .name = "top", .type = OPTION_COUNT, .into = AT(top), .value = "N", .example = "--top 50", .help = "stacks to list as text" },
	{ .name = "totals", .type = OPTION_FLAG, .into = AT(totals), .example = "--totals",
	  .help = "raw totals, divided by nothing: refused" },
	{ .name = "where", .type = OPTION_LIST, .into = AT(where), .value = "KEY=VALUE", .example = "--where comm=nginx",
	  .help = "only pid, tid, comm, thread, process, cgroup, class, state, request" },
	{ .name = "work", .type = OPTION_LIST, .commas = true, .into = AT(work), .value = "N,...", .example = "--work 100000,80000",
	  .help = "correct completions by hand, one per capture" },
	{ 0 },
};

/* --- What was asked ---------------------------------------------------------------------------------------------------------- */

static int select_cells(const struct diff_config *diff, struct selection *selection, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < diff->where.count && r >= 0; i++)
		r = selection_where(selection, diff->where.items[i], err);
	for (size_t i = 0; i < diff->focus.count && r >= 0; i++)
		r = selection_focus(selection, diff->focus.items[i], err);
	for (size_t i = 0; i < diff->ignore.count && r >= 0; i++)
		r = selection_ignore(selection, diff->ignore.items[i], err);
	return r < 0 ? r : selection_window(selection, diff->from_ns, diff->to_ns, err);
}

static int read_limits(const struct diff_config *diff, struct gate_limit *limits, struct comparison_options *options, struct error *err)
{
	for (size_t i = 0; i < diff->gate.count; i++) {
		int r = gate_limit_parse(diff->gate.items[i], true, &limits[i], err);

		if (r < 0)
			return r;
		if (!strcmp(limits[i].gate->name, "enough-pairs"))
			options->judge.pairs_least = limits[i].limit > 2 ? (size_t)ceil(limits[i].limit) : 2;
	}
	options->limits = limits;
	options->limit_count = (unsigned)diff->gate.count;
	return 0;
}

/* "disk=50": a change of a half, either way. The names are the caller's to free. */
static int read_tests(const struct diff_config *diff, struct named *named, struct error *err)
{
	for (size_t i = 0; i < diff->test.count; i++) {
		const char *text = diff->test.items[i], *equals = strrchr(text, '=');
		double percent = 0;
		int r = equals ? quantity_parse_share(equals + 1, 1, &percent, err) : 0;

		named[i].effect = fabs(percent) / 100;
		named[i].name = equals ? xstrndup(text, (size_t)(equals - text)) : xstrdup(text);
		if (r < 0) {
			(void)fail(err, FAILURE_USAGE, -EINVAL, "--test '%.128s' predicts no number", text);
			(void)error_because(err, "what stands after = is the change in percent");
			return error_try(err, "--test disk=50: a change of 50 %%");
		}
	}
	return 0;
}

static int spare_inputs(const struct diff_config *diff, const struct option_arguments *arguments, struct error *err)
{
	const struct option_list *const lists[] = { &diff->base, &diff->candidate, &diff->restored, &diff->objective };
	int r = 0;

	for (size_t i = 0; diff->output && i < arguments->operand_count && r >= 0; i++)
		r = output_spare(diff->output, arguments->operands[i], err);
	for (size_t list = 0; diff->output && list < ARRAY_LENGTH(lists); list++)
		for (size_t i = 0; i < lists[list]->count && r >= 0; i++)
			r = output_spare(diff->output, lists[list]->items[i], err);
	return r;
}

static int check_asked(const struct diff_config *diff, const struct option_arguments *arguments, struct error *err)
{
	bool by_option = diff->base.count || diff->candidate.count || diff->restored.count;

	if (!(diff->margin > 0 && diff->margin < 100)) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--margin lies between 0 and 100 percent");
		(void)error_because(err, "%.3g was given", diff->margin);
		return error_try(err, "--margin 3");
	}
	if (by_option ? !arguments->operand_count && diff->base.count && diff->candidate.count : arguments->operand_count == 2)
		return spare_inputs(diff, arguments, err);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "diff takes two files, or --base and --candidate");
	(void)error_because(err, "%zu files were named beside %zu of base, %zu of candidate and %zu of --objective, which all take what follows "
			    "up to the next option or --", arguments->operand_count, diff->base.count, diff->candidate.count,
			    diff->objective.count);
	return error_try(err, diff->objective.count ? "crosscut diff --objective a.json b.json -- a.xcut b.xcut"
						    : "crosscut diff base.xcut candidate.xcut");
}

/* --- The answer -------------------------------------------------------------------------------------------------------------- */

static int give(const struct diff_config *diff, const struct comparison *comparison, struct error *err)
{
	const struct view *view = diff->output ? answer_view_of(diff->output) : view_find(diff->json ? "json" : "text");
	bool people = !strcmp(view->name, "text") || !strcmp(view->name, "markdown");
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "candidate against base");
	struct comparison_asked asked = { .anyway = diff->anyway, .trees = !people || !strcmp(view->name, "markdown"),
					  .most = people ? diff->top : 0 };

	comparison_document(comparison, &asked, document);
	return diff->output ? answer_write(document, view, diff->output, diff->force, err) : answer_print(document, diff->json, err);
}

/* Names that were to be tested and that no row has are a mistake of the question, found before anything is concluded. */
static int check_names(const struct comparison *comparison, const struct named *named, struct error *err)
{
	for (; named->name; named++) {
		if (comparison_find(comparison, named->name))
			continue;
		(void)fail(err, FAILURE_USAGE, -ENOENT, "no row is called '%.128s'", named->name);
		(void)error_because(err, "rows are states (disk), parts (disk/read), stacks (oncpu:parse) and elapsed time (elapsed:p99)");
		return error_try(err, "crosscut diff --json lists their names");
	}
	return 0;
}

static int compare(const struct diff_config *diff, const struct option_arguments *arguments, const struct selection *selection,
		   const struct named *named, struct error *err)
{
	struct comparison_options options = comparison_defaults;
	struct gate_limit limits[OPTION_LIST_LIMIT];
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct diff_captures captures = {
		.base = &diff->base, .candidate = &diff->candidate, .restored = &diff->restored, .operands = arguments->operands,
		.operand_count = arguments->operand_count, .objectives = &diff->objective, .work = &diff->work, .periods = &diff->period,
		.counts = diff->counts, .selection = selection,
	};
	int r = read_limits(diff, limits, &options, err);

	options.selection = selection;
	options.named = named;
	options.totals = diff->totals;
	options.judge.margin = diff->margin / 100;
	if (r < 0)
		return r;
	comparison = comparison_new(&options);
	r = diff_captures_add(&captures, comparison, err);
	if (r >= 0)
		r = comparison_finish(comparison, err);
	if (r >= 0)
		r = check_names(comparison, named, err);
	if (r >= 0)
		r = give(diff, comparison, err);
	if (r < 0)
		return r;
	return comparison_refused(comparison) || comparison_described(comparison) || comparison_worse(comparison) ||
	       comparison_drifted(comparison);
}

static int diff_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	const struct diff_config *diff = config;
	CLEANUP(selection) struct selection *selection = selection_new();
	struct named *named = xcalloc(diff->test.count + 1, sizeof(*named));
	int r = check_asked(diff, arguments, err);

	if (r >= 0)
		r = read_tests(diff, named, err);
	if (r >= 0)
		r = select_cells(diff, selection, err);
	if (r >= 0)
		r = compare(diff, arguments, selection, named, err);
	for (size_t i = 0; i < diff->test.count; i++)
		free((char *)named[i].name);
	free(named);
	return r;
}

static void diff_done(void *config)
{
	struct diff_config *diff = config;
	struct option_list *lists[] = { &diff->base, &diff->candidate, &diff->restored, &diff->objective, &diff->work, &diff->period,
					&diff->test, &diff->gate, &diff->where, &diff->focus, &diff->ignore };

	for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
		option_list_done(lists[i]);
}

extern const struct command cmd_diff;
const struct command cmd_diff = {
	.name = "diff",
	.summary = "compare captures per unit of useful work",
	.synopsis = "crosscut diff [OPTIONS] BASE CANDIDATE",
	.example = "crosscut diff --base a-*.xcut --candidate b-*.xcut",
	.options = diff_options,
	.config_size = sizeof(struct diff_config),
	.defaults = &diff_defaults,
	.run = diff_run,
	.done = diff_done,
};
