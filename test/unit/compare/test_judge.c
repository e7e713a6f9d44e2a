/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The promises of the comparison, by simulation with fixed seeds through the very functions that diff calls: how often printed
 * intervals hold the truth, how often nothing is reported where nothing changed, how often a planted change is found. The
 * settings are those in which single captures fail: slices that are over-dispersed, that follow each other, runs that differ.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "compare/judge.h"

/* --- Chance: xorshift64*, so that every machine draws the same ------------------------------------------------------------- */

static uint64_t seed;

static double uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double)((seed * 0x2545f4914f6cdd1dull) >> 11) + 0.5) / 9007199254740992.0;
}

static double gaussian(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Knuth's below 10, else the normal approximation, which is near enough here. */
static double poisson(double mean)
{
	double limit = exp(-mean), product = 1, count = -1;

	if (mean > 10)
		return fmax(0, floor(mean + sqrt(mean) * gaussian() + 0.5));
	do {
		product *= uniform();
		count++;
	} while (product > limit);
	return count;
}

/* --- Coverage ---------------------------------------------------------------------------------------------------------------- */

struct setting {
	const char *name;
	double spread, correlation, run_effect;      /* of slices, of each with the one before, of whole runs */
};

static const struct setting settings[] = {
	{ "independent slices", 0, 0, 0 },
	{ "over-dispersed", 0.3, 0, 0 },
	{ "and autocorrelated", 0.3, 0.8, 0 },
	{ "and a run effect of 3 %", 0.3, 0.8, 0.03 },
	{ "only a run effect of 3 %", 0, 0, 0.03 },
	{ "only a run effect of 5 %", 0, 0, 0.05 },
};

enum { PAIRS = 6, SLICES = 10 };             /* 60 slices of a second a side: the same capture time in every setting */

/* One capture: samples per completion, where a frame takes `cost` of them on average. */
static double capture(const struct setting *setting, double cost)
{
	double samples = 0, completions = 0, level = setting->spread * gaussian();
	double run = exp(setting->run_effect * gaussian());

	for (int i = 0; i < SLICES; i++) {
		double work = poisson(200 * (1 + 0.2 * sin(i)));

		level = setting->correlation * level + sqrt(1 - pow(setting->correlation, 2)) * setting->spread * gaussian();
		completions += work;
		samples += poisson(cost * work * run * exp(level - 0.5 * pow(setting->spread, 2)));
	}
	return samples / completions;
}

enum { TRIALS = 1200 };

static void cover(const struct setting *setting, double *ret_difference, double *ret_ratio)
{
	unsigned by_difference = 0, by_ratio = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		double base[PAIRS], candidate[PAIRS];
		struct judged judged = { 0 };

		for (int i = 0; i < PAIRS; i++) {
			base[i] = capture(setting, 0.05);
			candidate[i] = capture(setting, 0.05);
		}
		judge_pairs(base, candidate, PAIRS, &judge_defaults, &judged);
		by_difference += judged.delta.low <= 0 && judged.delta.high >= 0;
		by_ratio += judged.ratio.low <= 0 && judged.ratio.high >= 0;
	}
	*ret_difference = (double)by_difference / TRIALS;
	*ret_ratio = (double)by_ratio / TRIALS;
}

TEST(intervals_of_six_pairs_hold_the_truth_as_often_as_they_say)
{
	for (size_t i = 0; i < ARRAY_LENGTH(settings); i++) {
		double of_difference, of_ratio;

		seed = 20260101 + i;
		cover(&settings[i], &of_difference, &of_ratio);
		print_message("%-26s difference %.3f, ratio %.3f\n", settings[i].name, of_difference, of_ratio);
		assert_true(of_difference >= 0.93 && of_difference <= 0.97);
		assert_true(of_ratio >= 0.93 && of_ratio <= 0.97);
	}
}

/* --- Frames ------------------------------------------------------------------------------------------------------------------- */

/* A tree of 1111 nodes: ten children each, leaves by Zipf's law; each arm has 20,000 samples over 1,000 completions. */
enum { NODES = 1111, LEAVES = 1000, FIRST_LEAF = NODES - LEAVES, NULL_RUNS = 300, PLANTED_RUNS = 100, SAMPLES = 20000, COMPLETIONS = 1000 };

static double leaf_shares[LEAVES];

static uint32_t parent_of(uint32_t node)
{
	return (node - 1) / 10;
}

static void make_shares(void)
{
	double sum = 0;
	uint32_t order[LEAVES];

	for (uint32_t i = 0; i < LEAVES; i++)
		order[i] = i;
	for (uint32_t i = LEAVES - 1; i > 0; i--) {          /* heavy leaves are spread over the tree */
		uint32_t other = (uint32_t)(uniform() * (i + 1)), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < LEAVES; i++)
		sum += leaf_shares[order[i]] = 1.0 / (i + 5);
	for (uint32_t i = 0; i < LEAVES; i++)
		leaf_shares[i] /= sum;
}

static void run_arm(double *weights, uint32_t planted, double factor)
{
	double run = exp(0.02 * gaussian());

	memset(weights, 0, NODES * sizeof(*weights));
	for (uint32_t i = 0; i < LEAVES; i++) {
		double mean = SAMPLES * leaf_shares[i] * run * exp(0.03 * gaussian()) * (i == planted ? factor : 1);

		weights[FIRST_LEAF + i] = poisson(mean) / COMPLETIONS;
	}
	for (uint32_t node = NODES; node-- > 1;)
		weights[parent_of(node)] += weights[node];
}

struct trial { size_t tested, found, found_unrelated; bool found_planted, found_shrunk; };

static bool is_above(uint32_t node, uint32_t below)
{
	while (below > node)
		below = parent_of(below);
	return below == node;
}

/* As comparison_find_stacks() does: above half a percent of the pooled weight, then one family. */
static struct trial run_trial(uint32_t planted, double factor)
{
	static double base[PAIRS][NODES], candidate[PAIRS][NODES];
	static struct judged judged[NODES];
	struct judged *family[NODES];
	uint32_t nodes[NODES];
	struct trial trial = { 0 };

	for (int i = 0; i < PAIRS; i++) {
		run_arm(base[i], planted, 1);
		run_arm(candidate[i], planted, factor);
	}
	for (uint32_t node = 0; node < NODES; node++) {
		double values[2][PAIRS], pooled = 0, whole = 0;

		for (int i = 0; i < PAIRS; i++) {
			values[0][i] = base[i][node];
			values[1][i] = candidate[i][node];
			pooled += base[i][node] + candidate[i][node];
			whole += base[i][0] + candidate[i][0];
		}
		if (pooled < 0.005 * whole)
			continue;
		judged[trial.tested] = (struct judged){ 0 };
		judge_pairs(values[0], values[1], PAIRS, &judge_defaults, &judged[trial.tested]);
		nodes[trial.tested] = node;
		family[trial.tested] = &judged[trial.tested];
		trial.tested++;
	}
	judge_family(family, trial.tested, &judge_defaults);
	for (size_t i = 0; i < trial.tested; i++) {
		bool found = judged[i].change == CHANGE_GREW || judged[i].change == CHANGE_SHRANK;

		trial.found += found;
		trial.found_shrunk |= judged[i].change == CHANGE_SHRANK;
		trial.found_planted |= found && nodes[i] == FIRST_LEAF + planted;
		trial.found_unrelated += found && !is_above(nodes[i], FIRST_LEAF + planted);
	}
	return trial;
}

/* The leaf whose share is nearest to 2.8 %. */
static uint32_t leaf_of_share(double share)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < LEAVES; i++)
		if (fabs(leaf_shares[i] - share) < fabs(leaf_shares[best] - share))
			best = i;
	return best;
}

TEST(where_nothing_changed_at_most_one_run_in_twenty_reports_a_frame)
{
	unsigned runs = 0;
	size_t tested = 0;

	seed = 7;
	make_shares();
	for (int i = 0; i < NULL_RUNS; i++) {
		struct trial trial = run_trial(0, 1);

		runs += trial.found > 0;
		tested += trial.tested;
	}
	print_message("no change: %u of %d runs report a frame; %zu frames tested on average\n", runs, NULL_RUNS, tested / NULL_RUNS);
	assert_true(runs <= 0.05 * NULL_RUNS);
}

TEST(a_leaf_that_costs_half_more_is_found_and_little_else_is)
{
	unsigned found = 0;
	double false_share = 0;
	uint32_t leaf;

	seed = 11;
	make_shares();
	leaf = leaf_of_share(0.028);
	for (int i = 0; i < PLANTED_RUNS; i++) {
		struct trial trial = run_trial(leaf, 1.5);

		found += trial.found_planted;
		false_share += trial.found ? (double)trial.found_unrelated / (double)trial.found : 0;
	}
	print_message("planted +50 %% at %.2f %% of the weight: power %.3f, false share %.3f\n", 100 * leaf_shares[leaf], found / (double)PLANTED_RUNS,
		      false_share / PLANTED_RUNS);
	assert_true(found >= 0.95 * PLANTED_RUNS);
	assert_true(false_share / PLANTED_RUNS <= 0.05);
}

/* --- Outcomes ------------------------------------------------------------------------------------------------------------------ */

static struct judged judge_one(const double *base, const double *candidate, size_t pairs, double margin)
{
	struct judge_options options = judge_defaults;
	struct judged judged = { 0 }, *family[] = { &judged };

	options.margin = margin;
	judge_pairs(base, candidate, pairs, &options, &judged);
	judge_family(family, 1, &options);
	return judged;
}

TEST(three_pairs_decide_nothing_however_clear_and_say_how_many_would)
{
	const double base[] = { 10, 11, 10 }, candidate[] = { 42, 43, 41 };
	struct judged judged = judge_one(base, candidate, 3, 0.03);

	assert_int_equal(judged.change, CHANGE_UNCLEAR);
	assert_int_equal(judged.more_pairs, 3);
	assert_true(judged.p < 0.01);
}

TEST(six_pairs_decide_what_grew_what_shrank_and_what_stayed)
{
	const double base[] = { 10, 11, 10, 10.5, 9.8, 10.2 }, grown[] = { 42, 43, 41, 44, 42, 40 };
	const double same[] = { 10.02, 10.99, 10.01, 10.49, 9.81, 10.21 };

	assert_int_equal(judge_one(base, grown, 6, 0.03).change, CHANGE_GREW);
	assert_int_equal(judge_one(grown, base, 6, 0.03).change, CHANGE_SHRANK);
	assert_int_equal(judge_one(base, same, 6, 0.03).change, CHANGE_EQUIVALENT);
	assert_int_equal(judge_one(base, base, 6, 0.03).change, CHANGE_EQUIVALENT);
	assert_int_equal(judge_one((double[6]){ 0 }, (double[6]){ 0 }, 6, 0.03).change, CHANGE_EQUIVALENT);
}

TEST(no_difference_shown_is_not_equivalence)
{
	const double base[] = { 10, 14, 8, 12, 9, 13 }, other[] = { 12, 9, 11, 10, 13, 11 };
	struct judged judged = judge_one(base, other, 6, 0.03);

	assert_int_equal(judged.change, CHANGE_UNCLEAR);
	assert_true(judged.more_pairs > 6);
}

TEST(a_change_of_spread_alone_is_never_equivalent)
{
	const double base[] = { 100, 100.01, 99.99, 100, 100.01, 99.99, 100, 100 };
	const double wide[] = { 101.5, 98.5, 101.4, 98.6, 101.5, 98.4, 101.6, 98.5 };
	struct judged judged = judge_one(base, wide, 8, 0.03);

	assert_int_equal(judged.change, CHANGE_UNCLEAR);
	assert_true(judged.uneven);
}

TEST(a_few_large_values_on_one_side_are_never_equivalent)
{
	double base[20], candidate[20];
	struct judged judged;

	for (int i = 0; i < 20; i++)
		base[i] = candidate[i] = 100 + i % 5 * 0.1;
	candidate[3] = 109;
	candidate[11] = 108;
	judged = judge_one(base, candidate, 20, 0.03);
	assert_int_equal(judged.change, CHANGE_UNCLEAR);
	assert_true(judged.uneven);
}

TEST(a_row_named_beforehand_is_tested_by_itself)
{
	static struct judged crowd[200];
	struct judged *family[201];
	const double base[] = { 10, 10.3, 9.8, 10.1, 10.2, 9.9 }, candidate[] = { 10.6, 10.8, 10.1, 10.9, 10.5, 10.9 };
	struct judged named = { .alone = true };

	for (size_t i = 0; i < 200; i++) {
		crowd[i].p = 0.9;
		family[i] = &crowd[i];
	}
	family[200] = &named;
	judge_pairs(base, candidate, 6, &judge_defaults, &named);
	judge_family(family, 201, &judge_defaults);
	assert_int_equal(named.change, CHANGE_GREW);
	named.alone = false;
	judge_family(family, 201, &judge_defaults);
	assert_int_equal(named.change, CHANGE_UNCLEAR);
	assert_true(judged_excludes_zero(&named));
}
