/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts over three arms: cpu-cost, cpu-shortage, lock-contention, memory-pressure, remote-dependency, storage-bursts. */
#include "test.h"

#include "hypothesis/hypothesis.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 6 };

/* Around a mean, by up to a share of it, in an order of its own. */
static void around(double values[PAIRS], double mean, double spread, unsigned turn)
{
	static const double steps[PAIRS] = { -1, 0.6, -0.4, 1, -0.6, 0.4 };

	for (unsigned i = 0; i < PAIRS; i++)
		values[i] = mean * (1 + spread * steps[(i + turn) % PAIRS]);
}

struct three { double baseline[PAIRS], candidate[PAIRS], restored[PAIRS]; };

static struct moved moved_of(struct three *three, const char *name, double by, double baseline, double candidate, double restored,
			     double spread)
{
	around(three->baseline, baseline, spread, 0);
	around(three->candidate, candidate, spread, 1);
	around(three->restored, restored, spread, 2);
	return (struct moved){ .name = name, .unit = "ns", .by = by, .baseline = three->baseline, .candidate = three->candidate,
			       .restored = three->restored };
}

static struct conclusion judged(struct moved *moved, size_t count, size_t pairs, const char *refused)
{
	struct judging judging = { .moved = moved, .count = count, .pairs = pairs, .pairs_least = 6, .refused = refused };
	struct conclusion conclusion;

	hypothesis_judge(&judging, &conclusion);
	assert_true(*conclusion.why);
	return conclusion;
}

TEST(what_rises_and_falls_back_together_is_supported)
{
	struct three disk, lock, cpu;
	struct moved moved[] = { moved_of(&disk, "disk", 2, 10, 42, 10.2, 0.05), moved_of(&lock, "lock", 1, 2, 10, 2.05, 0.05),
				 moved_of(&cpu, "oncpu", 0.1, 8, 7.4, 7.3, 0.03) };

	moved[2].must_not = true;
	assert_int_equal(judged(moved, 3, PAIRS, NULL).judgement, JUDGED_SUPPORTED);
	assert_true(fabs(moved[0].rise.estimate - 3.2) < 0.1);
	assert_int_equal(moved[0].is_back, ANSWER_YES);
}

TEST(what_does_not_fall_back_rejects)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 42, 41, 0.05);
	struct conclusion conclusion = judged(&moved, 1, PAIRS, NULL);

	assert_int_equal(conclusion.judgement, JUDGED_REJECTED);
	assert_non_null(strstr(conclusion.why, "disk"));
}

TEST(what_did_not_rise_as_predicted_rejects)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 11, 10, 0.02);

	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_REJECTED);
}

TEST(what_must_not_rise_and_does_rejects)
{
	struct three disk, cpu;
	struct moved moved[] = { moved_of(&disk, "disk", 2, 10, 42, 10.2, 0.05), moved_of(&cpu, "oncpu", 0.1, 8, 12, 8, 0.03) };

	moved[1].must_not = true;
	assert_int_equal(judged(moved, 2, PAIRS, NULL).judgement, JUDGED_REJECTED);
}

TEST(what_falls_back_to_another_place_is_drift)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 0.5, 10, 42, 16, 0.03);

	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_DRIFT);
}

TEST(below_the_baseline_is_drift_unless_the_release_lowers_it_too)
{
	struct three ready;
	struct moved moved = moved_of(&ready, "runnable", 0.5, 4, 20, 2.5, 0.03);

	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_DRIFT);
	moved.may_be_lower = true;
	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_SUPPORTED);
}

TEST(three_pairs_describe_and_say_how_many_would_decide)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 42, 10, 0.05);
	struct conclusion conclusion = judged(&moved, 1, 3, NULL);

	assert_int_equal(conclusion.judgement, JUDGED_INCONCLUSIVE);
	assert_true(conclusion.pairs_needed >= 6);
}

TEST(pairs_that_cannot_tell_are_inconclusive_and_need_more)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 0.2, 10, 12.5, 10.1, 0.3);
	struct conclusion conclusion = judged(&moved, 1, PAIRS, NULL);

	assert_int_equal(conclusion.judgement, JUDGED_INCONCLUSIVE);
	assert_true(conclusion.pairs_needed > 6);
}

/* Ratios between e^-2 and e^2 around 1, against a margin of 1.5: (2 * (1.96 + 0.84) / log 1.5)^2 is 191. Taken as a difference, that
 * interval reaches from -0.9 to +7 and asks for more than twice as many. */
TEST(pairs_needed_are_found_on_the_scale_of_the_ratio)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 100, 10, 0);

	moved.may_be_lower = true;              /* only the upper margin counts */
	for (unsigned i = 0; i < PAIRS; i++)
		disk.restored[i] = disk.baseline[i] * exp(i % 2 ? 1.826 : -1.826);
	(void)judged(&moved, 1, PAIRS, NULL);
	assert_int_equal(moved.is_back, ANSWER_UNCLEAR);
	assert_in_range(moved.pairs_needed, 170, 215);
}

TEST(too_few_pairs_say_what_a_verdict_takes_and_what_the_spread_asks_for)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 42, 10, 0.05);

	assert_non_null(strstr(judged(&moved, 1, 3, NULL).why, "3 pairs describe; a verdict takes 6 pairs or more"));
	moved.restored = disk.candidate;
	for (unsigned i = 0; i < 3; i++)
		disk.candidate[i] = disk.baseline[i] * exp(i * 3.0);
	assert_non_null(strstr(judged(&moved, 1, 3, NULL).why, "and at the spread of these"));
}

TEST(evidence_that_may_not_speak_is_inconclusive_whatever_it_says)
{
	struct three disk;
	struct moved moved = moved_of(&disk, "disk", 2, 10, 42, 10, 0.05);
	struct conclusion conclusion = judged(&moved, 1, PAIRS, "events were lost");

	assert_int_equal(conclusion.judgement, JUDGED_INCONCLUSIVE);
	assert_non_null(strstr(conclusion.why, "events were lost"));
}

TEST(what_the_baseline_had_none_of_is_judged_by_differences)
{
	struct three lock;
	struct moved moved = moved_of(&lock, "lock", 4, 0, 10, 0.1, 0.1);

	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_SUPPORTED);
	assert_true(moved.from_nothing);
	moved = moved_of(&lock, "lock", 4, 0, 10, 9, 0.05);
	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_REJECTED);
}

TEST(numbers_that_are_not_known_decide_nothing)
{
	struct three tail;
	struct moved moved = moved_of(&tail, "p99", 0.5, 10, 42, 10, 0.05);

	tail.baseline[3] = NAN;
	assert_int_equal(judged(&moved, 1, PAIRS, NULL).judgement, JUDGED_INCONCLUSIVE);
	assert_int_equal(judged(NULL, 0, PAIRS, NULL).judgement, JUDGED_INCONCLUSIVE);
}

TEST(every_row_says_why_and_predicts_something)
{
	for (const struct hypothesis *const *row = hypotheses; *row; row++) {
		assert_true(*(*row)->summary && *(*row)->mechanism && *(*row)->change);
		assert_non_null((*row)->must_move[0].name);
		assert_ptr_equal(hypothesis_find((*row)->name), *row);
		for (const struct prediction *prediction = (*row)->must_move; prediction->name; prediction++)
			assert_true(prediction->by > 0);
	}
	assert_null(hypothesis_find("magic"));
	assert_string_equal(judgement_name(JUDGED_DRIFT), "drift");
	assert_string_equal(answer_name(ANSWER_NO), "no");
}
