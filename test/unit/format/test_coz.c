/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define FILE_OF(rest) "startup\ttime=1\n" rest "runtime\ttime=9\nshutdown\ttime=2\n"
#define EXPERIMENT "experiment\tselected=a.c:7\tspeedup=0.05\tduration=100\tselected-samples=13\n"

static const struct cell *cell_of(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (!strcmp(profile_text(profile, profile_object_at(profile, cell->object.index)->name), name))
			return cell;
	}
	return NULL;
}

TEST(experiments_and_progress_points_are_amounts_by_line_and_speed_up)
{
	CLEANUP(profile) struct profile *profile = reading("coz",
		FILE_OF(EXPERIMENT "progress-point\tname=b.c:9\ttype=source\tdelta=4\n" EXPERIMENT
			"throughput-point\tname=b.c:9\tdelta=3\nsamples\tlocation=a.c:7\tcount=31\n"));

	assert_int_equal(cell_of(profile, "a.c:7 sped up by 0.05")->value, 200);
	assert_int_equal(cell_of(profile, "a.c:7 sped up by 0.05")->count, 2);
	assert_int_equal(cell_of(profile, "b.c:9 while a.c:7 sped up by 0.05")->value, 7);
	assert_int_equal(cell_of(profile, "a.c:7")->value, 31);
	assert_non_null(strstr(profile_meta(profile, "import.lacks"), "stacks"));
}

TEST(lines_that_lack_a_value_are_counted)
{
	CLEANUP(profile) struct profile *profile = reading("coz", FILE_OF(EXPERIMENT "experiment\tselected=a\nwhat\n"));

	assert_true(remarked(profile, "2 skipped: a line is of no known kind or lacks a value"));
	refused("coz", FILE_OF(""), "holds nothing");
	assert_int_equal(format_find("coz")->recognise(FILE_OF(EXPERIMENT), strlen(FILE_OF(EXPERIMENT))), 95);
}
