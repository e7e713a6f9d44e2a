/* SPDX-License-Identifier: Apache-2.0 */
/* The load generator's histogram: its quantiles are within one per cent, its extremes exact. */
#include <stdbool.h>

#include "../../../examples/mercury/load/histogram.c"

#include "test.h"                            /* last: its macros are called as our functions are */

static struct histogram histogram;

static void assert_within_one_percent(uint64_t seen, uint64_t wanted)
{
	assert_in_range(seen, wanted - wanted / 100, wanted + wanted / 100 + 1);
}

TEST(an_empty_histogram_answers_zero)
{
	histogram_clear(&histogram);
	assert_int_equal(histogram_quantile(&histogram, 0.99), 0);
	assert_true(histogram_mean(&histogram) == 0);
}

TEST(quantiles_of_an_even_spread_are_within_one_percent)
{
	const uint64_t scales[] = { 1, 1000, 77777, 1000000 };

	for (size_t s = 0; s < sizeof(scales) / sizeof(*scales); s++) {
		histogram_clear(&histogram);
		for (uint64_t i = 1; i <= 10000; i++)
			histogram_add(&histogram, i * scales[s]);
		assert_within_one_percent(histogram_quantile(&histogram, 0.5), 5000 * scales[s]);
		assert_within_one_percent(histogram_quantile(&histogram, 0.99), 9900 * scales[s]);
		assert_within_one_percent(histogram_quantile(&histogram, 0.999), 9990 * scales[s]);
		assert_int_equal(histogram.maximum, 10000 * scales[s]);
		assert_true(histogram_mean(&histogram) == 5000.5 * (double)scales[s]);
	}
}

TEST(a_bucket_holds_only_values_that_differ_by_less_than_one_percent)
{
	const uint64_t limit = (uint64_t)1 << HISTOGRAM_VALUE_BITS;

	for (uint64_t value = 1; value < limit; value += 1 + value / 7) {
		assert_true(bucket_of(value) < HISTOGRAM_BUCKETS);
		assert_within_one_percent(bucket_middle(bucket_of(value)), value);
		assert_true(bucket_of(value + 1) - bucket_of(value) <= 1);
	}
}

TEST(a_value_beyond_the_range_counts_in_the_last_bucket)
{
	histogram_clear(&histogram);
	histogram_add(&histogram, UINT64_MAX / 2);
	assert_int_equal(histogram.count, 1);
	assert_int_equal(histogram.buckets[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(histogram.maximum, UINT64_MAX / 2);
}

TEST(a_quantile_never_exceeds_the_largest_value)
{
	histogram_clear(&histogram);
	histogram_add(&histogram, 1000001);
	assert_int_equal(histogram_quantile(&histogram, 1.0), 1000001);
}
