/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

struct config {
	bool all, json;
	const char *output;
	struct option_list pids, labels;
	uint64_t rate, duration_ns, size_bytes;
	double limit, margin, share;
};

static const struct option rows[] = {
	{ .name = "all", .letter = 'a', .type = OPTION_FLAG, .into = offsetof(struct config, all), .help = "everything",
	  .example = "--all" },
	{ .name = "duration", .letter = 'd', .type = OPTION_DURATION, .into = offsetof(struct config, duration_ns),
	  .value = "TIME", .help = "stop after this long", .example = "--duration 10s" },
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct config, json), .help = "for machines",
	  .example = "--json" },
	{ .name = "label", .type = OPTION_LIST, .into = offsetof(struct config, labels), .value = "KEY=VALUE",
	  .help = "say what this is", .example = "--label build=1,2" },
	{ .name = "limit", .type = OPTION_NUMBER, .into = offsetof(struct config, limit), .value = "NUMBER", .help = "most",
	  .example = "--limit 0.1" },
	{ .name = "margin", .type = OPTION_PERCENT, .into = offsetof(struct config, margin), .value = "PERCENT", .help = "least",
	  .example = "--margin 5" },
	{ .name = "max-size", .type = OPTION_BYTES, .into = offsetof(struct config, size_bytes), .value = "SIZE",
	  .help = "end at this size", .example = "--max-size 64M" },
	{ .name = "output", .letter = 'o', .type = OPTION_TEXT, .into = offsetof(struct config, output), .value = "FILE",
	  .help = "write to this file, which must not exist unless it may be overwritten, as another option says",
	  .example = "--output a.xcut" },
	{ .name = "pid", .letter = 'p', .type = OPTION_LIST, .commas = true, .into = offsetof(struct config, pids),
	  .value = "PID[,PID]", .help = "these", .example = "--pid 1,2" },
	{ .name = "rate", .letter = 'F', .type = OPTION_COUNT, .into = offsetof(struct config, rate), .value = "HERTZ",
	  .help = "samples a second", .example = "--rate 99" },
	{ .name = "share", .type = OPTION_FRACTION, .into = offsetof(struct config, share), .value = "SHARE", .help = "of all",
	  .example = "--share 0.05" },
	{ 0 },
};

static struct config config;
static struct option_arguments arguments;
static struct error err;

static int parse(const char *first, ...)
{
	char *words[32] = { (char *)first };
	va_list rest;
	size_t count = 1;

	option_list_done(&config.pids);
	option_list_done(&config.labels);
	option_arguments_done(&arguments);
	config = (struct config){ .rate = 99 };
	err = (struct error){ 0 };
	va_start(rest, first);
	while (first && (words[count] = va_arg(rest, char *)))
		count++;
	va_end(rest);
	return option_parse(rows, words, &config, &arguments, &err);
}

TEST(an_empty_line_leaves_the_defaults)
{
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(config.rate, 99);
	assert_int_equal(arguments.operand_count, 0);
	assert_null(arguments.operands[0]);
	assert_null(arguments.command);
}

TEST(a_value_may_stand_apart_or_after_an_equals_sign_or_at_the_letter)
{
	static const char *const forms[][3] = {
		{ "--duration", "10s" }, { "--duration=10s" }, { "-d", "10s" }, { "-d10s" }, { "--dur=10s" },
	};

	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(parse(forms[i][0], forms[i][1], NULL), 0);
		assert_int_equal(config.duration_ns, 10000000000);
	}
}

TEST(every_type_is_read)
{
	assert_int_equal(parse("--max-size", "64M", "--limit=0.25", "-F", "999", "-o", "x", "-a", NULL), 0);
	assert_int_equal(config.size_bytes, 64 << 20);
	assert_true(config.limit == 0.25);
	assert_int_equal(config.rate, 999);
	assert_string_equal(config.output, "x");
	assert_true(config.all);
}

TEST(a_percent_sign_says_what_a_number_is)
{
	assert_int_equal(parse("--margin", "5%", "--share=5%", NULL), 0);
	assert_true(config.margin == 5 && config.share == 0.05);
	assert_int_equal(parse("--margin=5", "--share", "0.05", NULL), 0);
	assert_true(config.margin == 5 && config.share == 0.05);
	assert_int_equal(parse("--margin", "5 per cent", NULL), -EINVAL);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_string_equal(err.next, "--margin 5");
	assert_true(parse("--share", "%", NULL) < 0 && parse("--limit", "5%", NULL) < 0);
}

TEST(flags_may_be_bundled_and_the_last_letter_takes_the_value)
{
	assert_int_equal(parse("-ad5s", NULL), 0);
	assert_true(config.all);
	assert_int_equal(config.duration_ns, 5000000000);
}

TEST(lists_grow_and_split_at_commas_only_where_the_row_says_so)
{
	assert_int_equal(parse("-p", "1,22", "--pid=3", "--label", "a=1,2", NULL), 0);
	assert_int_equal(config.pids.count, 3);
	assert_string_equal(config.pids.items[1], "22");
	assert_string_equal(config.pids.items[2], "3");
	assert_int_equal(config.labels.count, 1);
	assert_string_equal(config.labels.items[0], "a=1,2");
}

TEST(a_list_has_a_limit)
{
	struct text many = TEXT(8192);

	for (int i = 0; i <= OPTION_LIST_LIMIT; i++)
		text_print(&many, "%d,", i);
	assert_true(parse("-p", text_string(&many), NULL) < 0);
	assert_non_null(strstr(err.what, "too many"));
	text_done(&many);
}

TEST(operands_and_options_may_be_mixed_and_a_dash_is_an_operand)
{
	assert_int_equal(parse("a.xcut", "--json", "-", NULL), 0);
	assert_int_equal(arguments.operand_count, 2);
	assert_string_equal(arguments.operands[0], "a.xcut");
	assert_string_equal(arguments.operands[1], "-");
	assert_null(arguments.operands[2]);
	assert_true(config.json);
}

TEST(words_after_two_dashes_are_a_command_and_no_options)
{
	assert_int_equal(parse("-a", "--", "ls", "--json", NULL), 0);
	assert_int_equal(arguments.operand_count, 0);
	assert_int_equal(arguments.command_count, 2);
	assert_string_equal(arguments.command[0], "ls");
	assert_string_equal(arguments.command[1], "--json");
	assert_false(config.json);
}

TEST(two_dashes_with_nothing_behind_are_an_empty_command)
{
	assert_int_equal(parse("--", NULL), 0);
	assert_non_null(arguments.command);
	assert_int_equal(arguments.command_count, 0);
}

TEST(an_abbreviation_that_fits_two_names_is_refused_and_names_both)
{
	assert_true(parse("--l", "1", NULL) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.why, "--label, --limit"));
}

TEST(an_unknown_option_suggests_the_nearest)
{
	assert_true(parse("--durration", "1", NULL) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_string_equal(err.what, "unknown option '--durration'");
	assert_string_equal(err.next, "--duration");
	assert_true(parse("--xyzzy", NULL) < 0);
	assert_string_equal(err.next, "");
	assert_true(parse("-z", NULL) < 0);
	assert_string_equal(err.what, "unknown option '-z'");
	assert_true(parse("--=5", NULL) < 0);
}

TEST(a_missing_value_is_refused)
{
	assert_true(parse("--duration", NULL) < 0);
	assert_non_null(strstr(err.why, "TIME"));
	assert_string_equal(err.next, "--duration 10s");
	assert_true(parse("-d", NULL) < 0);
}

TEST(a_flag_takes_no_value)
{
	assert_true(parse("--json=yes", NULL) < 0);
	assert_non_null(strstr(err.what, "--json"));
}

TEST(a_value_of_the_wrong_type_names_its_option)
{
	assert_true(parse("--duration", "soon", NULL) < 0);
	assert_non_null(strstr(err.what, "--duration"));
	assert_non_null(strstr(err.what, "soon"));
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_true(parse("--limit", "nan", NULL) < 0);
	assert_true(parse("--limit", "0.5x", NULL) < 0);
	assert_true(parse("--rate", "-1", NULL) < 0);
	assert_true(parse("--rate", "1.5", NULL) < 0);
	assert_true(parse("--max-size", "1Q", NULL) < 0);
}

TEST(help_is_found_before_later_mistakes)
{
	assert_int_equal(parse("--help", "--nonsense", NULL), 0);
	assert_true(arguments.help);
	assert_int_equal(parse("-h", NULL), 0);
	assert_true(arguments.help);
	assert_int_equal(parse("--he", NULL), 0);
	assert_true(arguments.help);
}

TEST(the_help_lists_every_row_and_stays_within_eighty_columns)
{
	struct text text = TEXT(8192);
	struct output to;
	char *copy, *rest;

	output_to_text(&to, &text);
	option_help(rows, &to);
	assert_int_equal(output_finish(&to, &err), 0);
	for (const struct option *row = rows; row->name; row++)
		assert_non_null(strstr(text_string(&text), row->name));
	assert_non_null(strstr(text_string(&text), "  -d, --duration TIME     stop after this long\n"));
	rest = copy = text_take(&text);
	for (char *line; (line = strsep(&rest, "\n"));)
		assert_true(strlen(line) <= 80);
	free(copy);
}

TEST(the_nearest_name_is_near_or_none)
{
	static const char *const names[] = { "calibrate", "check", "convert", "record", "report", NULL };

	assert_string_equal(nearest_name("recrod", names), "record");
	assert_string_equal(nearest_name("reprt", names), "report");
	assert_string_equal(nearest_name("chek", names), "check");
	assert_string_equal(nearest_name("calib", names), "calibrate");
	assert_null(nearest_name("flamegraph", names));
	assert_null(nearest_name("", names));
	assert_null(nearest_name("q", names));
}

TEST(a_word_of_any_length_is_survived)
{
	char word[5000];
	static const char *const names[] = { "record", NULL };

	memset(word, 'r', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	assert_null(nearest_name(word, names));
	memcpy(word, "--", 2);
	assert_true(parse(word, NULL) < 0);
	word[1] = 'q';
	assert_true(parse(word, NULL) < 0);
}

TEST(an_option_that_was_given_can_be_told_from_one_that_has_the_same_value_by_default)
{
	assert_int_equal(parse("--rate", "99", "-a", NULL), 0);
	assert_true(option_was_given(rows, &arguments, "rate"));
	assert_true(option_was_given(rows, &arguments, "all"));
	assert_false(option_was_given(rows, &arguments, "json"));
	assert_false(option_was_given(rows, &arguments, "no-such-option"));
	assert_int_equal(parse("-d10s", "-pjson", NULL), 0);
	assert_true(option_was_given(rows, &arguments, "duration"));
	assert_true(option_was_given(rows, &arguments, "pid"));
	assert_false(option_was_given(rows, &arguments, "rate"));
}

TEST(an_option_can_be_set_by_a_file_of_settings)
{
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(option_set(rows, "duration", "2s", &config, &err), 0);
	assert_int_equal(config.duration_ns, 2000000000);
	assert_int_equal(option_set(rows, "all", "yes", &config, &err), 0);
	assert_true(config.all);
	assert_int_equal(option_set(rows, "all", "no", &config, &err), 0);
	assert_false(config.all);
	assert_true(option_set(rows, "all", "maybe", &config, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_true(option_set(rows, "duration", "soon", &config, &err) < 0);
	assert_true(option_set(rows, "no-such-option", "1", &config, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
}

TEST(of_a_command_that_runs_no_other_they_are_operands)
{
	assert_int_equal(parse("a.xcut", "--", "--b.xcut", "c.xcut", NULL), 0);
	option_arguments_take_rest(&arguments);
	assert_int_equal(arguments.operand_count, 3);
	assert_string_equal(arguments.operands[0], "a.xcut");
	assert_string_equal(arguments.operands[1], "--b.xcut");
	assert_string_equal(arguments.operands[2], "c.xcut");
	assert_null(arguments.operands[3]);
	assert_int_equal(arguments.command_count, 0);
}
