/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Options are typed rows that fill a command's own config struct. Help, the manual page and shell completion are made
 * from the same rows, so an option cannot be added half.
 *
 * GNU habits: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, bundled flags, "--" ends options, unambiguous
 * abbreviations of long names, "did you mean" for unknown ones.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct output;

enum option_type {
	OPTION_FLAG,            /* bool */
	OPTION_TEXT,            /* const char *, borrowed from argv */
	OPTION_LIST,            /* struct option_list: may be given again; commas separate too when .commas */
	OPTION_WORDS,           /* a list that takes the words that follow, up to the next option: --base a-*.xcut */
	OPTION_COUNT,           /* uint64_t */
	OPTION_NUMBER,          /* double */
	OPTION_PERCENT,         /* double: "5" and "5%" are 5 */
	OPTION_FRACTION,        /* double: "0.05" and "5%" are 0.05 */
	OPTION_DURATION,        /* uint64_t, ns */
	OPTION_BYTES,           /* uint64_t */
};

enum { OPTION_LIST_LIMIT = 256, OPTION_GIVEN_LIMIT = 64 };
struct option_list {
	const char *items[OPTION_LIST_LIMIT];
	char *storage[OPTION_LIST_LIMIT];        /* pieces cut at commas; option_list_done() frees them */
	size_t count;
};
void option_list_done(struct option_list *list);

struct option {
	const char *name;               /* "duration"; NULL ends the rows */
	char letter;                    /* 'd', or 0 */
	enum option_type type;
	bool commas;                    /* OPTION_LIST: "1,2" is two items */
	size_t into;                    /* offsetof(struct record_config, duration_ns) */
	const char *value;              /* "TIME": what the help calls the value; NULL for a flag */
	const char *help;               /* one line, below 72 columns */
	const char *example;            /* "--duration 10s": required, shown in the manual page */
};

struct option_arguments {               /* what is left: operands; the words after "--" come apart */
	const char **operands;          /* both borrowed from argv and NULL-terminated; free() the arrays with _done */
	size_t operand_count;
	char **command;                 /* after "--"; NULL where there was none */
	size_t command_count;
	bool help;                      /* --help or -h was given */
	uint64_t given;                 /* bit n: the option of row n, below OPTION_GIVEN_LIMIT, was on the command line */
};
/* Of a command that runs no other: the words after "--" are operands, whatever they begin with. */
void option_arguments_take_rest(struct option_arguments *arguments);
void option_arguments_done(struct option_arguments *arguments);

/* argv without the program and command names. *config holds the defaults. An OPTION error names the option. */
int option_parse(const struct option *options, char *const *argv, void *config, struct option_arguments *ret,
		 struct error *err);
/* Was it on the command line? Then a file of settings does not change it. */
bool option_was_given(const struct option *options, const struct option_arguments *arguments, const char *name);
/* As if --name=value stood there; a flag takes "yes" or "no". The value is borrowed. An unknown name is FAILURE_USAGE. */
int option_set(const struct option *options, const char *name, const char *value, void *config, struct error *err);
void option_help(const struct option *options, struct output *to);       /* the table of options, as --help shows it */

/* The candidate nearest to name by edit distance, or NULL where none is near. candidates is NULL-terminated. */
const char *nearest_name(const char *name, const char *const *candidates);
