/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut convert`: from any format that can be read to any that can be written, by way of a
 * profile; and to what views draw of it, by way of its call trees.
 */
#include "analysis/account.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/convert_explain.h"
#include "command/convert_target.h"
#include "command/profile_open.h"
#include "format/format.h"
#include "profile/profile.h"
#include "result/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct convert_config {
	const char *schema;
	const char *to, *dimension, *counts;
	bool addresses, all, explain, force, jit, json, kernel, pid, tid;
};

static const struct option convert_options[] = {
	{ .name = "addrs",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, addresses),
	  .help = "folded: addresses where no name is known",
	  .example = "--addrs" },
	{ .name = "all",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, all),
	  .help = "folded: --kernel and --jit",
	  .example = "--all" },
	OPTION_COUNTS(convert_config),
	{ .name = "dimension",
	  .type = OPTION_TEXT,
	  .into = offsetof(struct convert_config, dimension),
	  .value = "NAME",
	  .help = "which one to write, for formats that hold one",
	  .example = "--dimension oncpu" },
	{ .name = "explain",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, explain),
	  .help = "write nothing; say what of IN the format of OUT cannot keep",
	  .example = "--explain" },
	{ .name = "force",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, force),
	  .help = "overwrite an existing file",
	  .example = "--force" },
	{ .name = "jit",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, jit),
	  .help = "folded: mark generated code by _[j]",
	  .example = "--jit" },
	{ .name = "json",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, json),
	  .help = "say as JSON what was written",
	  .example = "--json" },
	{ .name = "kernel",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, kernel),
	  .help = "folded: mark kernel code by _[k]",
	  .example = "--kernel" },
	{ .name = "pid",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, pid),
	  .help = "folded: the process' number behind its name",
	  .example = "--pid" },
	{ .name = "tid",
	  .type = OPTION_FLAG,
	  .into = offsetof(struct convert_config, tid),
	  .help = "folded: the numbers of process and thread",
	  .example = "--tid" },
	{ .name = "to",
	  .type = OPTION_TEXT,
	  .into = offsetof(struct convert_config, to),
	  .value = "FORMAT",
	  .help = "the format to write; else the file's name says it",
	  .example = "--to folded" },
	{ .name = "schema",
	  .type = OPTION_TEXT,
	  .into = offsetof(struct convert_config, schema),
	  .value = "VERSION",
	  .help = "of OTLP: 1.11, or 1.7 for receivers built before 1.8",
	  .example = "--schema 1.7" },
	{ 0 },
};

static int write_profile(const struct convert_config *convert, const struct target *target,
			 const struct profile *profile, const char *title, const char *path, struct error *err)
{
	const struct format_options options = {
		.dimension = convert->dimension,
		.pid = convert->pid,
		.tid = convert->tid,
		.kernel = convert->kernel || convert->all,
		.jit = convert->jit || convert->all,
		.addresses = convert->addresses,
		.schema = convert->schema,
	};
	struct output to;
	int finished, r = 0;

	if (!strcmp(path, "-"))
		output_to_file(&to, stdout);
	else
		r = output_open(&to, path, convert->force ? OUTPUT_REPLACE : 0, err);
	if (r < 0)
		return r;
	r = target_write(target, profile, &options, title, &to, err);
	if (r < 0 && !to.code)
		to.code = r;             /* what was written so far is no such file: output_finish() removes it */
	finished = output_finish(&to, r < 0 ? &(struct error){ 0 } : err);
	return r < 0 ? r : finished;
}

static int say_written(const struct target *target, const char *from, const char *to, bool json,
		       struct error *err)
{
	CLEANUP(document)
	struct document *document = document_new("crosscut.convert/1", "converted");
	struct record *record;

	if (!json)
		return 0;
	record = record_new();
	record_add(record, "from", "from", "", value_text(from));
	record_add(record, "to", "to", "", value_text(to));
	record_add(record, "format", "format", "", value_text(target->name));
	(void)document_add_record(document, "written", "Written", record);
	return answer_print(document, json, err);
}

/* What is missing in the file that was written because it was missing in the one that was read. */
static void say_remarks(const struct profile *profile)
{
	static const char prefix[] = "import.remark.";
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			(void)fprintf(stderr, "crosscut: warning: %s\n", value);
	}
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int convert_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	const struct convert_config *convert = config;
	CLEANUP(profile) struct profile *profile = NULL;
	struct target target;
	struct dimension_id dimension;
	int r;

	if (arguments->operand_count != 2) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "convert takes two files");
		(void)error_because(err, "%zu were named", arguments->operand_count);
		return error_try(err, "crosscut convert capture.xcut out.folded");
	}
	if (convert->json && !convert->explain && !strcmp(arguments->operands[1], "-")) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--json does not go with '-'");
		return error_because(err, "both would be written to stdout");
	}
	r = target_choose(convert->to, arguments->operands[1], &target, err);
	if (r >= 0 && !convert->explain)
		r = output_spare(arguments->operands[1], arguments->operands[0], err);
	if (r >= 0)
		r = profile_open_told(arguments->operands[0], convert->counts, &profile, err);
	if (r >= 0)
		say_remarks(profile);
	if (r >= 0 && convert->dimension)
		r = dimension_named(profile, convert->dimension, &dimension, err);
	if (r >= 0 && convert->explain)
		return convert_explain(profile, &target, convert->json, err);
	if (r >= 0)
		r = write_profile(convert, &target, profile, file_name(arguments->operands[0]),
				  arguments->operands[1], err);
	return r < 0 ? r
		     : say_written(&target, arguments->operands[0], arguments->operands[1],
				   convert->json, err);
}

extern const struct command cmd_convert;
const struct command cmd_convert = {
	.name = "convert",
	.summary = "write a capture or an import in another format",
	.synopsis = "crosscut convert [OPTIONS] IN OUT",
	.example = "crosscut convert capture.xcut cpu.folded --dimension oncpu",
	.options = convert_options,
	.config_size = sizeof(struct convert_config),
	.run = convert_run,
};
