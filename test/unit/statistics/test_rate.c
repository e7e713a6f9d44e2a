/* SPDX-License-Identifier: Apache-2.0 */
/* Reference values of statsmodels (Gu and others, 2008: 60 cases in 51477.5 years, 30 in 54308.7), and coverage. */
#include "test.h"

#include "number.h"
#include "base/cleanup.h"
#include "statistics/interval.h"
#include "statistics/rate.h"
#include "statistics/slices.h"

static const struct rate many = { 60, 51477.5 }, few = { 30, 54308.7 };

TEST(the_score_test_gives_what_statsmodels_gives)
{
	assert_close(rate_z(few, many, 1), 3.417402, 1e-6);
}

TEST(the_e_test_gives_what_statsmodels_gives)
{
	double p = rate_exact_p(few, many, false);

	assert_true(fabs(p - 0.000298) < 5e-6);
}

TEST(the_interval_of_the_ratio_is_where_the_score_reaches_its_quantile)
{
	struct rate_change change;

	assert_int_equal(rate_compare(few, many, 0.95, &change), 0);
	assert_close(change.ratio, 60 / 51477.5 / (30 / 54308.7), 1e-12);
	assert_close(rate_z(few, many, change.low), 1.959964, 1e-5);
	assert_close(rate_z(few, many, change.high), -1.959964, 1e-5);
	assert_true(change.p < 0.001 && !change.insufficient);
}

TEST(below_twenty_counts_it_says_insufficient_and_nothing_is_infinite_growth)
{
	struct rate_change change;

	assert_int_equal(rate_compare((struct rate){ 0, 1 }, (struct rate){ 19, 1 }, 0.95, &change), 0);
	assert_true(change.insufficient && isinf(change.high) && change.low > 1);
	assert_int_equal(rate_compare((struct rate){ 0, 1 }, (struct rate){ 20, 1 }, 0.95, &change), 0);
	assert_false(change.insufficient);
	assert_int_equal(rate_compare((struct rate){ 0, 1 }, (struct rate){ 0, 1 }, 0.95, &change), 0);
	assert_true(change.p == 1);
	assert_int_not_equal(rate_compare((struct rate){ 1, 0 }, many, 0.95, &change), 0);
	assert_int_not_equal(rate_compare((struct rate){ -1, 1 }, many, 0.95, &change), 0);
}

TEST(slices_that_do_the_same_have_no_error_and_few_have_none_to_tell)
{
	double weights[20], work[20];
	struct slices_ratio ratio;

	for (int i = 0; i < 20; i++) {
		work[i] = 100 + i;
		weights[i] = 3 * work[i];
	}
	slices_ratio_of(weights, work, 20, &ratio);
	assert_close(ratio.ratio, 3, 1e-12);
	assert_true(ratio.error < 1e-12);
	slices_ratio_of(weights, work, SLICES_LEAST - 1, &ratio);
	assert_true(isnan(ratio.error));
	slices_ratio_of(weights, (double[20]){ 0 }, 20, &ratio);
	assert_true(isnan(ratio.ratio));
}

TEST(neighbours_that_are_alike_widen_the_error)
{
	double alternating[40], blocks[40], work[40];
	struct slices_ratio one, other;

	for (int i = 0; i < 40; i++) {
		work[i] = 100;
		alternating[i] = i % 2 ? 110 : 90;
		blocks[i] = i / 10 % 2 ? 110 : 90;
	}
	slices_ratio_of(alternating, work, 40, &one);
	slices_ratio_of(blocks, work, 40, &other);
	assert_true(other.error > 2 * one.error);
}

TEST(two_ratios_compare_by_their_logarithm)
{
	struct slices_ratio base = { 10, 0.1, 60 }, candidate = { 12, 0.1, 60 };
	struct statistics_interval change;

	slices_compare(&base, &candidate, 0.95, &change);
	assert_close(change.estimate, 0.2, 1e-12);
	assert_true(change.low > 0.16 && change.low < 0.18 && change.high > 0.22 && change.high < 0.24);
	candidate.error = NAN;
	slices_compare(&base, &candidate, 0.95, &change);
	assert_true(isnan(change.low));
}
