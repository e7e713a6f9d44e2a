/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "capture/guard.h"

#define BUDGET 0.02

static struct guard guard_of(double abort)
{
	return (struct guard){ .budget = BUDGET, .abort = abort };
}

TEST(below_the_budget_nothing_is_given_up)
{
	struct guard guard = guard_of(BUDGET);

	for (int i = 0; i < 100; i++)
		assert_int_equal(guard_judge(&guard, 0.0199, 0), GUARD_NOTHING);
	assert_int_equal(guard.rung, GUARD_NOTHING);
	assert_true(guard.highest == 0.0199);
}

TEST(without_a_budget_nothing_is_given_up)
{
	struct guard guard = { 0 };

	assert_int_equal(guard_judge(&guard, 0.9, 0), GUARD_NOTHING);
}

/* The promise: five judgements, the first of which may have seen only part of the storm, lie within two windows. */
TEST(a_storm_that_nothing_helps_against_ends_the_capture_within_two_windows)
{
	static const enum guard_action expected[] = { GUARD_RARER, GUARD_STACKS_OFF, GUARD_LEDGER_ONLY, GUARD_DETACH };
	struct guard guard = guard_of(BUDGET);

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(guard_judge(&guard, 0.1, 0), expected[i]);
	assert_true(5 * GUARD_TICKS * 100000000ull <= 2 * GUARD_WINDOW_NS);
	assert_int_equal(guard_judge(&guard, 0.1, 0), GUARD_NOTHING);      /* there is nothing left */
}

TEST(stacks_get_as_much_rarer_as_the_excess_asks_for)
{
	static const struct { double cost; unsigned halvings; } rows[] = {
		{ 0.021, 1 }, { 0.04, 1 }, { 0.041, 2 }, { 0.08, 2 }, { 0.1, 3 }, { 0.9, 6 }, { 50, GUARD_HALVINGS_MOST },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct guard guard = guard_of(BUDGET);

		assert_int_equal(guard_judge(&guard, rows[i].cost, 0), GUARD_RARER);
		assert_int_equal(guard.halvings, rows[i].halvings);
	}
}

TEST(where_rarer_stacks_helped_once_they_are_tried_again)
{
	struct guard guard = guard_of(BUDGET);

	assert_int_equal(guard_judge(&guard, 0.03, 0), GUARD_RARER);
	assert_int_equal(guard_judge(&guard, 0.01, 0), GUARD_NOTHING);
	assert_int_equal(guard_judge(&guard, 0.03, 0), GUARD_RARER);
	assert_int_equal(guard.halvings, 2);
	assert_int_equal(guard_judge(&guard, 0.03, 0), GUARD_STACKS_OFF);
}

TEST(halvings_run_out)
{
	struct guard guard = guard_of(BUDGET);

	assert_int_equal(guard_judge(&guard, 2, 0), GUARD_RARER);
	assert_int_equal(guard_judge(&guard, 0.01, 0), GUARD_NOTHING);
	assert_int_equal(guard_judge(&guard, 0.021, 0), GUARD_STACKS_OFF);
}

TEST(the_ledger_goes_on_up_to_the_abort_condition)
{
	struct guard guard = guard_of(0.2);

	for (int i = 0; i < 3; i++)
		(void)guard_judge(&guard, 0.1, 0);
	assert_int_equal(guard.rung, GUARD_LEDGER_ONLY);
	assert_int_equal(guard_judge(&guard, 0.2, 0), GUARD_NOTHING);
	assert_int_equal(guard_judge(&guard, 0.21, 0), GUARD_DETACH);
	guard = guard_of(0);
	for (int i = 0; i < 10; i++)
		(void)guard_judge(&guard, 5, 0);
	assert_int_equal(guard.rung, GUARD_LEDGER_ONLY);
}

TEST(rates_rise_by_stages_while_they_are_cheap)
{
	struct guard guard = guard_of(BUDGET);
	double rate = 0;

	guard.stages = (struct guard_stages){ .rates_hz = { 19, 49, 99 }, .count = 3, .each_ns = 10 };
	assert_false(guard_stage(&guard, 9, &rate));
	assert_true(guard_stage(&guard, 10, &rate));
	assert_true(rate == 49);
	(void)guard_judge(&guard, 0.011, 0);                /* more than half: this stage proves nothing */
	assert_false(guard_stage(&guard, 20, &rate));
	assert_false(guard_stage(&guard, 29, &rate));
	assert_true(guard_stage(&guard, 30, &rate));
	assert_true(rate == 99);
	assert_false(guard_stage(&guard, 100, &rate));  /* the last */
}

TEST(a_capture_that_gave_something_up_rises_no_more)
{
	struct guard guard = guard_of(BUDGET);
	double rate;

	guard.stages = (struct guard_stages){ .rates_hz = { 19, 49 }, .count = 2, .each_ns = 10 };
	(void)guard_judge(&guard, 0.5, 0);
	(void)guard_judge(&guard, 0.001, 0);
	assert_false(guard_stage(&guard, 1000, &rate));
}

TEST(our_own_share_takes_no_stacks_where_nobody_stated_a_budget)
{
	struct guard guard = guard_of(0.2);

	assert_int_equal(guard_judge(&guard, 0.005, 0.05), GUARD_RARER);
	assert_int_equal(guard_judge(&guard, 0.005, 0.05), GUARD_NOTHING);
	assert_int_equal(guard_judge(&guard, 0.021, 0), GUARD_RARER);   /* it was quiet in between */
	assert_int_equal(guard_judge(&guard, 0.021, 0), GUARD_STACKS_OFF);
	guard = guard_of(BUDGET);
	(void)guard_judge(&guard, 0.005, 0.05);
	assert_int_equal(guard_judge(&guard, 0.005, 0.05), GUARD_STACKS_OFF);
}
