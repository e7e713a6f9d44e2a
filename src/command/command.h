/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A command is one thing a person can ask for. Help, manual page, shell completion and "did you mean" come from its row
 * and its page in doc/; main.c turns its answer into an exit code: 0 yes, 1 no, 2 asked wrongly, 3 cannot be measured here,
 * 4 failed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/option.h"

struct error;

struct command {
	const char *name;
	const char *summary;                 /* one line, below 72 columns */
	const char *synopsis;                /* "crosscut report [OPTIONS] FILE" */
	const char *example;                 /* help starts with it */
	bool takes_command;                  /* the words after "--" are a command line; else they are operands like the others */
	const struct option *options;        /* ends with a row without a name */
	size_t config_size;
	const void *defaults;                /* a const instance of the config, NULL for all zero */
	/* Returns 0 yes, 1 no, or negative errno with *err filled. config was filled from the options. */
	int (*run)(void *config, const struct option_arguments *arguments, struct error *err);
	void (*done)(void *config);          /* frees what option_parse put into it; may be NULL */
};

extern const struct command *const commands[];   /* NULL-terminated, sorted by name */
const struct command *command_find(const char *name);
int command_unknown(const char *name, struct error *err);        /* fills err, with the nearest name; negative errno */

/* A config that holds the command's defaults, and its release with all that option_parse put into it. */
void *command_config_new(const struct command *command);
void command_config_free(const struct command *command, void *config);
