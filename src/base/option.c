/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a command line by the rows of its command. The rows say where a value goes and of which type it is, so a command
 * gets a filled struct and never sees argv.
 */
#include "base/option.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/quantity.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HELP_WIDTH = 80,
	HELP_COLUMN = 26,               /* where the text of the help begins */
	NAME_LIMIT = 64,                /* longer words have no near name */
};

/* The row that every command has. */
static const struct option help_row = {
	.name = "help", .letter = 'h', .type = OPTION_FLAG, .help = "show this help", .example = "--help",
};

struct reading {                        /* one command line, half read */
	const struct option *options;
	char *const *next;              /* the word after the current one */
	char *config;
	struct option_arguments *into;
	size_t operand_room;
	struct error *err;
};

void option_list_done(struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->storage[i]);
	*list = (struct option_list){ 0 };
}

void option_arguments_done(struct option_arguments *arguments)
{
	free(arguments->operands);
	*arguments = (struct option_arguments){ 0 };
}

void option_arguments_take_rest(struct option_arguments *arguments)
{
	size_t count = arguments->operand_count + arguments->command_count;
	const char **operands = xcalloc(count + 1, sizeof(*operands));

	for (size_t i = 0; i < count; i++)
		operands[i] = i < arguments->operand_count ? arguments->operands[i] : arguments->command[i - arguments->operand_count];
	free(arguments->operands);
	arguments->operands = operands;
	arguments->operand_count = count;
	arguments->command = NULL;
	arguments->command_count = 0;
}

static int list_add(struct option_list *list, const char *name, const char *item, char *storage, struct error *err)
{
	if (list->count == OPTION_LIST_LIMIT) {
		free(storage);
		fail(err, FAILURE_USAGE, -E2BIG, "too many values for '--%s'", name);
		return error_because(err, "at most %d are read", OPTION_LIST_LIMIT);
	}
	list->storage[list->count] = storage;
	list->items[list->count++] = item;
	return 0;
}

static int list_add_pieces(struct option_list *list, const struct option *row, const char *value, struct error *err)
{
	int r = 0;

	for (const char *end; r == 0 && value; value = *end ? end + 1 : NULL) {
		end = strchrnul(value, ',');
		if (end > value) {
			char *piece = xstrndup(value, (size_t)(end - value));

			r = list_add(list, row->name, piece, piece, err);
		}
	}
	return r;
}

static int parse_number(const char *value, double *ret, struct error *err)
{
	char *end;

	*ret = strtod(value, &end);
	if (end != value && !*end && isfinite(*ret))
		return 0;
	return fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no number", value);
}

/* An error about a value also names the option that it was given to. */
static int name_option(const struct option *row, int r, struct error *err)
{
	char what[sizeof(err->what)];

	if (r >= 0)
		return r;
	(void)snprintf(what, sizeof(what), "--%s: %.200s", row->name, err->what);
	memcpy(err->what, what, sizeof(what));
	if (!*err->next && row->example)
		error_try(err, "%s", row->example);
	return r;
}

static int store(const struct option *row, const char *value, char *config, struct error *err)
{
	void *into = config + row->into;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)into = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)into = value;
		return 0;
	case OPTION_LIST:
	case OPTION_WORDS:
		return row->commas ? list_add_pieces(into, row, value, err) : list_add(into, row->name, value, NULL, err);
	case OPTION_COUNT:
		return name_option(row, quantity_parse_count(value, into, err), err);
	case OPTION_NUMBER:
		return name_option(row, parse_number(value, into, err), err);
	case OPTION_PERCENT:
		return name_option(row, quantity_parse_share(value, 1, into, err), err);
	case OPTION_FRACTION:
		return name_option(row, quantity_parse_share(value, 0.01, into, err), err);
	case OPTION_DURATION:
		return name_option(row, quantity_parse_duration(value, into, err), err);
	case OPTION_BYTES:
		return name_option(row, quantity_parse_bytes(value, into, err), err);
	}
	return fail(err, FAILURE_USAGE, -EINVAL, "'--%s' has an unknown type", row->name);
}

static const char *nearest_option(const struct option *options, const char *name)
{
	const char *names[256];
	size_t count = 0;

	for (const struct option *row = options; row && row->name && count < ARRAY_LENGTH(names) - 2; row++)
		names[count++] = row->name;
	names[count++] = help_row.name;
	names[count] = NULL;
	return nearest_name(name, names);
}

static int unknown_option(const struct reading *reading, const char *word, const char *name)
{
	const char *near = nearest_option(reading->options, name);

	fail(reading->err, FAILURE_USAGE, -EINVAL, "unknown option '%s'", word);
	error_because(reading->err, "no option of this command has that name");
	return near ? error_try(reading->err, "--%s", near) : -EINVAL;
}

static int ambiguous_option(const struct reading *reading, const char *word, const char *name, size_t size)
{
	struct text names = TEXT(sizeof(reading->err->why) - 64);

	for (const struct option *row = reading->options; row && row->name; row++)
		if (!strncmp(row->name, name, size))
			text_print(&names, "%s--%s", names.size ? ", " : "", row->name);
	fail(reading->err, FAILURE_USAGE, -EINVAL, "ambiguous option '%s'", word);
	error_because(reading->err, "it could be %s", text_string(&names));
	text_done(&names);
	return -EINVAL;
}

/* An exact name, else the only one that begins so. */
static int find_long(const struct reading *reading, const char *word, size_t size, const struct option **ret)
{
	CLEANUP_TEXT char *name = xstrndup(word + 2, size);
	size_t matches = 0;

	*ret = NULL;
	for (const struct option *row = reading->options; row && row->name; row++) {
		if (!strcmp(row->name, name)) {
			*ret = row;
			return 0;
		}
		if (!strncmp(row->name, name, size)) {
			matches++;
			*ret = row;
		}
	}
	if (!strcmp(name, help_row.name) || (!matches && size && !strncmp(help_row.name, name, size))) {
		*ret = &help_row;
		return 0;
	}
	if (matches > 1)
		return ambiguous_option(reading, word, name, size);
	return matches && size ? 0 : unknown_option(reading, word, name);
}

static const struct option *find_letter(const struct option *options, char letter)
{
	for (const struct option *row = options; row && row->name; row++)
		if (row->letter == letter)
			return row;
	return letter == help_row.letter ? &help_row : NULL;
}

static int missing_value(const struct reading *reading, const struct option *row)
{
	fail(reading->err, FAILURE_USAGE, -EINVAL, "'--%s' needs a value", row->name);
	error_because(reading->err, "it takes %s", row->value ? row->value : "one");
	return error_try(reading->err, "%s", row->example);
}

static int take_value(struct reading *reading, const struct option *row, const char *value)
{
	if (row - reading->options < OPTION_GIVEN_LIMIT)
		reading->into->given |= 1ull << (row - reading->options);
	return store(row, value, reading->config, reading->err);
}

static int read_long(struct reading *reading, const char *word)
{
	const char *equals = strchrnul(word, '=');
	const struct option *row;
	const char *value = *equals ? equals + 1 : NULL;
	int r = find_long(reading, word, (size_t)(equals - word) - 2, &row);

	if (r < 0)
		return r;
	if (row->type == OPTION_FLAG && value) {
		fail(reading->err, FAILURE_USAGE, -EINVAL, "'--%s' takes no value", row->name);
		error_because(reading->err, "'%s' was given", value);
		return error_try(reading->err, "--%s", row->name);
	}
	if (row == &help_row) {
		reading->into->help = true;
		return 0;
	}
	if (row->type != OPTION_FLAG && !value && !*reading->next)
		return missing_value(reading, row);
	if (row->type != OPTION_FLAG && !value)
		value = *reading->next++;
	r = take_value(reading, row, value);
	while (r == 0 && row->type == OPTION_WORDS && !*equals && *reading->next && **reading->next != '-')
		r = take_value(reading, row, *reading->next++);
	return r;
}

/* "-d10s", "-d 10s", "-aj": flags may be bundled, the last of them may take a value. */
static int read_letters(struct reading *reading, const char *word)
{
	int r = 0;

	for (const char *at = word + 1; *at && r == 0; at++) {
		const struct option *row = find_letter(reading->options, *at);

		if (!row) {
			fail(reading->err, FAILURE_USAGE, -EINVAL, "unknown option '-%c'", *at);
			return error_because(reading->err, "no option of this command has that letter");
		}
		if (row == &help_row) {
			reading->into->help = true;
		} else if (row->type == OPTION_FLAG) {
			r = take_value(reading, row, NULL);
		} else if (at[1]) {
			return take_value(reading, row, at + 1);
		} else if (*reading->next) {
			return take_value(reading, row, *reading->next++);
		} else {
			return missing_value(reading, row);
		}
	}
	return r;
}

/* Keeps the array ended by NULL at all times. */
static void add_operand(struct reading *reading, const char *word)
{
	struct option_arguments *into = reading->into;

	grow(into->operands, into->operand_count + 1, reading->operand_room);
	into->operands[into->operand_count++] = word;
	into->operands[into->operand_count] = NULL;
}

static int read_words(struct reading *reading)
{
	int r = 0;

	while (r == 0 && *reading->next && !reading->into->help) {
		const char *word = *reading->next++;

		if (!strcmp(word, "--")) {
			reading->into->command = (char **)reading->next;
			while (reading->into->command[reading->into->command_count])
				reading->into->command_count++;
			return 0;
		}
		if (!strncmp(word, "--", 2))
			r = read_long(reading, word);
		else if (word[0] == '-' && word[1])
			r = read_letters(reading, word);
		else
			add_operand(reading, word);
	}
	return r;
}

int option_parse(const struct option *options, char *const *argv, void *config, struct option_arguments *ret,
		 struct error *err)
{
	struct option_arguments arguments = { .operands = xcalloc(1, sizeof(*arguments.operands)) };
	struct reading reading = {
		.options = options, .next = argv, .config = config, .into = &arguments, .operand_room = 1, .err = err,
	};
	int r = read_words(&reading);

	if (r < 0)
		option_arguments_done(&arguments);
	else
		*ret = arguments;
	return r;
}

bool option_was_given(const struct option *options, const struct option_arguments *arguments, const char *name)
{
	for (size_t i = 0; options[i].name && i < OPTION_GIVEN_LIMIT; i++)
		if (!strcmp(options[i].name, name))
			return arguments->given >> i & 1;
	return false;
}

static int set_flag(const struct option *row, const char *value, char *config, struct error *err)
{
	bool yes = !strcmp(value, "yes") || !strcmp(value, "true"), no = !strcmp(value, "no") || !strcmp(value, "false");

	if (!yes && !no) {
		fail(err, FAILURE_USAGE, -EINVAL, "--%s: '%.100s' is neither yes nor no", row->name, value);
		return error_try(err, "yes");
	}
	*(bool *)(void *)(config + row->into) = yes;
	return 0;
}

int option_set(const struct option *options, const char *name, const char *value, void *config, struct error *err)
{
	for (const struct option *row = options; row->name; row++)
		if (!strcmp(row->name, name))
			return row->type == OPTION_FLAG ? set_flag(row, value, config, err) : store(row, value, config, err);
	fail(err, FAILURE_USAGE, -EINVAL, "unknown option '--%.100s'", name);
	return error_because(err, "no option of this command has that name");
}

/* Words up to the width, the next line indented to the same column. */
static void print_wrapped(struct output *to, const char *text, unsigned column)
{
	unsigned at = column;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > column && at + 1 + word >= HELP_WIDTH) {
			output_print(to, "\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			output_puts(to, " ");
			at++;
		}
		output_write(to, text, word);
		at += (unsigned)word;
		text += word + (text[word] == ' ');
	}
	output_puts(to, "\n");
}

static void print_row(const struct option *row, struct output *to)
{
	char left[128];
	int length;

	length = row->letter ? snprintf(left, sizeof(left), "  -%c, --%s", row->letter, row->name) :
			       snprintf(left, sizeof(left), "      --%s", row->name);
	if (row->type != OPTION_FLAG)
		length += snprintf(left + length, sizeof(left) - (size_t)length, " %s", row->value ? row->value : "VALUE");
	if (length + 2 > HELP_COLUMN)
		output_print(to, "%s\n%*s", left, HELP_COLUMN, "");
	else
		output_print(to, "%-*s", HELP_COLUMN, left);
	print_wrapped(to, row->help, HELP_COLUMN);
}

void option_help(const struct option *options, struct output *to)
{
	for (const struct option *row = options; row && row->name; row++)
		print_row(row, to);
	print_row(&help_row, to);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
static unsigned edit_distance(const char *from, const char *to)
{
	unsigned rows[3][NAME_LIMIT + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	size_t width = strlen(to);

	for (size_t j = 0; j <= width; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; from[i - 1]; i++) {
		unsigned *spare = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= width; j++) {
			now[j] = least(last[j - 1] + (from[i - 1] != to[j - 1]), least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[width];
}

/* Near is: no more than every third letter differs. A name that begins with the word is as near as one slip. */
const char *nearest_name(const char *name, const char *const *candidates)
{
	const char *nearest = NULL;
	size_t size = strlen(name);
	unsigned best = (unsigned)(size + 2) / 3 + 1;

	if (!size || size > NAME_LIMIT)
		return NULL;
	for (; *candidates; candidates++) {
		unsigned distance;

		if (strlen(*candidates) > NAME_LIMIT)
			continue;
		distance = edit_distance(name, *candidates);
		if (size > 1 && !strncmp(*candidates, name, size))
			distance = least(distance, 1);
		if (distance < best) {
			best = distance;
			nearest = *candidates;
		}
	}
	return nearest;
}
