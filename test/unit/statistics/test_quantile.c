/* SPDX-License-Identifier: Apache-2.0 */
/* Definition 7 of Hyndman and Fan, as R computes it. */
#include "number.h"

#include "base/cleanup.h"
#include "statistics/quantile.h"

static void quantiles_lie_between_order_statistics(void **state)
{
	static const double values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	(void)state;
	assert_close(quantile_sorted(values, 10, 0.25), 3.25, 1e-15);
	assert_close(quantile_sorted(values, 10, 0.5), 5.5, 1e-15);
	assert_close(quantile_sorted(values, 10, 0.99), 9.91, 1e-15);
	assert_true(quantile_sorted(values, 10, 0) == 1 && quantile_sorted(values, 10, 1) == 10);
	assert_true(quantile_sorted(values, 1, 0.7) == 1);
}

static void a_median_needs_no_order_and_makes_none(void **state)
{
	double odd[] = { 9, -3, 5 }, even[] = { 8, 1, 4, 2 };

	(void)state;
	assert_true(median(odd, 3) == 5 && median(even, 4) == 3);
	assert_true(odd[0] == 9 && odd[1] == -3 && even[0] == 8 && even[3] == 2);
}

static void numbers_are_sorted_by_size(void **state)
{
	double values[] = { 3, -INFINITY, 0.5, 0.25, 3, -2 };

	(void)state;
	sort_numbers(values, ARRAY_LENGTH(values));
	for (size_t i = 1; i < ARRAY_LENGTH(values); i++)
		assert_true(values[i - 1] <= values[i]);
	assert_true(values[2] == 0.25);
	sort_numbers(NULL, 0);
}

static void nothing_has_no_quantile(void **state)
{
	static const double values[] = { 1, 2 };

	(void)state;
	assert_true(isnan(median(NULL, 0)) && isnan(quantile_sorted(NULL, 0, 0.5)));
	assert_true(isnan(quantile_sorted(values, 2, -0.1)) && isnan(quantile_sorted(values, 2, 1.1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_lie_between_order_statistics),
		cmocka_unit_test(a_median_needs_no_order_and_makes_none),
		cmocka_unit_test(numbers_are_sorted_by_size),
		cmocka_unit_test(nothing_has_no_quantile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
