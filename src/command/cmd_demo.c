/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut demo`: the main job on a service of our own. Mercury's baseline and candidate serve the same load, each is
 * recorded, and the two ledgers are set side by side per correct response.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/demo_compare.h"
#include "result/document.h"
#include "view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct demo_options {
	const char *directory, *html;
	uint64_t duration_ns, pairs, rate, connections;
	bool force, json, quiet;
};

static const struct demo_options defaults = { .duration_ns = 8000000000, .pairs = 1, .rate = 500, .connections = 64 };

#define AT(member) offsetof(struct demo_options, member)
static const struct option options[] = {
	{ .name = "connections", .type = OPTION_COUNT, .into = AT(connections), .value = "N",
	  .help = "keep-alive connections of the load (default 64)", .example = "--connections 32" },
	{ .name = "directory", .type = OPTION_TEXT, .into = AT(directory), .value = "DIR",
	  .help = "where captures and the store go (default: a new one under /var/tmp)", .example = "--directory build" },
	{ .name = "duration", .letter = 'd', .type = OPTION_DURATION, .into = AT(duration_ns), .value = "TIME",
	  .help = "length of each capture (default 8s)", .example = "--duration 20s" },
	{ .name = "force", .type = OPTION_FLAG, .into = AT(force), .help = "overwrite existing files", .example = "--force" },
	{ .name = "html", .type = OPTION_TEXT, .into = AT(html), .value = "FILE",
	  .help = "write one page with both ledgers and all call trees", .example = "--html mercury.html" },
	{ .name = "json", .type = OPTION_FLAG, .into = AT(json), .help = "print the answer as JSON", .example = "--json" },
	{ .name = "pairs", .type = OPTION_COUNT, .into = AT(pairs), .value = "N",
	  .help = "interleaved pairs; from two on with 95 % intervals (default 1)", .example = "--pairs 6" },
	{ .name = "quiet", .letter = 'q', .type = OPTION_FLAG, .into = AT(quiet), .help = "no progress", .example = "--quiet" },
	{ .name = "rate", .type = OPTION_COUNT, .into = AT(rate), .value = "N",
	  .help = "requests per second, sent whatever the answers do (default 500)", .example = "--rate 300" },
	{ 0 },
};

/* The services lie beside us where we were built, or below our prefix where we were installed. */
static int find_programs(char **ret, struct error *err)
{
	char self[4096] = "";
	char *slash, *installed;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot find the demo's services");
	slash = strrchr(self, '/');
	*slash = '\0';
	*ret = xstrdup(self);
	installed = xasprintf("%s/mercury-load", *ret);
	if (access(installed, X_OK)) {
		free(*ret);
		*ret = xasprintf("%s/../lib/crosscut", self);
	}
	free(installed);
	return 0;
}

static int make_directory(const struct demo_options *wanted, char **ret, struct error *err)
{
	char name[] = "/var/tmp/crosscut-demo-XXXXXX";

	if (wanted->directory) {
		struct stat status;

		*ret = xstrdup(wanted->directory);
		if (!stat(*ret, &status) && S_ISDIR(status.st_mode))
			return 0;
		return fail(err, FAILURE_WORK, -ENOTDIR, "cannot use '%s'", *ret);
	}
	if (!mkdtemp(name))
		return fail(err, FAILURE_WORK, -errno, "cannot make a folder under /var/tmp");
	*ret = xstrdup(name);
	return 0;
}

static void say(const struct demo_config *config, const char *what, unsigned pair, unsigned pairs)
{
	if (config->progress)
		fprintf(stderr, "crosscut: pair %u of %u: %s\n", pair + 1, pairs, what);
}

/* Which arm goes first alternates, so that a drift of the machine favours neither. */
static int run_pair(const struct demo_config *config, unsigned index, unsigned pairs, struct demo_pair *pair, struct error *err)
{
	const char *names[2] = { "baseline", "candidate" };
	struct demo_arm *arms[2] = { &pair->baseline, &pair->candidate };

	for (unsigned i = 0; i < 2; i++) {
		unsigned which = (i + index) % 2;
		int r;

		say(config, names[which], index, pairs);
		r = demo_arm_run(config, names[which], index + 1, arms[which], err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_pairs(struct demo_config *config, const struct demo_options *wanted, struct demo_pair *pairs, struct error *refused,
		     struct error *err)
{
	int r = 0;

	for (unsigned i = 0; i < wanted->pairs && r >= 0; i++) {
		r = run_pair(config, i, (unsigned)wanted->pairs, &pairs[i], err);
		if (r < 0 && err->kind == FAILURE_CANNOT && !config->without_capture) {
			*refused = *err;        /* no capture here: the load alone still shows what users saw */
			config->without_capture = true;
			r = run_pair(config, i, (unsigned)wanted->pairs, &pairs[i], err);
		}
	}
	return r;
}

static int write_page(const struct document *document, const struct demo_options *wanted, struct error *err)
{
	struct view_style style = { 0 };
	struct output to;
	int finished, r = output_open(&to, wanted->html, wanted->force ? OUTPUT_REPLACE : 0, err);

	if (r < 0)
		return r;
	r = view_find("html")->render(document, &style, &to);
	if (r < 0)
		fail(err, FAILURE_WORK, r, "cannot draw '%s'", wanted->html);
	finished = output_finish(&to, r < 0 ? &(struct error){ 0 } : err);
	return r < 0 ? r : finished;
}

/* The text names what the page shows: people see the comparison, machines and the page get the ledgers too. */
static int answer(const struct demo_options *wanted, const struct demo_pair *pairs, bool captured, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.demo/1", "Mercury: baseline and candidate");
	int r = 0;

	if (captured)
		r = demo_compare(pairs, (unsigned)wanted->pairs, document, err);
	else
		demo_compare_loads(pairs, (unsigned)wanted->pairs, document);
	if (r >= 0 && wanted->html && captured)
		r = write_page(document, wanted, err);
	if (r >= 0)
		r = answer_print(document, wanted->json, err);
	return r;
}

static int demo_run(void *given, const struct option_arguments *arguments, struct error *err)
{
	const struct demo_options *wanted = given;
	struct demo_pair pairs[DEMO_PAIRS_MOST] = { 0 };
	CLEANUP_TEXT char *programs = NULL, *directory = NULL;
	struct demo_config config = { .duration_ns = wanted->duration_ns, .rate = wanted->rate, .connections = wanted->connections,
				      .progress = !wanted->quiet, .replace = wanted->force };
	struct error refused = { 0 };
	int r;

	if (arguments->operand_count || wanted->pairs < 1 || wanted->pairs > DEMO_PAIRS_MOST) {
		fail(err, FAILURE_USAGE, -EINVAL, "demo takes options only, and 1 to %d pairs", DEMO_PAIRS_MOST);
		return error_try(err, "crosscut demo --pairs 6");
	}
	r = find_programs(&programs, err);
	if (!r)
		r = make_directory(wanted, &directory, err);
	config.programs = programs;
	config.directory = directory;
	if (!r)
		r = run_pairs(&config, wanted, pairs, &refused, err);
	if (!r)
		r = answer(wanted, pairs, !config.without_capture, err);
	if (r >= 0 && !wanted->quiet && !config.without_capture)
		fprintf(stderr, "crosscut: the captures are in %s: crosscut report %s\n", directory, pairs[0].candidate.capture);
	if (r >= 0 && wanted->html && !config.without_capture && !wanted->quiet)
		fprintf(stderr, "crosscut: open %s in a browser\n", wanted->html);
	for (unsigned i = 0; i < wanted->pairs; i++) {
		demo_arm_done(&pairs[i].baseline);
		demo_arm_done(&pairs[i].candidate);
	}
	if (r >= 0 && config.without_capture) {
		*err = refused;                 /* said last, and with its exit code: the ledger is missing */
		return refused.code;
	}
	return r;
}

extern const struct command cmd_demo;
const struct command cmd_demo = {
	.name = "demo", .summary = "record a bundled service twice and compare it per correct response",
	.synopsis = "crosscut demo [OPTIONS]", .example = "crosscut demo --html mercury.html", .options = options,
	.config_size = sizeof(struct demo_options), .defaults = &defaults, .run = demo_run,
};
