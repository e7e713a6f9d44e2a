/* SPDX-License-Identifier: Apache-2.0 */
#include "command/help.h"

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "command/command.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char page[] = "# crosscut-x(1)\n\n## Description\n\nFirst `word` of [a page](x.md), **loud**.\nSecond line.\n\n"
			   "Another paragraph.\n\n## Exit status\n\n| status | meaning |\n| --- | --- |\n| `0` | yes |\n| `1` | no |\n";

static char *prose(const char *heading)
{
	struct text text = TEXT(64 * 1024);
	struct error err;
	struct output to;
	size_t size;
	const char *section = help_section(page, heading, &size);

	output_to_text(&to, &text);
	help_prose(section, size, &to);
	assert_int_equal(output_finish(&to, &err), 0);
	return text_take(&text);
}

TEST(a_section_ends_where_the_next_begins)
{
	size_t size;
	const char *section = help_section(page, "Description", &size);

	assert_int_equal(strncmp(section, "First", 5), 0);
	assert_int_equal(strncmp(section + size, "\n## Exit", 8), 0);
	(void)help_section(page, "Exit", &size);
	assert_int_equal(size, 0);
	(void)help_section("", "Description", &size);
	assert_int_equal(size, 0);
}

TEST(prose_loses_its_marks)
{
	char *text = prose("Description");

	assert_string_equal(text, "First word of a page, loud. Second line.\n\nAnother paragraph.\n");
	free(text);
}

TEST(a_table_loses_its_head_and_its_bars)
{
	char *text = prose("Exit status");

	assert_string_equal(text, "  0   yes\n  1   no\n");
	free(text);
}

TEST(the_help_of_every_command_begins_with_its_example_and_ends_with_where_to_go_on)
{
	for (const struct command *const *row = commands; *row; row++) {
		struct text text = TEXT(64 * 1024);
		struct error err;
		struct output to;
		char *rest, *line;

		output_to_text(&to, &text);
		help_command(*row, &to);
		assert_int_equal(output_finish(&to, &err), 0);
		assert_int_equal(strncmp(text_string(&text), "Example: crosscut ", 18), 0);
		assert_non_null(strstr(text_string(&text), "\nUsage: "));
		assert_non_null(strstr(text_string(&text), "\nOptions:\n"));
		assert_non_null(strstr(text_string(&text), "\nExit status:\n"));
		assert_non_null(strstr(text_string(&text), "\nSee also: "));
		for (const struct option *option = (*row)->options; option && option->name; option++)
			assert_non_null(strstr(text_string(&text), option->name));
		for (rest = text.bytes; (line = strsep(&rest, "\n"));)
			assert_true(strlen(line) <= 100);
		text_done(&text);
	}
}

TEST(the_overview_names_every_command)
{
	struct text text = TEXT(64 * 1024);
	struct error err;
	struct output to;

	output_to_text(&to, &text);
	help_overview(&to);
	assert_int_equal(output_finish(&to, &err), 0);
	for (const struct command *const *row = commands; *row; row++)
		assert_non_null(strstr(text_string(&text), (*row)->summary));
	text_done(&text);
}
