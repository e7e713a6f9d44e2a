/* SPDX-License-Identifier: Apache-2.0 */
/* Against the exact power of the paired t test (non-central t, as G*Power 3.1 prints it), against what the formula is the inverse of, and
 * against experiments. */
#include "number.h"

#include <math.h>
#include <stdint.h>

#include "statistics/paired.h"
#include "statistics/power.h"

static void as_many_pairs_as_the_exact_power_asks_for(void **state)
{
	static const struct { double effect, power; size_t pairs; } rows[] = {
		{ 0.2, 0.8, 199 }, { 0.5, 0.8, 34 }, { 0.8, 0.8, 15 }, { 1, 0.8, 10 }, { 0.5, 0.95, 54 }, { 0.5, 0.9, 44 }, { 0.8, 0.95, 23 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t pairs = power_pairs(1, rows[i].effect, 0.05, rows[i].power);

		assert_in_range(pairs, rows[i].pairs - 1, rows[i].pairs + 1);           /* the formula approximates */
	}
}

static void the_sign_and_the_unit_do_not_matter(void **state)
{
	(void)state;
	assert_int_equal(power_pairs(1, -0.5, 0.05, 0.8), power_pairs(1, 0.5, 0.05, 0.8));
	assert_int_equal(power_pairs(7e6, 3.5e6, 0.05, 0.8), power_pairs(1, 0.5, 0.05, 0.8));
}

static void the_effect_is_the_inverse_of_the_pairs(void **state)
{
	(void)state;
	for (size_t pairs = 3; pairs < 200; pairs += 7) {
		double effect = power_effect(1, pairs, 0.05, 0.8);

		assert_int_equal(power_pairs(1, effect * 1.0001, 0.05, 0.8), pairs);
		assert_int_equal(power_pairs(1, effect * 0.9999, 0.05, 0.8), pairs + 1);
	}
}

static void what_cannot_be_said_is_not_said(void **state)
{
	(void)state;
	assert_int_equal(power_pairs(1, 0, 0.05, 0.8), 0);
	assert_int_equal(power_pairs(NAN, 1, 0.05, 0.8), 0);
	assert_int_equal(power_pairs(INFINITY, 1, 0.05, 0.8), 0);
	assert_int_equal(power_pairs(1, 1e-6, 0.05, 0.8), POWER_PAIRS_MOST + 1);
	assert_int_equal(power_pairs(0, 1, 0.05, 0.8), 2);
	assert_true(isnan(power_effect(1, 1, 0.05, 0.8)));
}

static double random_normal(uint64_t *seed)
{
	double uniform[2];

	for (int i = 0; i < 2; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		uniform[i] = ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
	}
	return sqrt(-2 * log(uniform[0])) * cos(2 * M_PI * uniform[1]);
}

/* 4000 experiments tell a share of 0.8 within 0.013 in 95 of 100; the seed is fixed. */
static void so_many_experiments_show_it(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (double effect = 0.4; effect < 1.3; effect += 0.4) {
		size_t pairs = power_pairs(1, effect, 0.05, 0.8), shown = 0;
		double differences[64];

		assert_in_range(pairs, 2, 64);
		for (int experiment = 0; experiment < 4000; experiment++) {
			for (size_t i = 0; i < pairs; i++)
				differences[i] = effect + random_normal(&seed);
			shown += paired_p(differences, pairs) < 0.05;
		}
		assert_true((double)shown / 4000 > 0.78 && (double)shown / 4000 < 0.86);
	}
}

/* What a pilot of k runs finds differs: over all that it may find, so many experiments show the effect all the same. */
static void a_pilot_that_may_be_wrong_is_allowed_for(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int runs = 3; runs <= 12; runs *= 2) {
		double shown = 0, told = 0;

		for (int pilot = 0; pilot < 400; pilot++) {
			double sum = 0, squares = 0, deviation;

			for (int i = 0; i < runs; i++) {
				double value = random_normal(&seed);

				sum += value;
				squares += value * value;
			}
			deviation = sqrt((squares - sum * sum / runs) / (runs - 1));
			shown += power_of(0.7, INFINITY, power_pairs_estimated(deviation, runs - 1, 0.7, 0.05, 0.8), 0.05);
			told += power_of(0.7, INFINITY, power_pairs(deviation, 0.7, 0.05, 0.8), 0.05);
		}
		assert_true(shown / 400 > 0.77 && shown / 400 < 0.84);
		assert_true(told < shown);
	}
	for (double freedom = 2; freedom < 9000; freedom *= 3)          /* a certain effect is always shown */
		assert_true(fabs(power_of(1e4, freedom, 6, 0.05) - 1) < 0.002);
	assert_true(fabs(power_effect_estimated(1, INFINITY, 9, 0.05, 0.8) - power_effect(1, 9, 0.05, 0.8)) < 1e-6);
	assert_true(power_effect_estimated(1, 2, 9, 0.05, 0.8) > 1.3 * power_effect(1, 9, 0.05, 0.8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_pairs_as_the_exact_power_asks_for), cmocka_unit_test(the_sign_and_the_unit_do_not_matter),
		cmocka_unit_test(the_effect_is_the_inverse_of_the_pairs),    cmocka_unit_test(what_cannot_be_said_is_not_said),
		cmocka_unit_test(so_many_experiments_show_it),		     cmocka_unit_test(a_pilot_that_may_be_wrong_is_allowed_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
