/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut demo`: the whole of it on a service of our own. Mercury's runbook is investigated: its baseline, its candidate, and
 * the candidate with the old store access serve the same load in blocks of random order, each is recorded, and what they took
 * per correct response ends in a verdict.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "command/answer.h"
#include "command/arm_block.h"
#include "command/command.h"
#include "command/demo_compare.h"
#include "command/investigation.h"
#include "packet/packet.h"
#include "result/document.h"
#include "runbook/runbook.h"
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

static const struct demo_options defaults = { .duration_ns = 5000000000, .pairs = 6, .rate = 500, .connections = 64 };

#define AT(member) offsetof(struct demo_options, member)
static const struct option options[] = {
	{ .name = "connections", .type = OPTION_COUNT, .into = AT(connections), .value = "N",
	  .help = "keep-alive connections of the load (default 64)", .example = "--connections 32" },
	{ .name = "directory", .type = OPTION_TEXT, .into = AT(directory), .value = "DIR",
	  .help = "where the packet and the store go (default: a new one in /var/tmp)", .example = "--directory build" },
	{ .name = "duration", .letter = 'd', .type = OPTION_DURATION, .into = AT(duration_ns), .value = "TIME",
	  .help = "length of each block (default 5s)", .example = "--duration 20s" },
	{ .name = "force", .type = OPTION_FLAG, .into = AT(force), .help = "overwrite existing files", .example = "--force" },
	{ .name = "html", .type = OPTION_TEXT, .into = AT(html), .value = "FILE",
	  .help = "write one page with both ledgers and all call trees", .example = "--html mercury.html" },
	{ .name = "json", .type = OPTION_FLAG, .into = AT(json), .help = "print the answer as JSON", .example = "--json" },
	{ .name = "pairs", .type = OPTION_COUNT, .into = AT(pairs), .value = "N",
	  .help = "blocks of each arm; a verdict takes six (default 6)", .example = "--pairs 12" },
	{ .name = "quiet", .letter = 'q', .type = OPTION_FLAG, .into = AT(quiet), .help = "no progress", .example = "--quiet" },
	{ .name = "rate", .type = OPTION_COUNT, .into = AT(rate), .value = "N",
	  .help = "requests per second, sent whatever the answers do (default 500)", .example = "--rate 300" },
	{ 0 },
};

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

/* --- The runbook ------------------------------------------------------------------------------------------------ */

static const char runbook_text[] =
#include "mercury_runbook.h"
	;

/* Kept beside the packet, so that whoever saw the demo has a runbook to begin with. */
static int write_runbook(const char *path, struct runbook **ret, struct error *err)
{
	struct output to;
	int r = output_open(&to, path, OUTPUT_REPLACE, err);

	if (r < 0)
		return r;
	output_puts(&to, runbook_text);
	r = output_finish(&to, err);
	return r < 0 ? r : runbook_read(path, ret, err);
}

/* --- The captures that the packet holds ------------------------------------------------------------------------- */

static bool arm_found(const char *directory, const char *file, const char *name, struct demo_arm *ret)
{
	CLEANUP_TEXT char *capture = xasprintf("%s/%s.xcut", directory, file), *objective = xasprintf("%s/%s.json", directory, file);
	struct error ignored;

	if (access(capture, R_OK) || objective_read(objective, &ret->load, &ignored) < 0)
		return false;
	ret->name = name;
	ret->capture = take(capture);
	return true;
}

static void pair_done(struct demo_pair *pair)
{
	free(pair->baseline.capture);
	free(pair->candidate.capture);
	*pair = (struct demo_pair){ 0 };
}

static bool pair_found(const char *directory, const char *baseline, const char *candidate, struct demo_pair *ret)
{
	if (arm_found(directory, baseline, "baseline", &ret->baseline) && arm_found(directory, candidate, "candidate", &ret->candidate))
		return true;
	pair_done(ret);
	return false;
}

static unsigned pairs_found(const char *packet, struct demo_pair *pairs)
{
	CLEANUP_TEXT char *captures = xasprintf("%s/captures", packet);
	unsigned count = 0;

	for (unsigned pair = 1; pair <= DEMO_PAIRS_MOST; pair++) {
		CLEANUP_TEXT char *baseline = xasprintf("baseline-%u", pair), *candidate = xasprintf("candidate-%u", pair);

		count += pair_found(captures, baseline, candidate, &pairs[count]);
	}
	return count;
}

/* With stacks where the investigation came so far; else the ledgers alone. */
static bool shown_found(const char *packet, struct demo_pair *ret)
{
	CLEANUP_TEXT char *blocks = xasprintf("%s/blocks", packet);

	return pair_found(blocks, "waits-baseline", "waits-candidate", ret) || pair_found(blocks, "pilot-baseline", "pilot-candidate", ret);
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

/* People get the comparison and the verdict; the packet's own tables are for machines and the page. */
static void take_packet(const struct packet *packet, struct document *into)
{
	static const char *const shown[] = { "predictions", "verdict" };
	CLEANUP(document) struct document *own = document_new("crosscut.packet/1", "packet");

	packet_document(packet, own);
	for (size_t i = 0; i < own->section_count; i++) {
		bool keep = false;

		for (size_t j = 0; j < ARRAY_LENGTH(shown); j++)
			keep |= own->sections[i].key && !strcmp(own->sections[i].key, shown[j]);
		own->sections[i].hints |= keep ? 0 : COLUMN_MACHINE;
		if (own->sections[i].kind == SECTION_FINDING)
			own->sections[i].hints &= ~(unsigned)COLUMN_MACHINE;
	}
	document_take(into, own, "packet");
	packet_explain(packet, into);
}

static int answer(const struct demo_options *wanted, const struct packet *packet, const char *directory, struct document *document,
		  struct error *err)
{
	struct demo_pair pairs[DEMO_PAIRS_MOST] = { 0 }, shown = { 0 };
	unsigned count = pairs_found(directory, pairs);
	bool some = shown_found(directory, &shown);
	int r = 0;

	if (some)
		r = demo_compare(count ? pairs : &shown, count ? count : 1, &shown, document, err);
	if (r >= 0)
		take_packet(packet, document);
	if (r >= 0 && wanted->html)
		r = write_page(document, wanted, err);
	if (r >= 0)
		r = answer_print(document, wanted->json, err);
	for (unsigned i = 0; i < count; i++)
		pair_done(&pairs[i]);
	pair_done(&shown);
	return r;
}

/* No capture here: the load alone still shows what users saw. What is missing is said last, and with its exit code. */
static int answer_without(const struct demo_options *wanted, const struct investigation *asked, const struct error *refused,
			  struct document *document, struct error *err)
{
	struct block_config config = { .runbook = asked->runbook, .directory = asked->scratch, .programs = asked->programs,
				       .scratch = asked->scratch, .rate = asked->rate, .workers = asked->workers,
				       .duration_ns = asked->block_ns, .without_capture = true };
	struct demo_pair pair = { .baseline.name = "baseline", .candidate.name = "candidate" };
	struct block block = { 0 };
	int r = block_run(&config, "baseline", 1, "mercury-baseline", &block, err);

	pair.baseline.load = block.objective;
	block_done(&block);
	if (!r)
		r = block_run(&config, "candidate", 1, "mercury-candidate", &block, err);
	pair.candidate.load = block.objective;
	block_done(&block);
	if (r < 0)
		return r;
	demo_compare_loads(&pair, 1, document);
	r = answer_print(document, wanted->json, err);
	if (r < 0)
		return r;
	*err = *refused;
	return refused->code;
}

static char *packet_directory(const struct demo_options *wanted, const char *directory)
{
	CLEANUP_TEXT char *path = xasprintf("%s/mercury.packet/packet.json", directory);
	char *found = xasprintf("%s/mercury.packet", directory);

	if (wanted->force && !access(path, F_OK))
		packet_delete(found);
	return found;
}

static int demo_run(void *given, const struct option_arguments *arguments, struct error *err)
{
	const struct demo_options *wanted = given;
	CLEANUP(document) struct document *document = document_new("crosscut.demo/1", "Mercury: baseline and candidate");
	CLEANUP(packet) struct packet *packet = NULL;
	CLEANUP(runbook) struct runbook *runbook = NULL;
	CLEANUP_TEXT char *programs = NULL, *directory = NULL, *path = NULL, *target = NULL;
	char rate[32], workers[32];
	struct investigation asked = { .pairs = wanted->pairs, .block_ns = wanted->duration_ns, .progress = !wanted->quiet,
				       .rate = rate, .workers = workers };
	int r;

	if (arguments->operand_count || wanted->pairs < 1 || wanted->pairs > DEMO_PAIRS_MOST) {
		fail(err, FAILURE_USAGE, -EINVAL, "demo takes options only, and 1 to %d pairs", DEMO_PAIRS_MOST);
		return error_try(err, "crosscut demo --pairs 6");
	}
	(void)snprintf(rate, sizeof(rate), "%llu", (unsigned long long)wanted->rate);
	(void)snprintf(workers, sizeof(workers), "%llu", (unsigned long long)wanted->connections);
	r = investigation_programs(&programs, err);
	if (!r)
		r = make_directory(wanted, &directory, err);
	if (!r) {
		path = xasprintf("%s/mercury.ini", directory);
		target = packet_directory(wanted, directory);
		r = write_runbook(path, &runbook, err);
	}
	asked.runbook = runbook;
	asked.programs = programs;
	asked.scratch = directory;
	asked.directory = target;
	if (!r) {
		sync();                 /* what was installed and built a moment ago is not to be written while the first blocks wait */
		r = investigation_run(&asked, &packet, document, err);
	}
	if (r < 0 && err->kind == FAILURE_CANNOT) {
		struct error refused = *err;

		return answer_without(wanted, &asked, &refused, document, err);
	}
	if (!r)
		r = answer(wanted, packet, target, document, err);
	if (r >= 0 && !wanted->quiet)
		fprintf(stderr, "crosscut: the packet is %s: crosscut packet verify %s\n", target, target);
	if (r >= 0 && wanted->html && !wanted->quiet)
		fprintf(stderr, "crosscut: open %s in a browser\n", wanted->html);
	return r;
}

extern const struct command cmd_demo;
const struct command cmd_demo = {
	.name = "demo", .summary = "investigate a bundled service, from its runbook to a verdict",
	.synopsis = "crosscut demo [OPTIONS]", .example = "crosscut demo --html mercury.html", .options = options,
	.config_size = sizeof(struct demo_options), .defaults = &defaults, .run = demo_run,
};
