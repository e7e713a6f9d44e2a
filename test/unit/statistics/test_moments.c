/* SPDX-License-Identifier: Apache-2.0 */
/* Known means and variances, also where the textbook formula fails. */
#include "number.h"

#include "base/cleanup.h"
#include "statistics/moments.h"

static struct moments of(const double *values, size_t count)
{
	struct moments moments = { 0 };

	for (size_t i = 0; i < count; i++)
		moments_add(&moments, values[i]);
	return moments;
}

static void a_small_spread_around_a_large_mean_is_kept(void **state)
{
	static const double values[] = { 1e15 + 4, 1e15 + 7, 1e15 + 13, 1e15 + 16 };
	struct moments moments = of(values, ARRAY_LENGTH(values));

	(void)state;
	assert_close(moments.mean, 1e15 + 10, 1e-15);
	assert_close(moments_variance(&moments), 30, 1e-12);
	assert_close(moments_deviation(&moments), sqrt(30), 1e-12);
}

static void fewer_than_two_values_have_no_variance(void **state)
{
	static const double one[] = { 7 };
	struct moments none = of(NULL, 0), single = of(one, 1);

	(void)state;
	assert_true(moments_variance(&none) == 0 && moments_variance(&single) == 0);
	assert_true(single.mean == 7 && single.count == 1);
}

static void merging_equals_adding_all(void **state)
{
	static const double values[] = { 3, -1, 4, 1, -5, 9, 2, 6, 5, 3 };

	(void)state;
	for (size_t split = 0; split <= ARRAY_LENGTH(values); split++) {
		struct moments all = of(values, ARRAY_LENGTH(values)), head = of(values, split);
		struct moments tail = of(values + split, ARRAY_LENGTH(values) - split);

		moments_merge(&head, &tail);
		assert_int_equal(head.count, all.count);
		assert_close(head.mean, 2.7, 1e-14);
		assert_close(moments_variance(&head), moments_variance(&all), 1e-14);
		assert_close(moments_variance(&head), 134.1 / 9, 1e-14);
	}
}

static void merging_nothing_with_nothing_is_nothing(void **state)
{
	struct moments none = { 0 }, other = { 0 };

	(void)state;
	moments_merge(&none, &other);
	assert_true(none.count == 0 && none.mean == 0 && none.squares == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_spread_around_a_large_mean_is_kept),
		cmocka_unit_test(fewer_than_two_values_have_no_variance),
		cmocka_unit_test(merging_equals_adding_all),
		cmocka_unit_test(merging_nothing_with_nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
