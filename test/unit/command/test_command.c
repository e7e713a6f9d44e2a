/* SPDX-License-Identifier: Apache-2.0 */
#include "command/command.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

TEST(rows_are_sorted_by_name)
{
	for (const struct command *const *row = commands; row[0] && row[1]; row++)
		assert_true(strcmp((*row)->name, row[1]->name) < 0);
}

TEST(every_row_is_whole)
{
	for (const struct command *const *row = commands; *row; row++) {
		char usage[64];

		assert_non_null((*row)->run);
		assert_true(strlen((*row)->summary) > 0 && strlen((*row)->summary) < 72);
		(void)snprintf(usage, sizeof(usage), "crosscut %s", (*row)->name);
		assert_int_equal(strncmp((*row)->synopsis, usage, strlen(usage)), 0);
		assert_int_equal(strncmp((*row)->example, usage, strlen(usage)), 0);
	}
}

TEST(every_option_is_whole_and_lies_in_its_config)
{
	static const size_t sizes[] = {
		[OPTION_FLAG] = sizeof(bool),         [OPTION_TEXT] = sizeof(char *),
		[OPTION_LIST] = sizeof(struct option_list), [OPTION_COUNT] = sizeof(uint64_t),
		[OPTION_NUMBER] = sizeof(double),     [OPTION_DURATION] = sizeof(uint64_t),
		[OPTION_BYTES] = sizeof(uint64_t),
	};

	for (const struct command *const *row = commands; *row; row++) {
		for (const struct option *option = (*row)->options; option && option->name; option++) {
			assert_true(option->into + sizes[option->type] <= (*row)->config_size);
			assert_true(option->help && strlen(option->help) < 100);
			assert_non_null(option->example);
			assert_true((option->type == OPTION_FLAG) == !option->value);
		}
	}
}

TEST(every_command_can_answer_a_program)
{
	for (const struct command *const *row = commands; *row; row++) {
		bool json = false;

		for (const struct option *option = (*row)->options; option && option->name; option++)
			json = json || !strcmp(option->name, "json");
		assert_true(json);
	}
}

TEST(no_two_options_share_a_name_or_a_letter)
{
	for (const struct command *const *row = commands; *row; row++)
		for (const struct option *a = (*row)->options; a && a->name; a++)
			for (const struct option *b = a + 1; b->name; b++) {
				assert_string_not_equal(a->name, b->name);
				assert_true(!a->letter || a->letter != b->letter);
			}
}

TEST(a_command_is_found_by_its_name_only)
{
	assert_non_null(command_find("help"));
	assert_null(command_find("hel"));
	assert_null(command_find(""));
}

TEST(an_unknown_command_suggests_the_nearest)
{
	struct error err;

	assert_true(command_unknown("hlep", &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_string_equal(err.next, "crosscut help");
	assert_true(command_unknown("frobnicate", &err) < 0);
	assert_string_equal(err.next, "crosscut --help");
}

TEST(a_config_begins_with_the_defaults)
{
	for (const struct command *const *row = commands; *row; row++) {
		void *config = command_config_new(*row);

		if ((*row)->defaults)
			assert_memory_equal(config, (*row)->defaults, (*row)->config_size);
		command_config_free(*row, config);
	}
}
