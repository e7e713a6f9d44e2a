/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut help`: a command's help; the rows of every command as JSON, from which pages and checks are made; and whether
 * a command line would be understood, so that the examples of the documentation can be checked without running them.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/help.h"
#include "result/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct help_config {
	bool json, parse;
};

static const struct option help_options[] = {
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct help_config, json),
	  .help = "print the rows of the commands and their options", .example = "--json" },
	{ .name = "parse", .type = OPTION_FLAG, .into = offsetof(struct help_config, parse),
	  .help = "say whether the command line after -- would be understood, and run nothing",
	  .example = "--parse -- record -d 10s -a" },
	{ 0 },
};

static const struct column option_columns[] = {
	{ .key = "name", .title = "option", .unit = "" },
	{ .key = "letter", .title = "letter", .unit = "" },
	{ .key = "value", .title = "value", .unit = "" },
	{ .key = "help", .title = "meaning", .unit = "" },
	{ .key = "example", .title = "example", .unit = "" },
};
static const struct column command_columns[] = {
	{ .key = "name", .title = "command", .unit = "" },
	{ .key = "summary", .title = "summary", .unit = "" },
	{ .key = "synopsis", .title = "usage", .unit = "" },
	{ .key = "example", .title = "example", .unit = "" },
	{ .key = "options", .title = "options", .unit = "", .hints = COLUMN_MACHINE },
};

static struct table *option_table(const struct option *options)
{
	struct table *table = table_new(option_columns, ARRAY_LENGTH(option_columns));

	for (const struct option *row = options; row && row->name; row++)
		table_add(table, (struct value[]){
			value_text(row->name),
			row->letter ? value_print("%c", row->letter) : value_none(),
			row->type == OPTION_FLAG ? value_none() : value_text(row->value ? row->value : "VALUE"),
			value_text(row->help),
			value_text(row->example),
		});
	return table;
}

static void add_command(struct table *table, const struct command *command)
{
	table_add(table, (struct value[]){
		value_text(command->name), value_text(command->summary), value_text(command->synopsis),
		value_text(command->example), value_table(option_table(command->options)),
	});
}

static int print_rows(const struct command *only, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.help/1", "commands");
	struct table *table = table_new(command_columns, ARRAY_LENGTH(command_columns));

	for (const struct command *const *row = commands; *row; row++)
		if (!only || *row == only)
			add_command(table, *row);
	document_add_table(document, "commands", "commands", table);
	return answer_print(document, true, err);
}

static int find_command(const char *name, const struct command **ret, struct error *err)
{
	*ret = command_find(name);
	return *ret ? 0 : command_unknown(name, err);
}

static int parse_only(const struct option_arguments *line, struct error *err)
{
	struct option_arguments arguments = { 0 };
	const struct command *command;
	void *config;
	int r;

	if (!line->command_count) {
		fail(err, FAILURE_USAGE, -EINVAL, "no command line to parse");
		error_because(err, "it stands after --");
		return error_try(err, "crosscut help --parse -- record -d 10s -a");
	}
	r = find_command(line->command[0], &command, err);
	if (r < 0)
		return r;
	config = command_config_new(command);
	r = option_parse(command->options, line->command + 1, config, &arguments, err);
	if (r < 0 && !*err->next)
		error_try(err, "crosscut %s --help", command->name);
	option_arguments_done(&arguments);
	command_config_free(command, config);
	return r;
}

static int help_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	const struct help_config *help = config;
	const struct command *command = NULL;
	struct output to;
	int r = 0;

	if (help->parse)
		return parse_only(arguments, err);
	if (arguments->operand_count)
		r = find_command(arguments->operands[0], &command, err);
	if (r < 0)
		return r;
	if (help->json)
		return print_rows(command, err);
	output_to_file(&to, stdout);
	if (command)
		help_command(command, &to);
	else
		help_overview(&to);
	return output_finish(&to, err);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "show how a command is used",
	.takes_command = true,
	.synopsis = "crosscut help [OPTIONS] [COMMAND]",
	.example = "crosscut help record",
	.options = help_options,
	.config_size = sizeof(struct help_config),
	.run = help_run,
};
