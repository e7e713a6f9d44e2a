/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/error.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"
#include "test.h"
#include "unit/format/reading.h"

#include <errno.h>
#include <string.h>

static void assert_counters(const char *text)
{
	CLEANUP(input) struct input *input = input_memory(text, strlen(text), "text");
	CLEANUP(profile) struct profile *profile = NULL;
	struct error err = { 0 };
	static const struct { const char *name, *unit; uint64_t value; enum weighting weighting; } rows[] = {
		{ "task-clock", "ns", 940000, WEIGHTING_EXACT },
		{ "context-switches", "count", 1, WEIGHTING_EXACT },
		{ "instructions", "count", 1234567, WEIGHTING_ESTIMATED },
	};

	assert_int_equal(format_read_input(input, &profile, &err), 0);
	assert_string_equal(profile_meta(profile, "import.format"), "perf-stat");
	assert_null(profile_broken(profile));
	assert_int_equal(profile_cell_count(profile), 3);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		const struct dimension *dimension = profile_dimension_at(profile, measure->dimension.index);

		assert_string_equal(profile_text(profile, dimension->name), rows[i].name);
		assert_string_equal(profile_text(profile, dimension->unit), rows[i].unit);
		assert_int_equal(cell->value, rows[i].value);
		assert_int_equal(measure->weighting, rows[i].weighting);
	}
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "not supported"));
}

TEST(the_text_for_people_is_read)
{
	assert_counters("\n Performance counter stats for 'sleep 1':\n\n"
			"              0.94 msec task-clock                #    0.001 CPUs utilized\n"
			"                 1      context-switches          #    1.065 K/sec\n"
			"   <not supported>      cycles\n"
			"         1,234,567      instructions              #    0.85  insn per cycle           (83.10%)\n\n"
			"       1.001023000 seconds time elapsed\n\n       0.001000000 seconds user\n");
}

/* German, French (thousands parted by narrow blanks, and by plain ones), Swiss, and without a line of the elapsed time. */
TEST(numbers_are_read_as_the_locale_of_the_recording_writes_them)
{
	static const char *const texts[] = {
		"\n Performance counter stats for 'sleep 1.5':\n\n              0,94 msec task-clock                #    0,001 CPUs utilized\n"
		"                 1      context-switches          #    1,065 K/sec\n   <not supported>      cycles\n"
		"         1.234.567      instructions              #    0,85  insn per cycle           (83,10%)\n\n"
		"       1,001023000 seconds time elapsed\n",
		"Performance counter stats for 'a':\n 0,94 msec task-clock\n 1 context-switches\n <not supported> cycles\n"
		" 1\u202f234\u202f567 instructions (83,10%)\n",
		"Performance counter stats for 'a':\n 0,94 msec task-clock\n 1 context-switches\n <not supported> cycles\n"
		" 1 234 567 instructions (83,10%)\n",
		"Performance counter stats for 'a':\n 0.94 msec task-clock\n 1 context-switches\n <not supported> cycles\n"
		" 1\u2019234\u2019567 instructions (83.10%)\n",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		assert_counters(texts[i]);
}

static struct profile *counters_of(const char *text)
{
	CLEANUP(input) struct input *input = input_memory(text, strlen(text), "text");
	struct profile *profile = NULL;
	struct error err = { 0 };

	return format_read_input(input, &profile, &err) < 0 ? NULL : profile;
}

/* What was counted one by one has no decimals, whatever the mark is; joules have some, and nothing says where they begin. */
TEST(a_number_that_could_be_either_is_decided_by_its_unit_or_said)
{
	CLEANUP(profile) struct profile *faults = counters_of("Performance counter stats for 'a':\n 1.119 page-faults\n 2,50 msec task-clock\n");
	CLEANUP(profile) struct profile *alone = counters_of("Performance counter stats for 'a':\n 1.119 page-faults\n");
	CLEANUP(profile) struct profile *energy = counters_of("Performance counter stats for 'a':\n 1,119 Joules power/energy-pkg/\n");

	assert_int_equal(profile_cell_at(faults, 0)->value, 1119);
	assert_int_equal(profile_cell_at(faults, 1)->value, 2500000);
	assert_int_equal(profile_cell_at(alone, 0)->value, 1119);
	assert_null(counters_of("Performance counter stats for 'a':\n 1,234"));
	assert_int_equal(profile_cell_at(energy, 0)->value, 1119);
	assert_non_null(strstr(profile_meta(energy, "import.remark.1"), "decimals or of thousands"));
}

TEST(decimal_commas_between_commas_are_refused)
{
	CLEANUP(profile) struct profile *profile = counters_of("3,58,msec,task-clock,1426171,100,00,0,190,CPUs utilized\n"
							       "50,,page-faults,1426171,100,00,35,059,K/sec\n");

	assert_int_equal(profile_cell_count(profile), 1);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "1 skipped: commas part both"));
}

TEST(fields_of_x_are_read_with_and_without_an_interval)
{
	assert_counters("# started on Mon\n\n0.94,msec,task-clock,940000,100.00,0.001,CPUs utilized\n"
			"1,,context-switches,940000,100.00,1.065,K/sec\n<not supported>,,cycles,0,100.00,,\n"
			"1234567,,instructions,940000,83.10,0.85,insn per cycle\n");
	assert_counters("0,94;msec;task-clock;940000;100,00;0,001;CPUs utilized\n1;;context-switches;940000;100,00;1,065;K/sec\n"
			"<not supported>;;cycles;0;100,00;;\n1234567;;instructions;940000;83,10;0,85;insn per cycle\n");
	assert_counters("     1.000100;0.94;msec;task-clock;940000;100.00;0.001;CPUs utilized\n"
			"     1.000100;1;;context-switches;940000;100.00;1.065;K/sec\n     1.000100;<not supported>;;cycles;0;100.00;;\n"
			"     1.000100;1234567;;instructions;940000;83.10;0.85;insn per cycle\n");
}

TEST(json_lines_are_read)
{
	assert_counters("{\"counter-value\" : \"0.940000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"pcnt-running\" : 100.00}\n"
			"{\"counter-value\" : \"1.000000\", \"unit\" : \"\", \"event\" : \"context-switches\", \"pcnt-running\" : 100.00}\n"
			"{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"cycles\", \"pcnt-running\" : 0.00}\n"
			"{\"counter-value\" : \"1234567.000000\", \"unit\" : \"\", \"event\" : \"instructions\", \"pcnt-running\" : 83.10}\n");
}

TEST(a_time_that_no_clock_can_show_is_cut)
{
	CLEANUP(profile) struct profile *profile =
		reading("perf-stat", "9000000000000000000,msec,task-clock,940000,100.00,0.001,CPUs utilized\n");

	assert_int_equal(profile_cell_at(profile, 0)->value, INT64_MAX);
}
