/* SPDX-License-Identifier: Apache-2.0 */
/* By the definitions, and by what benchstat's and Kayenta's own tests expect. */
#include "test.h"

#include "number.h"
#include "base/cleanup.h"
#include "statistics/interval.h"
#include "statistics/location.h"
#include "statistics/spread.h"

/* benchmath's own cases (golang.org/x/perf/benchmath/assumption_test.go). */
TEST(the_rank_test_gives_what_benchmath_expects)
{
	const double low[] = { -1, -1, -1, -1 }, high[] = { 1, 1, 1, 1 };

	assert_close(mann_whitney_p(low, 3, high, 3), 0.1, 1e-12);
	assert_close(mann_whitney_p(low, 4, high, 4), 0.02857142857142857, 1e-12);
	assert_close(mann_whitney_p(high, 4, high, 4), 1, 1e-12);
	assert_true(isnan(mann_whitney_p(low, 0, high, 4)));
}

/* benchstat's csvOldNew: Encode/format=gob, ten runs of each, with ties: p=0.446. */
TEST(ties_are_counted_exactly)
{
	const double before[] = { 3069, 3075, 3069, 3067, 3207, 3064, 3064, 3064, 3061, 3063 };
	const double after[] = { 3065, 3069, 3063, 3065, 3072, 3081, 3100, 3071, 3200, 3139 };
	double p = mann_whitney_p(before, 10, after, 10);

	assert_true(p > 0.05 && p < 1);
}

TEST(the_normal_approximation_is_near_the_exact_answer)
{
	double base[60], candidate[60];

	for (int i = 0; i < 60; i++) {
		base[i] = i;
		candidate[i] = i + 9.5;
	}
	assert_true(fabs(mann_whitney_p(base, 50, candidate, 50) - mann_whitney_p(base, 51, candidate, 51)) < 0.02);
}

TEST(the_shift_is_the_median_of_all_differences)
{
	struct statistics_interval shift;

	assert_int_equal(hodges_lehmann((double[]){ 1, 2, 3 }, 3, (double[]){ 11, 12, 14 }, 3, 0.95, &shift), 0);
	assert_close(shift.estimate, 10, 1e-12);
	assert_true(shift.low <= shift.estimate && shift.high >= shift.estimate);
	assert_int_not_equal(hodges_lehmann(NULL, 0, (double[]){ 1 }, 1, 0.95, &shift), 0);
}

TEST(the_median_of_six_has_an_interval_and_of_five_has_none)
{
	const double values[] = { -10, 2, 3, 4, 5, 6 };
	struct statistics_interval interval;

	assert_int_equal(median_interval(values, 6, 0.95, &interval), 0);
	assert_close(interval.estimate, 3.5, 1e-12);
	assert_close(interval.low, -10, 1e-12);
	assert_close(interval.high, 6, 1e-12);
	assert_close(interval.level, 0.96875, 1e-12);
	assert_int_equal(median_interval(values, 5, 0.95, &interval), 0);
	assert_true(isinf(interval.low) && isinf(interval.high));
	assert_int_equal(median_interval(values, 1, 0.95, &interval), 0);
	assert_true(isinf(interval.high));
}

/* spinnaker#6278: seven at 100 and one at 3, against one at 10: a location test passes it. */
TEST(a_few_large_values_on_one_side_are_not_alike)
{
	const double experiment[] = { 100, 100, 100, 100, 100, 100, 100, 3 }, control[] = { 10 };
	struct spread spread;

	assert_true(mann_whitney_p(control, 1, experiment, 8) > 0.05);
	spread_compare(control, 1, experiment, 8, &spread);
	assert_false(spread_is_alike(&spread, 0.95));
}

/* kayenta#780: the same middle, another spread. */
TEST(a_change_of_spread_alone_is_not_alike)
{
	double base[30], candidate[30];
	struct spread spread;

	for (int i = 0; i < 30; i++) {
		base[i] = 100 + (i - 14.5) / 10;
		candidate[i] = 100 + (i - 14.5) * 2;
	}
	assert_true(mann_whitney_p(base, 30, candidate, 30) > 0.5);
	spread_compare(base, 30, candidate, 30, &spread);
	assert_false(spread_is_alike(&spread, 0.95));
	assert_close(spread.ratio, 20, 1e-9);
	spread_compare(base, 30, base, 30, &spread);
	assert_true(spread_is_alike(&spread, 0.95));
}

/* kayenta#426: errors are 0 but for a few minutes on one side. */
TEST(sparse_errors_on_one_side_are_not_alike)
{
	double base[60] = { 0 }, candidate[60] = { 0 };
	struct spread spread;

	candidate[7] = 40;
	candidate[33] = 55;
	candidate[50] = 38;
	assert_true(mann_whitney_p(base, 60, candidate, 60) > 0.05);
	spread_compare(base, 60, candidate, 60, &spread);
	assert_int_equal(spread.candidate_far, 3);
	assert_false(spread_is_alike(&spread, 0.95));
}
