/* SPDX-License-Identifier: Apache-2.0 */
/* The load generator's plan: when requests leave, and what they ask for. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "../../../examples/mercury/load/schedule.c"

#include "test.h"                            /* last: its macros are called as our functions are */

static const struct schedule_config usual = {
	.rate = 1000, .seconds = 20, .seed = 7, .items = 12288, .popular_percent = 20,
	.partial_percent = 10,
};

TEST(the_same_seed_makes_the_same_plan_and_another_seed_another)
{
	struct schedule_config other = usual;
	struct schedule first, again, different;

	other.seed = 8;
	assert_int_equal(load_schedule_make(&first, &usual), 0);
	assert_int_equal(load_schedule_make(&again, &usual), 0);
	assert_int_equal(load_schedule_make(&different, &other), 0);
	assert_int_equal(first.count, again.count);
	assert_memory_equal(first.planned, again.planned, first.count * sizeof(*first.planned));
	assert_memory_not_equal(first.planned, different.planned, 100 * sizeof(*first.planned));
	load_schedule_free(&first);
	load_schedule_free(&again);
	load_schedule_free(&different);
}

/* 20000 expected, with a standard deviation of 141. */
TEST(exponential_spacing_has_the_rate_and_the_spread_it_should)
{
	struct schedule schedule;
	double sum = 0, squares = 0;

	assert_int_equal(load_schedule_make(&schedule, &usual), 0);
	assert_in_range(schedule.count, 19300, 20700);
	for (size_t i = 1; i < schedule.count; i++) {
		double gap = (double)(schedule.planned[i].at_ns - schedule.planned[i - 1].at_ns);

		assert_true(schedule.planned[i].at_ns >= schedule.planned[i - 1].at_ns);
		sum += gap;
		squares += gap * gap;
	}
	sum /= (double)schedule.count;
	assert_true(fabs(sqrt(squares / (double)schedule.count - sum * sum) / sum - 1) < 0.05);
	load_schedule_free(&schedule);
}

TEST(fixed_spacing_is_fixed)
{
	struct schedule_config config = usual;
	struct schedule schedule;

	config.fixed_spacing = true;
	assert_int_equal(load_schedule_make(&schedule, &config), 0);
	assert_in_range(schedule.count, 19999, 20000);
	for (size_t i = 0; i < schedule.count; i++) {
		uint64_t wanted_ns = (i + 1) * 1000000;

		assert_in_range(schedule.planned[i].at_ns, wanted_ns - 10, wanted_ns + 10);
	}
	load_schedule_free(&schedule);
}

TEST(items_are_known_unless_unknown_ones_are_wanted)
{
	struct schedule_config config = usual;
	struct schedule schedule;
	size_t unknown = 0, partial = 0;

	config.unknown_permille = 100;
	assert_int_equal(load_schedule_make(&schedule, &config), 0);
	for (size_t i = 0; i < schedule.count; i++) {
		unknown += schedule.planned[i].item >= config.items;
		partial += schedule.planned[i].warehouse >= 0;
		assert_true(schedule.planned[i].warehouse < WAREHOUSE_COUNT);
	}
	assert_in_range(unknown, schedule.count * 9 / 100, schedule.count * 11 / 100);
	assert_in_range(partial, schedule.count * 9 / 100, schedule.count * 11 / 100);
	load_schedule_free(&schedule);
	assert_int_equal(load_schedule_make(&schedule, &usual), 0);
	for (size_t i = 0; i < schedule.count; i++)
		assert_true(schedule.planned[i].item < usual.items);
	load_schedule_free(&schedule);
}

TEST(a_plan_without_end_is_refused)
{
	struct schedule_config config = usual;
	struct schedule schedule;

	config.rate = 1000000;
	config.seconds = 86400;
	assert_int_equal(load_schedule_make(&schedule, &config), -E2BIG);
}
