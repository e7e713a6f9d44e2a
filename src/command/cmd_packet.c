/* SPDX-License-Identifier: Apache-2.0 */
/* `crosscut packet`: make, fill, judge, check, explain and expire an evidence bundle. What each word does is a row below. */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "command/answer.h"
#include "command/command.h"
#include "packet/packet.h"
#include "result/document.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct packet_config {
	const char *arm, *runbook, *objective, *root;
	uint64_t pair;
	bool simulated, trace, json;
};

#define INTO(field) offsetof(struct packet_config, field)
static const struct option packet_options[] = {
	{ .name = "arm", .type = OPTION_TEXT, .into = INTO(arm), .value = "ARM",
	  .help = "add: baseline, candidate or restored", .example = "--arm candidate" },
	{ .name = "objective", .type = OPTION_TEXT, .into = INTO(objective), .value = "FILE",
	  .help = "add: what the load generator saw (JSON)", .example = "--objective load.json" },
	{ .name = "pair", .type = OPTION_COUNT, .into = INTO(pair), .value = "N",
	  .help = "add: which pair it belongs to (default: the arm's next)", .example = "--pair 3" },
	{ .name = "root", .type = OPTION_TEXT, .into = INTO(root), .value = "DIGEST",
	  .help = "verify: the root digest as it was kept elsewhere", .example = "--root 9f86d081884c7d65" },
	{ .name = "runbook", .type = OPTION_TEXT, .into = INTO(runbook), .value = "FILE",
	  .help = "new: the contract, bounds and hypothesis", .example = "--runbook examples/runbook/checkout.ini" },
	{ .name = "simulated", .type = OPTION_FLAG, .into = INTO(simulated), .help = "new: mark it as no measurement",
	  .example = "--simulated" },
	{ .name = "trace", .type = OPTION_FLAG, .into = INTO(trace), .help = "add: the files are traces, not captures",
	  .example = "--trace" },
	{ .name = "json", .type = OPTION_FLAG, .into = INTO(json), .help = "print the answer as JSON", .example = "--json" },
	{ 0 },
};

struct asked {
	const struct packet_config *config;
	const char *directory, *const *files;
	size_t file_count;
	struct document *document;
};

/* --- The words -------------------------------------------------------------------------------------------------- */

static void say_root(const struct packet *packet, struct document *into)
{
	document_add_finding(into, SEVERITY_NOTE, "sealed: root %s", packet_root(packet));
}

static int do_new(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	CLEANUP(runbook) struct runbook *runbook = NULL;
	int r;

	if (!asked->config->runbook) {
		fail(err, FAILURE_USAGE, -EINVAL, "a packet begins with a contract");
		error_because(err, "no runbook was named");
		return error_try(err, "crosscut packet new --runbook FILE %s", asked->directory);
	}
	r = runbook_read(asked->config->runbook, &runbook, err);
	if (r >= 0)
		r = packet_new(asked->directory, runbook, asked->config->simulated, &packet, err);
	if (r >= 0)
		say_root(packet, asked->document);
	return r;
}

static int check_arm(const struct packet_config *config, struct error *err)
{
	static const char *const arms[] = { "baseline", "candidate", "restored", NULL };
	const char *near;

	for (size_t i = 0; config->arm && arms[i]; i++)
		if (!strcmp(arms[i], config->arm))
			return 0;
	near = config->arm ? nearest_name(config->arm, arms) : NULL;
	fail(err, FAILURE_USAGE, -EINVAL, config->arm ? "unknown arm '%.64s'" : "add needs an arm%s", config->arm ? config->arm : "");
	error_because(err, "a capture is of the baseline, the candidate, or the restored arm");
	return error_try(err, "--arm %s", near ? near : "baseline");
}

static int do_add(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	const struct packet_config *config = asked->config;
	int r = config->trace ? 0 : check_arm(config, err);

	if (!r && (!asked->file_count || (asked->file_count > 1 && (config->pair || config->objective)))) {
		fail(err, FAILURE_USAGE, -EINVAL, "add takes files, and one where a pair or an objective is named");
		r = error_try(err, "crosscut packet add --arm baseline %s before.xcut", asked->directory);
	}
	if (!r)
		r = packet_open(asked->directory, &packet, err);
	for (size_t i = 0; i < asked->file_count && r >= 0; i++)
		r = config->trace ? packet_add_trace(packet, asked->files[i], err)
				  : packet_add(packet, config->arm, (unsigned)config->pair, asked->files[i], config->objective, err);
	if (r >= 0)
		r = packet_save(packet, err);
	if (r >= 0)
		say_root(packet, asked->document);
	return r;
}

static int do_report(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	int r = packet_open(asked->directory, &packet, err);

	if (r >= 0)
		r = packet_judge(packet, err);
	if (r >= 0)
		r = packet_save(packet, err);
	if (r < 0)
		return r;
	packet_document(packet, asked->document);
	say_root(packet, asked->document);
	return strcmp(packet_judgement(packet), "supported") != 0;
}

static int do_verify(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	int r = packet_open(asked->directory, &packet, err);

	if (r >= 0)
		r = packet_verify(packet, asked->config->root, asked->document, err);
	return r < 0 ? r : r > 0;
}

static int do_explain(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	int r = packet_open(asked->directory, &packet, err);

	if (r < 0)
		return r;
	if (!packet_judgement(packet)) {
		fail(err, FAILURE_USAGE, -EINVAL, "the packet was not judged");
		error_because(err, "there is nothing to explain yet");
		return error_try(err, "crosscut packet report %s", asked->directory);
	}
	packet_explain(packet, asked->document);
	return 0;
}

static int do_expire(const struct asked *asked, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	int r = packet_open(asked->directory, &packet, err), count;

	if (r >= 0)
		r = packet_expire(packet, (uint64_t)time(NULL), err);
	count = r;
	if (r > 0)
		r = packet_save(packet, err);
	if (r < 0)
		return r;
	document_add_finding(asked->document, SEVERITY_NOTE, "%d artefact%s deleted: their retention is over", count, count == 1 ? "" : "s");
	return 0;
}

static const struct word {
	const char *name;
	int (*run)(const struct asked *asked, struct error *err);
} words[] = {
	{ "add", do_add }, { "expire", do_expire }, { "explain", do_explain }, { "new", do_new }, { "report", do_report }, { "verify", do_verify },
};

static const struct word *word_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LENGTH(words); i++)
		if (!strcmp(words[i].name, name))
			return &words[i];
	return NULL;
}

static int packet_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	static const char *const names[] = { "add", "expire", "explain", "new", "report", "verify", NULL };
	CLEANUP(document) struct document *document = document_new("crosscut.packet-answer/1", "packet");
	const char *name = arguments->operand_count ? arguments->operands[0] : NULL, *near = name ? nearest_name(name, names) : NULL;
	const struct word *word = word_find(name);
	struct asked asked = { .config = config, .document = document };
	int r, printed;

	if (!word || arguments->operand_count < 2) {
		fail(err, FAILURE_USAGE, -EINVAL, word ? "packet %s needs a folder" : "packet takes new, add, report, verify, explain or expire%s",
		     word ? name : "");
		return error_try(err, "crosscut packet %s DIR", word ? name : near ? near : "verify");
	}
	asked.directory = arguments->operands[1];
	asked.files = (const char *const *)arguments->operands + 2;
	asked.file_count = arguments->operand_count - 2;
	r = word->run(&asked, err);
	if (r < 0)
		return r;
	printed = answer_print(document, asked.config->json, err);
	return printed < 0 ? printed : r;
}

extern const struct command cmd_packet;
const struct command cmd_packet = {
	.name = "packet", .summary = "make, fill, judge and check an evidence bundle",
	.synopsis = "crosscut packet [OPTIONS] new|add|report|verify|explain|expire DIR [FILE]...",
	.example = "crosscut packet verify examples/mercury/packet", .options = packet_options,
	.config_size = sizeof(struct packet_config), .run = packet_run,
};
