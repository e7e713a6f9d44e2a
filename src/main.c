/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the command's row, reads its options, runs it, and turns its answer into an exit code: 0 yes, 1 no, 2 asked
 * wrongly, 3 cannot be measured here, 4 failed. Nothing else in the program exits or prints an error.
 */
#include "base/error.h"
#include "base/output.h"
#include "command/command.h"
#include "command/help.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void ignore(int signal)
{
	(void)signal;
}

/*
 * A reader that goes away must not end a recording, so a closed pipe is an error of the write, not a signal. A handler
 * and not SIG_IGN, because commands that we start would inherit that. Descriptors that were closed by the caller are
 * opened the wrong way round: the first file would otherwise become stdout, and what is printed would land in it.
 */
static void prepare_streams(void)
{
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = ignore, .sa_flags = SA_RESTART }, NULL);
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

/* The whole answer must have arrived: stdout on a full disk is a failure. */
static int finish_stdout(struct error *err)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return fail(err, FAILURE_WORK, errno ? -errno : -EIO, "cannot write the result");
}

/* A reader that closed its end has seen enough and needs no message. */
static int report(const struct error *err)
{
	if (err->code != -EPIPE) {
		fprintf(stderr, "crosscut: %s%s%s\n", err->what, *err->why ? ": " : "", err->why);
		if (*err->next)
			fprintf(stderr, "try: %s\n", err->next);
	}
	return err->kind ? (int)err->kind : FAILURE_WORK;
}

static int show_help(const struct command *command, struct error *err)
{
	struct output to;

	output_to_file(&to, stdout);
	if (command)
		help_command(command, &to);
	else
		help_overview(&to);
	return output_finish(&to, err);
}

static int show_version(struct error *err)
{
	struct output to;

	output_to_file(&to, stdout);
	output_print(&to, "crosscut %s\n", CROSSCUT_VERSION);
	return output_finish(&to, err);
}

static int run_command(const struct command *command, char **words, struct error *err)
{
	struct option_arguments arguments = { 0 };
	void *config = command_config_new(command);
	int r = option_parse(command->options, words, config, &arguments, err);

	if (r == 0 && !command->takes_command)
		option_arguments_take_rest(&arguments);
	if (r == 0)
		r = arguments.help ? show_help(command, err) : command->run(config, &arguments, err);
	if (r < 0 && err->kind == FAILURE_USAGE && !*err->next)
		error_try(err, "crosscut %s --help", command->name);
	option_arguments_done(&arguments);
	command_config_free(command, config);
	return r;
}

static bool is_one_of(const char *word, const char *long_name, const char *letter)
{
	return !strcmp(word, long_name) || !strcmp(word, letter);
}

static int answer(char **words, struct error *err)
{
	const struct command *command;

	if (!words[0]) {
		fail(err, FAILURE_USAGE, -EINVAL, "no command given");
		error_because(err, "crosscut does one thing at a time");
		return error_try(err, "crosscut --help");
	}
	if (is_one_of(words[0], "--help", "-h"))
		return show_help(NULL, err);
	if (is_one_of(words[0], "--version", "-V"))
		return show_version(err);
	command = command_find(words[0]);
	if (!command)
		return command_unknown(words[0], err);
	return run_command(command, words + 1, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	int r, written;

	prepare_streams();
	r = answer(argv + (argc > 0), &err);
	if (r < 0)
		return report(&err);
	written = finish_stdout(&err);
	return written < 0 ? report(&err) : r != 0;
}
