/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms where there are any, tables elsewhere. */
#include "number.h"

#include "base/cleanup.h"
#include "statistics/normal.h"
#include "statistics/student.h"

/* I_x(a, b) for whole a and b is a tail of the binomial distribution. */
static double binomial_tail(int a, int b, double x)
{
	int n = a + b - 1;
	double sum = 0;

	for (int j = a; j <= n; j++)
		sum += exp(lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * log(x) + (n - j) * log1p(-x));
	return sum;
}

static void the_beta_function_is_a_tail_of_the_binomial(void **state)
{
	(void)state;
	for (int a = 1; a < 40; a += 3)
		for (int b = 1; b < 40; b += 4)
			for (double x = 0.05; x < 1; x += 0.1)
				assert_close(incomplete_beta(a, b, x), binomial_tail(a, b, x), 1e-11);
	assert_close(incomplete_beta(2, 3, 0.5), 0.6875, 1e-14);
}

static void the_beta_function_ends_at_0_and_1(void **state)
{
	(void)state;
	assert_true(incomplete_beta(2, 3, 0) == 0 && incomplete_beta(2, 3, 1) == 1);
	assert_true(isnan(incomplete_beta(0, 3, 0.5)) && isnan(incomplete_beta(2, -1, 0.5)));
	assert_true(isnan(incomplete_beta(2, 3, 1.5)) && isnan(incomplete_beta(2, 3, NAN)));
}

static void one_and_two_degrees_have_closed_forms(void **state)
{
	(void)state;
	for (double p = 0.01; p < 1; p += 0.07) {
		double middle = 2 * p - 1;

		assert_close(student_quantile(p, 1), tan(M_PI * (p - 0.5)), 1e-11);
		assert_close(student_quantile(p, 2), middle * sqrt(2 / (1 - middle * middle)), 1e-11);
		assert_close(student_cdf(student_quantile(p, 7.5), 7.5), p, 1e-12);
	}
}

static void quantiles_are_those_of_the_tables(void **state)
{
	(void)state;
	assert_close(student_quantile(0.975, 5), 2.570581836, 1e-9);
	assert_close(student_quantile(0.975, 10), 2.228138852, 1e-9);
	assert_close(student_quantile(0.95, 10), 1.812461123, 1e-9);
	assert_close(student_quantile(0.975, 19), 2.093024054, 1e-9);
	assert_close(student_quantile(0.995, 30), 2.749995654, 1e-9);
	assert_close(student_quantile(0.0005, 4), -8.610301581, 1e-9);
}

static void many_degrees_are_the_normal_distribution(void **state)
{
	(void)state;
	assert_close(student_quantile(0.975, 1e7), normal_quantile(0.975), 1e-6);
	assert_close(student_cdf(-3, 1e7), normal_cdf(-3), 1e-5);
}

static void the_two_tails_are_alike(void **state)
{
	(void)state;
	for (double t = 0; t < 50; t += 1.7)
		assert_close(student_cdf(t, 5) + student_cdf(-t, 5), 1, 1e-14);
	assert_true(student_quantile(0.5, 3) == 0);
	assert_close(student_cdf(-1000, 1), atan(1 / 1000.0) / M_PI, 1e-10);
}

static void outside_the_domain_is_nothing(void **state)
{
	(void)state;
	assert_true(student_quantile(1, 5) == INFINITY && student_quantile(0, 5) == -INFINITY);
	assert_true(student_cdf(INFINITY, 5) == 1 && student_cdf(-INFINITY, 5) == 0);
	assert_true(isnan(student_cdf(1, 0)) && isnan(student_cdf(NAN, 5)));
	assert_true(isnan(student_quantile(0.9, -1)) && isnan(student_quantile(2, 5)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_beta_function_is_a_tail_of_the_binomial),
		cmocka_unit_test(the_beta_function_ends_at_0_and_1),
		cmocka_unit_test(one_and_two_degrees_have_closed_forms),
		cmocka_unit_test(quantiles_are_those_of_the_tables),
		cmocka_unit_test(many_degrees_are_the_normal_distribution),
		cmocka_unit_test(the_two_tails_are_alike),
		cmocka_unit_test(outside_the_domain_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
