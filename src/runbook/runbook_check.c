/* SPDX-License-Identifier: Apache-2.0 */
/* What may be said in a runbook, in rows, and what is wrong with what was said. */
#include "runbook/parsing.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/quantity.h"
#include "base/text.h"
#include "profile/dimension.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct runbook_key runbook_keys[] = {
	{ "capture", "abort-at", "own cost of a CPU above which the capture ends" },
	{ "capture", "budget", "own cost of a CPU above which the capture gives things up" },
	{ "capture", "correct", "classes of work that are correct" },
	{ "capture", "depth", "user frames of a stack at most" },
	{ "capture", "duration", "stop after this long" },
	{ "capture", "frequency", "on-CPU samples per second and CPU" },
	{ "capture", "jitter", "start after a random time of at most this" },
	{ "capture", "max-size", "end the capture when the file is this large" },
	{ "capture", "no-wait-stacks", "yes: take no stacks of waits" },
	{ "capture", "redact", "yes: keep no names of programs, paths, hosts and containers" },
	{ "capture", "stages", "rates that rise while they are cheap: 19,49,99/10s" },
	{ "capture", "timeline", "yes: keep every interval by itself" },
	{ "capture", "with", "optional probes to add" },
	{ "capture", "without", "optional probes to leave out" },
	{ "capture", "work", "what counts as useful work" },
	{ "contract", "workload", "what the service is asked to do, and how" },
	{ "contract", "build", "the build that runs" },
	{ "contract", "tenant", "the class of tenants" },
	{ "contract", "endpoint", "the endpoint or operation" },
	{ "contract", "outcome", "the outcomes that are looked at" },
	{ "contract", "state", "nominal, overload, partial-failure or recovery" },
	{ "contract", "unit", "the useful-work unit: what every weight is divided by" },
	{ "contract", "suspected", "the dimension in which time is thought to be lost" },
	{ "contract", "decision", "what the capture is to decide" },
	{ "bounds", "longest", "the longest that a capture may take; enforced" },
	{ "bounds", "cohort", "the hosts, processes or requests that may be captured" },
	{ "bounds", "rates", "sampling rates, and the stages in which they may rise" },
	{ "bounds", "buffers", "how much memory the capture's buffers may take" },
	{ "bounds", "overhead", "the overhead budget: 2 %; enforced" },
	{ "bounds", "abort", "when the capture is ended at once: 5 %, enforced; or in words" },
	{ "bounds", "privilege", "the rights it runs with" },
	{ "bounds", "exposure", "which data of others it may see" },
	{ "bounds", "retention", "how long artefacts are kept: 30d" },
	{ "bounds", "readers", "who may read them" },
	{ "bounds", "artefacts", "raw artefacts that are kept" },
	{ "bounds", "falsified-by", "the outcome that would falsify the claim; mandatory" },
	{ "hypothesis", "mechanism", "a row of crosscut list hypotheses" },
	{ "hypothesis", "must-move", "dimensions and objectives that must rise, and fall back together" },
	{ "hypothesis", "by", "the least rise of each: 0.5 is by half" },
	{ "hypothesis", "must-not-move", "what must not rise" },
	{ "hypothesis", "may-end-lower", "what the rest of the release lowers too" },
	{ "arms", "baseline", "the command that starts the baseline" },
	{ "arms", "candidate", "the command that starts the candidate" },
	{ "arms", "restored", "the command of the candidate with the one change taken back" },
	{ "arms", "ready", "line: of its output, with its port; port:N; or a time to wait" },
	{ "arms", "load", "the command that sends the load" },
	{ "arms", "objective", "the file in which the load leaves its figures (JSON)" },
	{ "arms", "overload", "the command under which overhead is measured a second time" },
	{ "arms", "window", "signals: SIGUSR1 opens and SIGUSR2 ends the load's; or whole" },
	{ "arms", "warm-up", "how long the load runs before the capture" },
	{ "test", "pairs", "blocks of each arm (default 6)" },
	{ "test", "block", "how long one block is captured (default 8s)" },
	{ "test", "seed", "of the order of the blocks (default 1)" },
	{ "test", "lateness", "a load later than this share of p99 voids its block (default 0.01)" },
	{ 0 },
};
const char *const runbook_words[] = { "arm", "directory", "objective", "pair", "port", "programs", "rate", "scratch", "seconds", "workers", NULL };
static const char *const sections[] = { "capture", "labels", "contract", "bounds", "hypothesis", "arms", "test", NULL };
static const char *const operating_states[] = { "nominal", "overload", "partial-failure", "recovery", NULL };

/* --- What is wrong ---------------------------------------------------------------------------------------------- */

void runbook_refuse(struct parsing *parsing, unsigned line, const char *what, const char *word, const char *why)
{
	CLEANUP_TEXT char *place = line ? xasprintf("%s:%u", parsing->runbook->path, line) : xstrdup("--contract");

	if (parsing->code)
		return;
	parsing->code = *word ? fail(parsing->err, FAILURE_USAGE, -EINVAL, "%s: %s '%.100s'", place, what, word)
			      : fail(parsing->err, FAILURE_USAGE, -EINVAL, "%s: %s", place, what);
	error_because(parsing->err, "%s", why);
}

/* The names that would have done, and the nearest of them. */
static void refuse_name(struct parsing *parsing, unsigned line, const char *what, const char *word, const char *const *known)
{
	const char *near = nearest_name(word, known);
	struct text names = TEXT(400);

	if (parsing->code)
		return;
	for (size_t i = 0; known[i]; i++)
		text_print(&names, "%s%s", i ? ", " : "there are: ", known[i]);
	runbook_refuse(parsing, line, what, word, text_string(&names));
	text_done(&names);
	if (near)
		error_try(parsing->err, "%s", near);
	else
		error_try(parsing->err, "crosscut list runbook");
}

static const struct runbook_key *key_find(const char *section, const char *key)
{
	for (const struct runbook_key *row = runbook_keys; row->name; row++)
		if (!strcmp(row->section, section) && !strcmp(row->name, key))
			return row;
	return NULL;
}

void runbook_check_section(struct parsing *parsing, const char *section, unsigned line)
{
	for (size_t i = 0; sections[i]; i++)
		if (!strcmp(sections[i], section))
			return;
	refuse_name(parsing, line, "unknown section", section, sections);
}

void runbook_check_key(struct parsing *parsing, const struct runbook_entry *entry)
{
	const char *names[sizeof(runbook_keys) / sizeof(*runbook_keys)] = { 0 };
	size_t count = 0;

	if (!strcmp(entry->section, "labels") || key_find(entry->section, entry->key))
		return;
	for (const struct runbook_key *row = runbook_keys; row->name; row++)
		if (!strcmp(row->section, entry->section))
			names[count++] = row->name;
	refuse_name(parsing, entry->line, "unknown key", entry->key, names);
}

static void check_state(struct parsing *parsing, const struct runbook_entry *entry)
{
	for (size_t i = 0; operating_states[i]; i++)
		if (!strcmp(operating_states[i], entry->value))
			return;
	refuse_name(parsing, entry->line, "unknown operating state", entry->value, operating_states);
}

/* "disk", or "disk/read". */
static void check_dimension(struct parsing *parsing, const struct runbook_entry *entry)
{
	const char *slash = strchr(entry->value, '/'), *names[256] = { 0 };
	CLEANUP_TEXT char *parent = slash ? xstrndup(entry->value, (size_t)(slash - entry->value)) : NULL;
	size_t count = 0;

	if (dimension_row_find(parent, slash ? slash + 1 : entry->value))
		return;
	for (size_t i = 0; i < dimension_row_count && count < 255; i++)
		if (!dimension_rows[i].parent)
			names[count++] = dimension_rows[i].name;
	refuse_name(parsing, entry->line, "unknown dimension", entry->value, names);
}

/* Of the objective rather than of threads' time: what users saw. */
static const char *const objectives[] = { "mean", "p50", "p90", "p99", "p999", "throughput", NULL };

bool runbook_is_objective(const char *name)
{
	for (size_t i = 0; objectives[i]; i++)
		if (!strcmp(objectives[i], name))
			return true;
	return false;
}

/* "disk:3, runnable, p99" */
static void check_quantities(struct parsing *parsing, const struct runbook_entry *entry)
{
	for (const char *at = entry->value; *at; at += strspn(at, ", \t")) {
		size_t size = strcspn(at, ", \t");
		size_t name_size = strcspn(at, ":, \t");
		CLEANUP_TEXT char *name = xstrndup(at, name_size);
		struct runbook_entry one = { entry->section, entry->key, name, entry->line };
		char *end = NULL;
		double by = name_size < size ? strtod(at + name_size + 1, &end) : 1;

		if (size && !runbook_is_objective(name))
			check_dimension(parsing, &one);
		if (!(by > 0) || by > 1000 || (end && end != at + size))
			runbook_refuse(parsing, entry->line, "no share for", name, "it takes a number above 0: disk:0.5 is by half");
		at += size;
	}
}

static void check_fraction(struct parsing *parsing, const struct runbook_entry *entry)
{
	char *end;
	double value = strtod(entry->value, &end);

	if (end == entry->value || *end || !(value > 0) || value > 1000)
		runbook_refuse(parsing, entry->line, "no share", entry->value, "it takes a number above 0: 0.5 is by half");
}

static void check_number(struct parsing *parsing, const struct runbook_entry *entry)
{
	struct error why = { 0 };
	uint64_t number;
	bool is_time = !strcmp(entry->key, "retention") || !strcmp(entry->key, "block") || !strcmp(entry->key, "warm-up");
	int r = is_time ? quantity_parse_duration(entry->value, &number, &why) : quantity_parse_count(entry->value, &number, &why);

	if (r < 0)
		runbook_refuse(parsing, entry->line, is_time ? "no length of time" : "no whole number", entry->value, why.why);
}

static void check_window(struct parsing *parsing, const struct runbook_entry *entry)
{
	static const char *const windows[] = { "signals", "whole", NULL };

	if (strcmp(entry->value, windows[0]) && strcmp(entry->value, windows[1]))
		refuse_name(parsing, entry->line, "unknown window", entry->value, windows);
}

/* line, port:8080, or a time to wait. */
static void check_ready(struct parsing *parsing, const struct runbook_entry *entry)
{
	struct error ignored = { 0 };
	uint64_t number;
	bool port = !strncmp(entry->value, "port:", 5);

	if (port ? quantity_parse_count(entry->value + 5, &number, &ignored) < 0 || !number || number > 65535
		 : strcmp(entry->value, "line") && quantity_parse_duration(entry->value, &number, &ignored) < 0)
		runbook_refuse(parsing, entry->line, "no sign of a service that is up", entry->value, "it takes line, port:8080, or a time such as 2s");
}

/* "{port}": a word of ours. Whatever else stands in braces is the shell's. */
static void check_command(struct parsing *parsing, const struct runbook_entry *entry)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	for (const char *at = strchr(entry->value, '{'); at; at = strchr(at + 1, '{')) {
		size_t size = strspn(at + 1, letters);
		CLEANUP_TEXT char *word = xstrndup(at + 1, size);
		bool known = false;

		for (size_t i = 0; runbook_words[i]; i++)
			known |= !strcmp(runbook_words[i], word);
		if (size && at[1 + size] == '}' && !(at > entry->value && at[-1] == '$') && !known)
			refuse_name(parsing, entry->line, "unknown word in braces", word, runbook_words);
	}
}

/* What has a form of its own, by section and key. */
static const struct { const char *section, *key; void (*check)(struct parsing *parsing, const struct runbook_entry *entry); } forms[] = {
	{ "contract", "state", check_state },          { "contract", "suspected", check_dimension },
	{ "bounds", "retention", check_number },       { "hypothesis", "must-move", check_quantities },
	{ "hypothesis", "by", check_fraction },        { "hypothesis", "must-not-move", check_quantities },
	{ "hypothesis", "may-end-lower", check_quantities }, { "arms", "warm-up", check_number }, { "test", "pairs", check_number },
	{ "test", "block", check_number },             { "test", "seed", check_number },
	{ "test", "lateness", check_fraction },
	{ "arms", "baseline", check_command },         { "arms", "candidate", check_command },
	{ "arms", "restored", check_command },         { "arms", "load", check_command },
	{ "arms", "objective", check_command },        { "arms", "ready", check_ready },
	{ "arms", "window", check_window },
};

void runbook_check_form(struct parsing *parsing, const struct runbook_entry *entry)
{
	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
		if (!strcmp(forms[i].section, entry->section) && !strcmp(forms[i].key, entry->key))
			forms[i].check(parsing, entry);
}

/* A claim that nothing could refute is none: who states a decision, bounds or a hypothesis says what would. */
void runbook_check_falsifiable(struct parsing *parsing)
{
	const struct runbook *runbook = parsing->runbook;

	if (parsing->code || runbook_value(runbook, "bounds", "falsified-by"))
		return;
	for (size_t i = 0; i < runbook->count; i++) {
		const struct runbook_entry *entry = &runbook->entries[i];

		if (!strcmp(entry->section, "bounds") || !strcmp(entry->section, "hypothesis") || !strcmp(entry->section, "arms") ||
		    !strcmp(entry->key, "decision"))
			runbook_refuse(parsing, entry->line, "nothing would falsify what begins at", entry->key,
			       "[bounds] falsified-by is missing: one outcome that would refute the claim");
	}
}

/* Values may go on over several lines, so they are judged when all is read. */
void runbook_check_entries(struct parsing *parsing)
{
	const struct runbook *runbook = parsing->runbook;

	for (size_t i = 0; i < runbook->count && !parsing->code; i++) {
		const struct runbook_entry *entry = &runbook->entries[i];

		runbook_check_section(parsing, entry->section, entry->line);
		runbook_check_key(parsing, entry);
		if (!*entry->value)
			runbook_refuse(parsing, entry->line, "no value for", entry->key, "a key that says nothing is left out");
		if (!strcmp(entry->section, "labels") && strchr(entry->key, '='))
			runbook_refuse(parsing, entry->line, "no label", entry->key, "a label's key holds no '='");
		runbook_check_form(parsing, entry);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(runbook->entries[j].section, entry->section) && !strcmp(runbook->entries[j].key, entry->key))
				runbook_refuse(parsing, entry->line, "twice", entry->key, "it cannot be told which of the two is meant");
	}
	runbook_check_falsifiable(parsing);
}
