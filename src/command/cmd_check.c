/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut check`: may this capture speak? Runs every gate of one capture and answers yes only if
 * none failed and none was left unmeasured: what nobody measured has not passed.
 */
#include "analysis/provenance.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/gate_limit.h"
#include "command/profile_open.h"
#include "format/format.h"
#include "format/native.h"
#include "gate/gate.h"
#include "profile/profile.h"
#include "profile/summary.h"
#include "result/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_config {
	struct option_list gates;
	const char *counts;
	bool json;
};

static const struct option check_options[] = {
	OPTION_COUNTS(check_config),
	{ .name = "gate",
	  .type = OPTION_LIST,
	  .into = offsetof(struct check_config, gates),
	  .value = "NAME=LIMIT",
	  .help = "another limit for one gate; may be given again",
	  .example = "--gate own-cost=0.05" },
	{ .name = "json",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct check_config, json),
	  .help = "print the verdicts as JSON",
	  .example = "--json" },
	{ 0 },
};

/* A packet knows its captures by the digest of the whole file. */
static bool is_in_packet(const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEANUP_TEXT char *packet = xasprintf("%.*s../packet.json", slash ? (int)(slash - path) + 1 : 0, path);

	return access(packet, F_OK) == 0;
}

/* Beside the capture, for whoever opens it later; a file that cannot be changed stays as it is. */
static void store_verdicts(const char *path, const struct table *table)
{
	size_t size = strlen(path);

	if (size < 5 || strcmp(path + size - 5, ".xcut") != 0 || is_in_packet(path))
		return;
	for (size_t row = 0; row < table->row_count; row++) {
		const struct value *cells = &table->cells[row * table->column_count];
		struct error ignored = { 0 };

		if (native_store_gate(path, cells[0].text, cells[2].number, cells[3].number,
				      cells[1].text, &ignored) < 0)
			return;
	}
}

static void say_worst(enum verdict worst, struct document *into)
{
	if (worst == VERDICT_FAIL)
		document_add_finding(
			into, SEVERITY_FAILURE,
			"a gate failed: this evidence may not speak for what that gate guards");
	else if (worst == VERDICT_UNMEASURED)
		document_add_finding(
			into, SEVERITY_WARNING,
			"no gate failed, but what is unmeasured has not passed: claims that rest "
			"on it cannot be made from this capture");
	else
		document_add_finding(into, SEVERITY_NOTE, "all gates passed");
}

static int check_file(const struct check_config *check, const char *path,
		      const struct gate_limit *limits, unsigned count, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.check/1", path);
	struct summary summary;
	enum verdict worst;
	int r = profile_open_told(path, check->counts, &profile, err);

	if (r < 0)
		return r;
	summary_of(profile, &summary);
	worst = gate_judge(&summary, limits, count, document);
	store_verdicts(path, document_find(document, "gates")->table);
	provenance_guard(profile, document);
	say_worst(worst, document);
	r = answer_print(document, check->json, err);
	return r < 0 ? r : worst == VERDICT_FAIL || worst == VERDICT_UNMEASURED;
}

static int check_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	const struct check_config *check = config;
	struct gate_limit limits[OPTION_LIST_LIMIT];

	if (arguments->operand_count != 1) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "check takes one file");
		(void)error_because(err, "%zu were named", arguments->operand_count);
		return error_try(err, "crosscut check FILE");
	}
	for (size_t i = 0; i < check->gates.count; i++) {
		int r = gate_limit_parse(check->gates.items[i], false, &limits[i], err);

		if (r < 0)
			return r;
	}
	return check_file(check, arguments->operands[0], limits, (unsigned)check->gates.count, err);
}

static void check_done(void *config)
{
	option_list_done(&((struct check_config *)config)->gates);
}

extern const struct command cmd_check;
const struct command cmd_check = {
	.name = "check",
	.summary = "run the gates: may this capture speak?",
	.synopsis = "crosscut check [OPTIONS] FILE",
	.example = "crosscut check capture.xcut",
	.options = check_options,
	.config_size = sizeof(struct check_config),
	.run = check_run,
	.done = check_done,
};
