/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut completion SHELL`: a completion script made from the commands' rows, so that it cannot fall behind them.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "command/answer.h"
#include "command/command.h"
#include "result/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SCRIPT_LIMIT = 1024 * 1024 };

struct completion_config {
	bool json;
};

static const struct option completion_options[] = {
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct completion_config, json),
	  .help = "print the script as a JSON object", .example = "--json" },
	{ 0 },
};

/* The whole word in single quotes; a backslash before each of the special characters. */
static void quote(struct text *to, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			text_print(to, "'\\''");
		else
			text_print(to, "%s%c", strchr(special, *text) ? "\\" : "", *text);
	}
}

static void command_names(struct text *to)
{
	for (const struct command *const *row = commands; *row; row++)
		text_print(to, "%s ", (*row)->name);
}

static void bash_options(struct text *to, const struct command *command)
{
	text_print(to, "\t%s) options='", command->name);
	for (const struct option *row = command->options; row && row->name; row++)
		text_print(to, "--%s ", row->name);
	text_print(to, "--help' ;;\n");
}

static void write_bash(struct text *to)
{
	text_print(to, "# bash completion of crosscut, made by: crosscut completion bash\n"
		       "_crosscut() {\n"
		       "\tlocal word=${COMP_WORDS[COMP_CWORD]} options= commands='");
	command_names(to);
	text_print(to, "'\n"
		       "\tCOMPREPLY=()\n"
		       "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		       "\t\tCOMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$word\"))\n"
		       "\t\treturn\n"
		       "\tfi\n"
		       "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct command *const *row = commands; *row; row++)
		bash_options(to, *row);
	text_print(to, "\tesac\n"
		       "\tcase $word in\n"
		       "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
		       "\t*) [ \"${COMP_WORDS[1]}\" = help ] && COMPREPLY=($(compgen -W \"$commands\" -- \"$word\")) ;;\n"
		       "\tesac\n"
		       "}\n"
		       "complete -o default -F _crosscut crosscut\n");
}

static void zsh_option(struct text *to, const struct option *row)
{
	const char *equals = row->type == OPTION_FLAG ? "" : "=";

	text_print(to, " \\\n\t\t\t");
	if (row->letter)
		text_print(to, "'(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter, row->name, equals);
	else
		text_print(to, "'--%s%s[", row->name, equals);
	quote(to, row->help, "[]\\:");
	text_print(to, "]");
	if (row->type != OPTION_FLAG) {
		text_print(to, ":");
		quote(to, row->value ? row->value : "VALUE", "[]\\:");
		text_print(to, ":_files");
	}
	text_print(to, "'");
}

static void write_zsh(struct text *to)
{
	text_print(to, "#compdef crosscut\n"
		       "# zsh completion of crosscut, made by: crosscut completion zsh\n"
		       "_crosscut() {\n"
		       "\tlocal -a commands=(\n");
	for (const struct command *const *row = commands; *row; row++) {
		text_print(to, "\t\t'%s:", (*row)->name);
		quote(to, (*row)->summary, ":\\");
		text_print(to, "'\n");
	}
	text_print(to, "\t)\n"
		       "\tif (( CURRENT == 2 )); then\n"
		       "\t\t_describe -t commands command commands\n"
		       "\t\treturn\n"
		       "\tfi\n"
		       "\tlocal command=$words[2]\n"
		       "\tshift words\n"
		       "\t(( CURRENT-- ))\n"
		       "\tcase $command in\n");
	for (const struct command *const *row = commands; *row; row++) {
		text_print(to, "\t\t%s) _arguments", (*row)->name);
		for (const struct option *option = (*row)->options; option && option->name; option++)
			zsh_option(to, option);
		text_print(to, " \\\n\t\t\t'(-h --help)'{-h,--help}'[show help]' '*:file:_files' ;;\n");
	}
	text_print(to, "\tesac\n"
		       "}\n"
		       "_crosscut \"$@\"\n");
}

static void fish_option(struct text *to, const struct command *command, const struct option *row)
{
	text_print(to, "complete -c crosscut -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
	if (row->letter)
		text_print(to, " -s %c", row->letter);
	text_print(to, "%s -d '", row->type == OPTION_FLAG ? "" : " -r");
	for (const char *at = row->help; *at; at++)
		text_print(to, "%s%c", strchr("'\\", *at) ? "\\" : "", *at);
	text_print(to, "'\n");
}

static void write_fish(struct text *to)
{
	text_print(to, "# fish completion of crosscut, made by: crosscut completion fish\n");
	for (const struct command *const *row = commands; *row; row++) {
		text_print(to, "complete -c crosscut -n __fish_use_subcommand -a %s -d '", (*row)->name);
		for (const char *at = (*row)->summary; *at; at++)
			text_print(to, "%s%c", strchr("'\\", *at) ? "\\" : "", *at);
		text_print(to, "'\n");
		for (const struct option *option = (*row)->options; option && option->name; option++)
			fish_option(to, *row, option);
	}
}

static const struct shell {
	const char *name;
	void (*write)(struct text *to);
} shells[] = { { "bash", write_bash }, { "fish", write_fish }, { "zsh", write_zsh } };

static int find_shell(const struct option_arguments *arguments, const struct shell **ret, struct error *err)
{
	const char *name = arguments->operand_count ? arguments->operands[0] : NULL;
	const char *names[ARRAY_LENGTH(shells) + 1] = { 0 }, *near;

	for (size_t i = 0; i < ARRAY_LENGTH(shells); i++) {
		names[i] = shells[i].name;
		*ret = &shells[i];
		if (name && !strcmp(name, shells[i].name))
			return 0;
	}
	if (name)
		fail(err, FAILURE_USAGE, -EINVAL, "unknown shell '%s'", name);
	else
		fail(err, FAILURE_USAGE, -EINVAL, "no shell named");
	error_because(err, "scripts are made for bash, fish and zsh");
	near = name ? nearest_name(name, names) : NULL;
	return error_try(err, "crosscut completion %s", near ? near : "bash");
}

static int print_json(const char *shell, const char *script, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.completion/1", "completion");
	struct record *record = record_new();

	record_add(record, "shell", "shell", "", value_text(shell));
	record_add(record, "script", "script", "", value_text(script));
	document_add_record(document, "completion", "completion", record);
	return answer_print(document, true, err);
}

static int completion_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	struct text script = TEXT(SCRIPT_LIMIT);
	const struct shell *shell;
	struct output to;
	int r = find_shell(arguments, &shell, err);

	if (r < 0)
		return r;
	shell->write(&script);
	if (((struct completion_config *)config)->json) {
		r = print_json(shell->name, text_string(&script), err);
	} else {
		output_to_file(&to, stdout);
		output_puts(&to, text_string(&script));
		r = output_finish(&to, err);
	}
	text_done(&script);
	return r;
}

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print the completion script of a shell",
	.synopsis = "crosscut completion [OPTIONS] bash|fish|zsh",
	.example = "crosscut completion bash >~/.local/share/bash-completion/completions/crosscut",
	.options = completion_options,
	.config_size = sizeof(struct completion_config),
	.run = completion_run,
};
