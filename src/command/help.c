/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws help from rows and pages. The pages are markdown of a few shapes; a terminal shows their prose without the marks,
 * so that there is one text to keep, not three.
 */
#include "command/help.h"

#include "base/cleanup.h"
#include "base/output.h"
#include "base/text.h"
#include "command/command.h"

#include <stdio.h>
#include <string.h>

#include "help_pages.h"

enum { HELP_WIDTH = 80, PROSE_LIMIT = 16 * 1024 };

static const char *page_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(help_pages); i++)
		if (!strcmp(help_pages[i].name, name))
			return help_pages[i].text;
	return "";
}

const char *help_section(const char *page, const char *heading, size_t *ret_size)
{
	size_t length = strlen(heading);
	const char *at = page, *end;

	*ret_size = 0;
	while ((at = strstr(at, "\n## "))) {
		at += 4;
		if (strncmp(at, heading, length) || at[length] != '\n')
			continue;
		at += length;
		at += strspn(at, "\n");
		end = strstr(at, "\n## ");
		*ret_size = end ? (size_t)(end - at) : strlen(at);
		return at;
	}
	return page;
}

/* Drops what only a renderer needs: ` and **, and the target of a link. */
static void strip_marks(const char *text, size_t size, struct text *ret)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '`' || text[i] == '[' || (text[i] == '*' && i + 1 < size && text[i + 1] == '*')) {
			i += text[i] == '*';
		} else if (text[i] == ']' && i + 1 < size && text[i + 1] == '(') {
			const char *close = memchr(text + i, ')', size - i);

			i = close ? (size_t)(close - text) : size;
		} else if (text[i] != ']') {
			text_append(ret, text + i, 1);
		}
	}
}

static void print_wrapped(const char *text, size_t indent, struct output *to)
{
	size_t at = 0;

	while (*(text += strspn(text, " \n"))) {
		size_t word = strcspn(text, " \n");

		if (at && at + 1 + word > HELP_WIDTH) {
			output_puts(to, "\n");
			at = 0;
		}
		output_print(to, "%*s%.*s", (int)(at ? 1 : indent), "", (int)word, text);
		at += word + (at ? 1 : indent);
		text += word;
	}
	output_puts(to, "\n");
}

/* "| `0` | yes |" becomes "  0  yes"; the head of a table and its rule are left out. */
static void print_table_row(const char *text, size_t size, struct output *to)
{
	struct text row = TEXT(PROSE_LIMIT);
	char *rest, *cell, *first = NULL;

	strip_marks(text, size, &row);
	rest = row.bytes ? row.bytes + 1 : NULL;
	while (rest && (cell = strsep(&rest, "|")) && rest) {
		size_t length;

		cell += strspn(cell, " ");
		for (length = strlen(cell); length && cell[length - 1] == ' ';)
			cell[--length] = 0;
		if (!first)
			output_print(to, "  %-3s", first = cell);
		else
			output_print(to, " %s", cell);
	}
	output_puts(to, "\n");
	text_done(&row);
}

static void print_table(const char *text, size_t size, struct output *to)
{
	const char *end = text + size;

	for (size_t line = 0; text < end; line++) {
		const char *next = memchr(text, '\n', (size_t)(end - text));
		size_t length = next ? (size_t)(next - text) : (size_t)(end - text);

		if (line >= 2)
			print_table_row(text, length, to);
		text += length + 1;
	}
}

static size_t paragraph_size(const char *text, size_t size)
{
	const char *end = memmem(text, size, "\n\n", 2);

	return end ? (size_t)(end - text) : size;
}

static void print_paragraph(const char *text, size_t size, struct output *to)
{
	struct text plain = TEXT(PROSE_LIMIT);

	if (*text == '|') {
		print_table(text, size, to);
	} else if (!strncmp(text, "    ", 4)) {
		output_write(to, text, size);
		output_puts(to, "\n");
	} else {
		strip_marks(text, size, &plain);
		print_wrapped(text_string(&plain), 0, to);
	}
	text_done(&plain);
}

void help_prose(const char *text, size_t size, struct output *to)
{
	const char *end = text + size;
	bool first = true;

	while (text < end) {
		size_t paragraph;

		text += strspn(text, "\n");
		if (text >= end)
			break;
		paragraph = paragraph_size(text, (size_t)(end - text));
		output_puts(to, first ? "" : "\n");
		print_paragraph(text, paragraph, to);
		text += paragraph;
		first = false;
	}
}

static void print_section(const char *page, const char *heading, const char *title, struct output *to)
{
	size_t size;
	const char *text = help_section(page, heading, &size);

	if (size) {
		output_puts(to, title);
		help_prose(text, size, to);
	}
}

void help_command(const struct command *command, struct output *to)
{
	const char *page = page_of(command->name);
	size_t size;
	const char *description = help_section(page, "Description", &size);

	output_print(to, "Example: %s\n\nUsage: %s\n\n", command->example, command->synopsis);
	if (size)
		help_prose(description, paragraph_size(description, size), to);
	else
		output_print(to, "%s\n", command->summary);
	output_puts(to, "\nOptions:\n");
	option_help(command->options, to);
	print_section(page, "Exit status", "\nExit status:\n", to);
	print_section(page, "See also", "\nSee also: ", to);
}

void help_overview(struct output *to)
{
	output_puts(to, "Example: crosscut record -d 10s -o before.xcut --work http -p 1234\n"
			"         crosscut report before.xcut\n\n"
			"Usage: crosscut COMMAND [OPTIONS]\n"
			"       crosscut help COMMAND\n\n"
			"In which dimension did this workload lose its time, per unit of useful work?\n\n"
			"Commands:\n");
	for (const struct command *const *row = commands; *row; row++)
		output_print(to, "  %-11s %s\n", (*row)->name, (*row)->summary);
	output_puts(to, "\nOptions:\n"
			"  -h, --help              show this help\n"
			"  -V, --version           show the version\n"
			"\nExit status:\n"
			"  0  done, the answer is yes\n"
			"  1  done, the answer is no\n"
			"  2  asked wrongly\n"
			"  3  cannot be measured here; crosscut doctor says why\n"
			"  4  failed while doing it\n"
			"\nSee also: man crosscut\n");
}
