/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut report`: an answer about a capture or an import. Without a question it is the ledger;
 * people then also see the largest waits and on-CPU stacks and one line about the gates, while
 * --json keeps to the ledger and the gates. A page holds everything at once, because nobody can
 * ask it again.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/provenance.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/profile_open.h"
#include "command/report_annotate.h"
#include "format/format.h"
#include "gate/gate.h"
#include "profile/profile.h"
#include "profile/cohort.h"
#include "profile/selection.h"
#include "profile/summary.h"
#include "result/document.h"
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct report_config {
	const char *question, *annotate, *by, *counts, *dimension, *sort, *html, *output;
	struct option_list where, focus, ignore;
	uint64_t from_ns, to_ns, top;
	bool json, force;
};

enum { PAGE_ROWS_MOST = 100 };

#define AT(member) offsetof(struct report_config, member)
static const struct option report_options[] = {
	{ .name = "annotate",
	  .type = OPTION_TEXT,
	  .into = AT(annotate),
	  .value = "FUNCTION",
	  .help = "source lines and instructions of one function, with their weight",
	  .example = "--annotate parse_request" },
	{ .name = "by",
	  .type = OPTION_TEXT,
	  .into = AT(by),
	  .value = "GROUP",
	  .help = "the ledger per thread, process, comm, cgroup or class",
	  .example = "--by thread" },
	OPTION_COUNTS(report_config),
	{ .name = "dimension",
	  .type = OPTION_TEXT,
	  .into = AT(dimension),
	  .value = "NAME",
	  .help = "its call tree; wall is running and waiting together",
	  .example = "--dimension disk/read" },
	{ .name = "focus",
	  .type = OPTION_LIST,
	  .into = AT(focus),
	  .value = "REGEX",
	  .help = "only stacks in which a function matches",
	  .example = "--focus '^parse'" },
	{ .name = "force",
	  .type = OPTION_FLAG,
	  .into = AT(force),
	  .help = "overwrite an existing file",
	  .example = "--force" },
	{ .name = "from",
	  .type = OPTION_DURATION,
	  .into = AT(from_ns),
	  .value = "TIME",
	  .help = "leave out what ended before this, since the capture's start",
	  .example = "--from 10s" },
	{ .name = "html",
	  .type = OPTION_TEXT,
	  .into = AT(html),
	  .value = "FILE",
	  .help = "write one page with the ledger and all call trees",
	  .example = "--html report.html" },
	{ .name = "ignore",
	  .type = OPTION_LIST,
	  .into = AT(ignore),
	  .value = "REGEX",
	  .help = "leave out stacks in which a function matches",
	  .example = "--ignore '^memcpy'" },
	{ .name = "json",
	  .type = OPTION_FLAG,
	  .into = AT(json),
	  .help = "print the answer as JSON",
	  .example = "--json" },
	{ .name = "output",
	  .letter = 'o',
	  .type = OPTION_TEXT,
	  .into = AT(output),
	  .value = "FILE",
	  .help = "write to a file, drawn as its name ends: .txt, .json, .html",
	  .example = "-o ledger.json" },
	{ .name = "question",
	  .letter = 'q',
	  .type = OPTION_TEXT,
	  .into = AT(question),
	  .value = "NAME",
	  .help = "what to answer: chain, ledger, locks, oncpu, requests, timeline, waits … (list analyses)",
	  .example = "-q waits" },
	{ .name = "sort",
	  .type = OPTION_TEXT,
	  .into = AT(sort),
	  .value = "ORDER",
	  .help = "functions by inclusive or exclusive weight",
	  .example = "--sort exclusive" },
	{ .name = "to",
	  .type = OPTION_DURATION,
	  .into = AT(to_ns),
	  .value = "TIME",
	  .help = "leave out what began after this, since the capture's start",
	  .example = "--to 20s" },
	{ .name = "top",
	  .type = OPTION_COUNT,
	  .into = AT(top),
	  .value = "N",
	  .help = "rows of a list",
	  .example = "--top 20" },
	{ .name = "where",
	  .type = OPTION_LIST,
	  .into = AT(where),
	  .value = "KEY=VALUE",
	  .help = "only pid, tid, comm, thread, process, cgroup, class, state, request",
	  .example = "--where comm=nginx" },
	{ 0 },
};

/* --- What was asked --------------------------------------------------------------------------- */

static int find_question(const char *name, const struct analysis **ret, struct error *err)
{
	const char *names[64] = { NULL }, *near;

	*ret = analysis_find(name);
	if (*ret)
		return 0;
	for (size_t i = 0; analyses[i] && i < ARRAY_LENGTH(names) - 1; i++)
		names[i] = analyses[i]->name;
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown question '%.64s'", name);
	(void)error_because(err, "crosscut has no analysis of that name");
	return near ? error_try(err, "crosscut report --question %s FILE", near)
		    : error_try(err, "crosscut list analyses");
}

static int check_asked(const struct report_config *report, const struct analysis *question,
		       struct error *err)
{
	if (report->sort && strcmp(report->sort, "inclusive") &&
	    strcmp(report->sort, "exclusive")) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown order '%.64s' in --sort",
			   report->sort);
		return error_because(err, "functions are sorted by inclusive or exclusive weight");
	}
	if (report->annotate && (report->by || report->question || report->dimension || report->html)) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--annotate does not go with another question");
		return error_because(err, "one answer is given at a time");
	}
	if (report->by && question && strcmp(question->name, "ledger") != 0) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--by does not go with this question");
		(void)error_because(err, "groups are rows of the ledger, not of '%s'",
				    question->name);
		return error_try(err, "crosscut report --by %.64s FILE", report->by);
	}
	if (report->html && (report->output || report->json)) {
		(void)fail(err, FAILURE_USAGE, -EINVAL,
			   "--html does not go with --json or --output");
		return error_because(err, "one answer is given at a time");
	}
	return 0;
}

static int select_cells(const struct report_config *report, struct selection *selection,
			struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < report->where.count && r >= 0; i++)
		r = selection_where(selection, report->where.items[i], err);
	for (size_t i = 0; i < report->focus.count && r >= 0; i++)
		r = selection_focus(selection, report->focus.items[i], err);
	for (size_t i = 0; i < report->ignore.count && r >= 0; i++)
		r = selection_ignore(selection, report->ignore.items[i], err);
	return r < 0 ? r : selection_window(selection, report->from_ns, report->to_ns, err);
}

/* --- The answer ------------------------------------------------------------------------------- */

static size_t name_gates(const struct table *table, const char *verdict, struct text *into)
{
	size_t count = 0;

	for (size_t row = 0; row < table->row_count; row++) {
		const struct value *cells = &table->cells[row * table->column_count];

		if (strcmp(cells[1].text, verdict) != 0)
			continue;
		text_print(into, "%s%s", count ? ", " : "", cells[0].text);
		count++;
	}
	return count;
}

/* The gates themselves are for machines and the page; people get one line that hides no verdict. */
static void add_gates(const struct profile *profile, const char *path, struct document *into)
{
	struct text failed = TEXT(4096), unmeasured = TEXT(4096);
	struct summary summary;
	struct section *section;
	size_t fails, unknowns;

	summary_of(profile, &summary);
	(void)gate_judge(&summary, NULL, 0, into);
	section = &into->sections[into->section_count - 1];
	section->hints |= COLUMN_MACHINE;
	fails = name_gates(section->table, "fail", &failed);
	unknowns = name_gates(section->table, "unmeasured", &unmeasured);
	if (fails || unknowns)
		document_add_finding(into, SEVERITY_WARNING,
				     "gates: %s%s%s%s%s (crosscut check %s)",
				     fails ? "failed: " : "", text_string(&failed),
				     fails && unknowns ? "; " : "", unknowns ? "unmeasured: " : "",
				     text_string(&unmeasured), path);
	else
		document_add_finding(into, SEVERITY_NOTE, "gates: all %zu pass",
				     section->table->row_count);
	text_done(&failed);
	text_done(&unmeasured);
}

static int run_named(const char *name, const struct question *question, struct document *into,
		     struct error *err)
{
	return analysis_run(analysis_find(name), question, into, err);
}

static int run_all(const char *const *names, const struct question *question, struct document *into,
		   struct error *err)
{
	int r = 0;

	for (size_t i = 0; names[i] && r >= 0; i++)
		r = run_named(names[i], question, into, err);
	return r;
}

static int answer_named(const struct analysis *analysis, const struct question *question,
			struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = NULL;
	struct question alone = *question;

	alone.alone = true;
	if (strcmp(analysis->name, "ledger") != 0) {
		account = account_new(question);
		provenance_add(question, account, into);
	}
	return analysis_run(analysis, &alone, into, err);
}

/* An import may hold none of the ledger's states: then its call tree is the answer. */
static bool has_states(const struct profile *profile)
{
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		struct dimension_id id =
			profile_cell_dimension(profile, profile_cell_at(profile, i));

		if (dimension_is_state(profile_dimension_at(profile, id.index)->kind))
			return true;
	}
	return false;
}

static int answer_import(const struct question *question, struct document *into, struct error *err)
{
	struct question tree = *question;
	char path[DIMENSION_PATH_SIZE];
	int r = run_named("ledger", question, into, err);

	for (size_t i = 0; i < profile_cell_count(question->profile) && r >= 0; i++) {
		const struct cell *cell = profile_cell_at(question->profile, i);

		if (!cell->stack.index)
			continue;
		tree.dimension = dimension_path(
			question->profile, profile_cell_dimension(question->profile, cell), path);
		return run_named("tree", &tree, into, err);
	}
	return r;
}

static int answer(const struct report_config *report, const struct analysis *asked,
		  const struct question *question, struct document *into, struct error *err)
{
	static const char *const page[] = { "ledger", "waits", "timeline", "locks", "oncpu", "stacks", "tree", NULL };
	static const char *const machines[] = { "ledger", "stacks", NULL };
	static const char *const people[] = { "ledger", "waits", "oncpu", "stacks", NULL };

	if (report->annotate)
		return report_annotate(question, report->annotate, into, err);
	if (report->html)
		return run_all(page, question, into, err);
	if (asked)
		return answer_named(asked, question, into, err);
	if (report->by)
		return run_named("ledger", question, into, err);
	if (report->json)
		return run_all(machines, question, into, err);
	return has_states(question->profile) ? run_all(people, question, into, err)
					     : answer_import(question, into, err);
}

/* --- Where it goes ---------------------------------------------------------------------------- */

static int give(const struct report_config *report, const struct document *document,
		struct error *err)
{
	const struct view *view;

	if (report->html)
		return answer_write(document, view_find("html"), report->html, report->force, err);
	if (!report->output)
		return answer_print(document, report->json, err);
	view = report->json ? view_find("json") : answer_view_of(report->output);
	return answer_write(document, view, report->output, report->force, err);
}

static int narrow(struct profile *profile, const struct selection *selection, const char *path, struct error *err)
{
	int r = selection_check(selection, profile, path, err);

	return r < 0 ? r : cohort_narrow_to(profile, selection, err);
}

static int report_file(const struct report_config *report, const struct analysis *asked,
		       const struct selection *selection, const char *path, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(document) struct document *document = NULL;
	struct question question = { .selection = selection,
				     .by = report->by,
				     .dimension = report->dimension,
				     .sort = report->sort,
				     .most = report->html ? PAGE_ROWS_MOST : report->top };
	CLEANUP_TEXT char *schema = NULL;
	CLEANUP_TEXT char *title = NULL;
	int r = profile_open_told(path, report->counts, &profile, err);

	if (r < 0)
		return r;
	r = narrow(profile, selection, path, err);
	if (r < 0)
		return r;
	question.profile = profile;
	if (report->html)
		question.dimension = NULL;       /* the page shows all of them */
	schema = xasprintf("crosscut.%s/1", report->annotate ? "annotation" : asked ? asked->name : "ledger");
	title = xasprintf("%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	document = document_new(schema, title);
	r = answer(report, asked, &question, document, err);
	if (r < 0)
		return r;
	if (!cohort_is(profile))
		add_gates(profile, path, document);
	else
		document_add_finding(document, SEVERITY_NOTE, "of requests that are such, as far as they were decomposed; time is theirs, "
							      "not the threads', and running time has no stacks");
	return give(report, document, err);
}

/* A file named for a view is drawn by it, whatever option named the file. */
static void choose_view(struct report_config *report)
{
	const char *name = report->output ? answer_view_of(report->output)->name : "";

	report->json |= !strcmp(name, "json");
	if (!strcmp(name, "html") && !report->json && !report->html) {
		report->html = report->output;
		report->output = NULL;
	}
}

static int report_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	struct report_config *report = config;
	CLEANUP(selection) struct selection *selection = selection_new();
	const struct analysis *asked = NULL;
	int r;

	if (arguments->operand_count != 1) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "report takes one file");
		(void)error_because(err, "%zu were named", arguments->operand_count);
		return error_try(err, "crosscut report FILE");
	}
	choose_view(report);
	if (report->question)
		r = find_question(report->question, &asked, err);
	else
		r = report->dimension && !report->html ? find_question("tree", &asked, err) : 0;
	if (r >= 0)
		r = check_asked(report, asked, err);
	if (r >= 0)
		r = select_cells(report, selection, err);
	if (r >= 0 && (report->html || report->output))
		r = output_spare(report->html ? report->html : report->output, arguments->operands[0], err);
	return r < 0 ? r : report_file(report, asked, selection, arguments->operands[0], err);
}

static void report_done(void *config)
{
	struct report_config *report = config;

	option_list_done(&report->where);
	option_list_done(&report->focus);
	option_list_done(&report->ignore);
}

extern const struct command cmd_report;
const struct command cmd_report = {
	.name = "report",
	.summary = "say where the time of a capture went, per unit of useful work",
	.synopsis = "crosscut report [OPTIONS] FILE",
	.example = "crosscut report capture.xcut",
	.options = report_options,
	.config_size = sizeof(struct report_config),
	.run = report_run,
	.done = report_done,
};
