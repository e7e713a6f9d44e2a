/* SPDX-License-Identifier: Apache-2.0 */
/* Tabulated values of the normal distribution, and the inverse against it. */
#include "number.h"

#include "base/cleanup.h"
#include "statistics/normal.h"

static void the_distribution_is_that_of_the_tables(void **state)
{
	(void)state;
	assert_close(normal_cdf(0), 0.5, 1e-15);
	assert_close(normal_cdf(1), 0.8413447460685429, 1e-14);
	assert_close(normal_cdf(-1), 0.15865525393145705, 1e-14);
	assert_close(normal_cdf(-4), 3.167124183311992e-05, 1e-13);
	assert_close(normal_cdf(-8), 6.220960574271785e-16, 1e-12);
}

static void quantiles_are_those_of_the_tables(void **state)
{
	(void)state;
	assert_close(normal_quantile(0.975), 1.959963984540054, 1e-14);
	assert_close(normal_quantile(0.999), 3.090232306167813, 1e-13);
	assert_close(normal_quantile(0.025), -1.959963984540054, 1e-14);
	assert_close(normal_quantile(1e-10), -6.361340902404056, 1e-14);
	assert_true(normal_quantile(0.5) == 0);
}

static void a_quantile_is_the_inverse(void **state)
{
	(void)state;
	for (int step = -99; step <= 15; step += 2) {           /* never 0, where nothing is relative */
		double z = step * 0.37;

		assert_close(normal_quantile(normal_cdf(z)), z, z < 4 ? 1e-11 : 1e-6);
	}
}

static void the_ends_are_infinite_and_beyond_is_nothing(void **state)
{
	(void)state;
	assert_true(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY);
	assert_true(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(1.1)) && isnan(normal_quantile(NAN)));
}

static void a_count_is_measured_in_standard_deviations(void **state)
{
	(void)state;
	assert_close(binomial_z(60, 100, 0.5), 2, 1e-14);
	assert_close(binomial_z(10, 100, 0.2), -2.5, 1e-14);
	assert_true(binomial_z(50, 100, 0.5) == 0);
	assert_true(isnan(binomial_z(0, 0, 0.5)) && isnan(binomial_z(1, 2, 0)) && isnan(binomial_z(1, 2, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_distribution_is_that_of_the_tables),
		cmocka_unit_test(quantiles_are_those_of_the_tables),
		cmocka_unit_test(a_quantile_is_the_inverse),
		cmocka_unit_test(the_ends_are_infinite_and_beyond_is_nothing),
		cmocka_unit_test(a_count_is_measured_in_standard_deviations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
