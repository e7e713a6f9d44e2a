/* SPDX-License-Identifier: Apache-2.0 */
/* Published cases, what can be counted by hand, and how many pairs a claim takes. */
#include "test.h"

#include "number.h"
#include "base/cleanup.h"
#include "statistics/correction.h"
#include "statistics/paired.h"
#include "statistics/power.h"
#include "statistics/student.h"

/* Student's sleep data: second drug minus first. */
static const double gained[] = { 1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4 };

TEST(students_data_have_the_p_that_r_prints)
{
	assert_close(paired_p(gained, 10), 0.00283289, 1e-5);
}

TEST(an_equal_difference_in_every_pair_is_certain_and_none_at_all_is_no_change)
{
	assert_true(paired_p((double[]){ 2, 2, 2 }, 3) == 0);
	assert_true(paired_p((double[]){ 0, 0, 0 }, 3) == 1);
	assert_true(isnan(paired_p(gained, 1)));
	assert_true(isnan(paired_p((double[]){ 1, NAN }, 2)));
}

TEST(a_bound_moves_the_question)
{
	assert_close(paired_p_above(gained, 10, 0), 0.00283289 / 2, 1e-5);
	assert_true(paired_p_above(gained, 10, 1.58) > 0.499 && paired_p_above(gained, 10, 1.58) < 0.501);
}

TEST(sign_flips_of_six_pairs_reach_two_in_sixty_four_and_no_less)
{
	assert_close(sign_flip_p((double[]){ 1, 2, 3, 4, 5, 6 }, 6), 2.0 / 64, 1e-12);
	assert_close(sign_flip_p((double[]){ 5, 6, 7 }, 3), 0.25, 1e-12);
	assert_close(sign_flip_p((double[]){ 1, -1 }, 2), 1, 1e-12);
	assert_true(isnan(sign_flip_p(gained, 0)));
}

TEST(sign_flips_agree_with_a_count_of_all_signs)
{
	const double differences[] = { 0.3, -0.1, 0.25, 0.7, 0.05, -0.2, 0.4 };
	double sum = 0;
	unsigned reached = 0;

	for (unsigned i = 0; i < 7; i++)
		sum += differences[i];
	for (unsigned signs = 0; signs < 128; signs++) {
		double other = 0;

		for (unsigned i = 0; i < 7; i++)
			other += signs >> i & 1 ? differences[i] : -differences[i];
		reached += fabs(other) >= fabs(sum) - 1e-9;
	}
	assert_close(sign_flip_p(differences, 7), reached / 128.0, 1e-12);
}

/* The example of Benjamini and Hochberg's paper: four of fifteen at 5 %. */
TEST(the_correction_finds_what_its_authors_found)
{
	double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
		       0.7590, 1.0 };
	unsigned found = 0;

	correct_false_discovery(p, ARRAY_LENGTH(p));
	for (size_t i = 0; i < ARRAY_LENGTH(p); i++)
		found += p[i] <= 0.05;
	assert_int_equal(found, 4);
	assert_close(p[0], 0.0015, 1e-9);
	assert_close(p[3], 0.035625, 1e-9);
}

TEST(what_was_not_tested_does_not_make_the_family_larger)
{
	double p[] = { NAN, 0.02, NAN, 0.04 };

	correct_false_discovery(p, 4);
	assert_true(isnan(p[0]) && isnan(p[2]));
	assert_close(p[1], 0.04, 1e-12);
	assert_close(p[3], 0.04, 1e-12);
}

/* n = 2 ((1.96 + 0.84) s / d)^2 and more at small n: of one deviation, ten pairs are well known to be needed. */
TEST(ten_pairs_show_one_deviation)
{
	assert_int_equal(power_pairs(1, 1, 0.05, 0.8), 10);
	assert_int_equal(power_pairs(1, -1, 0.05, 0.8), 10);
	assert_int_equal(power_pairs(1, 0, 0.05, 0.8), 0);
	assert_int_equal(power_pairs(1, 1e-6, 0.05, 0.8), POWER_PAIRS_MOST + 1);
	assert_true(power_pairs(0.01, 1, 0.05, 0.8) <= 3);
}

TEST(the_effect_that_pairs_show_and_the_pairs_that_show_it_agree)
{
	for (size_t pairs = 3; pairs < 60; pairs += 7) {
		double effect = power_effect(2.5, pairs, 0.05, 0.9);

		assert_int_equal(power_pairs(2.5, effect * 1.0001, 0.05, 0.9), pairs);
	}
}
