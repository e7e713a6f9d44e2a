/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows. To add a command: write cmd_NAME.c that ends in its row and doc/crosscut-NAME.md, and name the row here.
 */
#include "command/command.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct command cmd_calibrate, cmd_check, cmd_completion, cmd_convert, cmd_demo, cmd_diff, cmd_doctor, cmd_help,
	cmd_investigate, cmd_list, cmd_packet, cmd_plan, cmd_report, cmd_record, cmd_select, cmd_symbolize;

const struct command *const commands[] = {      /* sorted by name; a test says so */
	&cmd_calibrate,
	&cmd_check,
	&cmd_completion,
	&cmd_convert,
	&cmd_demo,
	&cmd_diff,
	&cmd_doctor,
	&cmd_help,
	&cmd_investigate,
	&cmd_list,
	&cmd_packet,
	&cmd_plan,
	&cmd_record,
	&cmd_report,
	&cmd_select,
	&cmd_symbolize,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *row = commands; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

int command_unknown(const char *name, struct error *err)
{
	const char *names[64], *near;
	size_t count = 0;

	for (const struct command *const *row = commands; *row && count < ARRAY_LENGTH(names) - 1; row++)
		names[count++] = (*row)->name;
	names[count] = NULL;
	near = nearest_name(name, names);
	fail(err, FAILURE_USAGE, -EINVAL, "unknown command '%s'", name);
	error_because(err, "crosscut has no such command");
	return near ? error_try(err, "crosscut %s", near) : error_try(err, "crosscut --help");
}

void *command_config_new(const struct command *command)
{
	void *config = xcalloc(1, command->config_size ? command->config_size : 1);

	if (command->defaults)
		memcpy(config, command->defaults, command->config_size);
	return config;
}

void command_config_free(const struct command *command, void *config)
{
	if (config && command->done)
		command->done(config);
	free(config);
}
