/* SPDX-License-Identifier: Apache-2.0 */
/* `crosscut investigate RUNBOOK`: four passes that stop where the evidence says so, and a verdict in a packet. */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/investigation.h"
#include "packet/packet.h"
#include "result/document.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct investigate_config {
	const char *directory, *scale, *arm;
	uint64_t pairs, block_ns;
	bool json, quiet;
};

static const struct investigate_config defaults = { .arm = "candidate" };

#define INTO(field) offsetof(struct investigate_config, field)
static const struct option investigate_options[] = {
	{ .name = "arm", .type = OPTION_TEXT, .into = INTO(arm), .value = "ARM",
	  .help = "the arm that --scale runs (default: candidate)", .example = "--arm baseline" },
	{ .name = "block", .type = OPTION_DURATION, .into = INTO(block_ns), .value = "TIME",
	  .help = "length of a block (default: the runbook's, 8s)", .example = "--block 10s" },
	{ .name = "directory", .type = OPTION_TEXT, .into = INTO(directory), .value = "DIR",
	  .help = "the packet (default: crosscut-DATE-TIME.packet)", .example = "--directory incident" },
	{ .name = "pairs", .type = OPTION_COUNT, .into = INTO(pairs), .value = "N",
	  .help = "blocks of each arm (default: the runbook's, 6)", .example = "--pairs 12" },
	{ .name = "scale", .type = OPTION_TEXT, .into = INTO(scale), .value = "LIST",
	  .help = "instead: one arm over numbers of workers", .example = "--scale workers=1,2,4,8" },
	{ .name = "quiet", .letter = 'q', .type = OPTION_FLAG, .into = INTO(quiet), .help = "no progress", .example = "--quiet" },
	{ .name = "json", .type = OPTION_FLAG, .into = INTO(json), .help = "print the answer as JSON", .example = "--json" },
	{ 0 },
};

static char *default_directory(void)
{
	time_t now = time(NULL);
	struct tm local;
	char text[64];

	(void)localtime_r(&now, &local);
	(void)strftime(text, sizeof(text), "crosscut-%Y%m%d-%H%M%S.packet", &local);
	return xstrdup(text);
}

static int test_arms(const struct investigation *wanted, struct document *document, struct error *err)
{
	CLEANUP(packet) struct packet *packet = NULL;
	int r = investigation_run(wanted, &packet, document, err);

	if (r < 0)
		return r;
	packet_document(packet, document);
	packet_explain(packet, document);
	document_add_finding(document, SEVERITY_NOTE, "the packet is %s; its root is %s", wanted->directory, packet_root(packet));
	return strcmp(packet_judgement(packet), "supported") != 0;
}

static int investigate_run(void *given, const struct option_arguments *arguments, struct error *err)
{
	const struct investigate_config *config = given;
	CLEANUP(document) struct document *document = document_new("crosscut.investigate/1", "investigation");
	CLEANUP(runbook) struct runbook *runbook = NULL;
	CLEANUP_TEXT char *directory = config->directory ? xstrdup(config->directory) : default_directory(), *programs = NULL;
	struct investigation wanted = { .directory = directory, .pairs = config->pairs, .block_ns = config->block_ns,
					.progress = !config->quiet };
	int r, printed;

	if (arguments->operand_count != 1) {
		fail(err, FAILURE_USAGE, -EINVAL, "investigate takes one runbook");
		return error_try(err, "crosscut investigate examples/mercury/mercury.ini");
	}
	r = runbook_read(arguments->operands[0], &runbook, err);
	if (!r)
		r = investigation_programs(&programs, err);
	wanted.runbook = runbook;
	wanted.programs = programs;
	if (!r)
		r = config->scale ? investigation_scale(&wanted, config->arm, config->scale, document, err)
				  : test_arms(&wanted, document, err);
	if (r < 0)
		return r;
	printed = answer_print(document, config->json, err);
	return printed < 0 ? printed : r;
}

extern const struct command cmd_investigate;
const struct command cmd_investigate = {
	.name = "investigate", .summary = "four passes from a runbook, each with its stopping rule, to a verdict",
	.synopsis = "crosscut investigate [OPTIONS] RUNBOOK", .example = "crosscut investigate examples/mercury/mercury.ini",
	.options = investigate_options, .config_size = sizeof(struct investigate_config), .defaults = &defaults, .run = investigate_run,
};
