/* SPDX-License-Identifier: Apache-2.0 */
/* Student's own data, and how often an interval holds the truth. */
#include "number.h"

#include <errno.h>

#include "base/cleanup.h"
#include "statistics/interval.h"
#include "statistics/normal.h"

/* Hours of sleep gained by ten patients with each of two drugs: the data of Student's paper. */
static const double first[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
static const double second[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

static void students_data_give_students_interval(void **state)
{
	struct statistics_interval interval;

	(void)state;
	assert_int_equal(statistics_interval_of_pairs(first, second, 10, 0.95, &interval), 0);
	assert_close(interval.estimate, 1.58, 1e-13);
	assert_close(interval.low, 0.7001142, 1e-6);
	assert_close(interval.high, 2.4598858, 1e-6);
	assert_true(interval.level == 0.95 && interval.count == 10);
	assert_true(statistics_interval_excludes(&interval, 0) && !statistics_interval_excludes(&interval, 1));
}

static void pairs_exchanged_change_the_sign(void **state)
{
	struct statistics_interval there, back;

	(void)state;
	assert_int_equal(statistics_interval_of_pairs(first, second, 10, 0.9, &there), 0);
	assert_int_equal(statistics_interval_of_pairs(second, first, 10, 0.9, &back), 0);
	assert_close(back.estimate, -there.estimate, 1e-14);
	assert_close(back.low, -there.high, 1e-14);
	assert_close(back.high, -there.low, 1e-14);
}

static void a_higher_level_is_wider(void **state)
{
	struct statistics_interval narrow, wide;

	(void)state;
	assert_int_equal(statistics_interval_of_pairs(first, second, 10, 0.9, &narrow), 0);
	assert_int_equal(statistics_interval_of_pairs(first, second, 10, 0.999, &wide), 0);
	assert_true(wide.low < narrow.low && wide.high > narrow.high);
	assert_true(statistics_interval_inside(&narrow, wide.low, wide.high));
	assert_false(statistics_interval_inside(&wide, narrow.low, narrow.high));
	assert_false(statistics_interval_inside(&wide, narrow.low, wide.high));
	assert_false(statistics_interval_inside(&wide, wide.low, narrow.high));
	assert_true(statistics_interval_inside(&wide, wide.low, wide.high));
}

static void ratios_are_relative_to_their_base(void **state)
{
	static const double base[] = { 10, 200, 3000 }, same[] = { 15, 300, 4500 };
	static const double candidate[] = { 20, 100, 3000 };
	struct statistics_interval interval;

	(void)state;
	assert_int_equal(statistics_interval_of_ratios(base, same, 3, 0.95, &interval), 0);
	assert_close(interval.estimate, 0.5, 1e-14);
	assert_close(interval.low, 0.5, 1e-12);
	assert_close(interval.high, 0.5, 1e-12);
	assert_int_equal(statistics_interval_of_ratios(base, candidate, 3, 0.95, &interval), 0);
	assert_true(fabs(interval.estimate) < 1e-14);           /* twice and half cancel out */
	/* log 2 deviates around 0: t (0.975, 2) = 4.302652730 */
	assert_close(interval.high, exp(4.302652730 * M_LN2 / sqrt(3)) - 1, 1e-8);
	assert_close(interval.low, exp(-4.302652730 * M_LN2 / sqrt(3)) - 1, 1e-8);
}

static void equal_differences_leave_no_doubt(void **state)
{
	static const double base[] = { 1, 2, 3 }, candidate[] = { 3, 4, 5 };
	struct statistics_interval interval;

	(void)state;
	assert_int_equal(statistics_interval_of_pairs(base, candidate, 3, 0.95, &interval), 0);
	assert_true(interval.low == 2 && interval.high == 2);
}

static void what_cannot_be_judged_is_refused(void **state)
{
	static const double base[] = { 1, 2 }, broken[] = { 1, NAN }, endless[] = { 1, INFINITY }, zero[] = { 0, 1 };
	struct statistics_interval interval = { .estimate = 42 };

	(void)state;
	assert_int_equal(statistics_interval_of_pairs(base, base, 1, 0.95, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 0, 0.95, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 2, 1, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 2, 1.5, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 2, 0, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 2, NAN, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, base, 2, 1 - 1e-16, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, broken, 2, 0.95, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_pairs(base, endless, 2, 0.95, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_ratios(base, zero, 2, 0.95, &interval), -EINVAL);
	assert_int_equal(statistics_interval_of_ratios(zero, base, 2, 0.95, &interval), -EINVAL);
	assert_true(interval.estimate == 42);
}

/* A number from (0, 1): the high bits of a linear congruential generator (Knuth's MMIX). */
static double next_uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Six pairs: of 4,000 such intervals 95 % hold the truth, within 4 standard deviations. */
static void of_many_intervals_the_promised_share_holds_the_truth(void **state)
{
	enum { TRIALS = 4000, PAIRS = 6 };
	uint64_t seed = 20260101;
	unsigned held = 0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		double base[PAIRS], candidate[PAIRS];
		struct statistics_interval interval;

		for (int i = 0; i < PAIRS; i++) {
			double shared = 100 * normal_quantile(next_uniform(&seed));

			base[i] = shared + normal_quantile(next_uniform(&seed));
			candidate[i] = shared + 5 + 2 * normal_quantile(next_uniform(&seed));
		}
		assert_int_equal(statistics_interval_of_pairs(base, candidate, PAIRS, 0.95, &interval), 0);
		held += !statistics_interval_excludes(&interval, 5);
	}
	assert_true(fabs(binomial_z(held, TRIALS, 0.95)) < 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(students_data_give_students_interval),
		cmocka_unit_test(pairs_exchanged_change_the_sign),
		cmocka_unit_test(a_higher_level_is_wider),
		cmocka_unit_test(ratios_are_relative_to_their_base),
		cmocka_unit_test(equal_differences_leave_no_doubt),
		cmocka_unit_test(what_cannot_be_judged_is_refused),
		cmocka_unit_test(of_many_intervals_the_promised_share_holds_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
