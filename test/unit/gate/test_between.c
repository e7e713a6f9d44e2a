/* SPDX-License-Identifier: Apache-2.0 */
/* The gates between captures: each passes what is alike, and names the number by which it refuses. */
#include "gate/gate.h"

#include <math.h>
#include <string.h>

#include "profile/summary.h"
#include "test.h"

static struct summary alike(void)
{
	struct summary summary = { .correct = 1000, .unit = "request", .state = "nominal", .unresolved_fraction = 0.01,
				   .complete_fraction = 0.99, .unknown_fraction = 0, .lost_fraction = 0, .included_running = 1,
				   .included_waiting = 0.98, .pairs = 6, .matched_fraction = 0.99, .sampling_period = 1e7 };

	summary.population[summary.population_count++] = (struct summary_fact){ "workload", "checkout" };
	summary.sampling[summary.sampling_count++] = (struct summary_fact){ "oncpu", "cpu-clock" };
	return summary;
}

static enum verdict judge(const char *name, const struct summary *one, const struct summary *other, const char *says)
{
	const struct gate *gate = gate_find(name);
	struct reading reading;

	assert_non_null(gate);
	assert_true(gate->between);
	gate_read(gate, gate->limit, one, other, &reading);
	if (says && !strstr(reading.why, says))
		print_error("%s says: %s\n", name, reading.why);
	assert_true(!says || strstr(reading.why, says));
	return reading.verdict;
}

TEST(what_is_alike_passes_every_gate)
{
	struct summary one = alike(), other = alike();

	for (const struct gate *const *gate = gates; *gate; gate++)
		if ((*gate)->between)
			assert_int_equal(judge((*gate)->name, &one, &other, NULL), VERDICT_PASS);
}

TEST(equal_unit_refuses_raw_totals_and_other_units)
{
	struct summary one = alike(), other = alike();

	other.correct = 0;
	assert_int_equal(judge("equal-unit", &one, &other, "raw totals"), VERDICT_UNMEASURED);
	other = alike();
	strcpy(other.unit, "byte");
	assert_int_equal(judge("equal-unit", &one, &other, "'byte'"), VERDICT_FAIL);
}

TEST(equal_state_refuses_another_state_and_warns_of_none)
{
	struct summary one = alike(), other = alike();

	strcpy(other.state, "overload");
	assert_int_equal(judge("equal-state", &one, &other, "'overload'"), VERDICT_FAIL);
	other.state[0] = '\0';
	assert_int_equal(judge("equal-state", &one, &other, "does not say"), VERDICT_UNMEASURED);
	one.state[0] = '\0';
	assert_int_equal(judge("equal-state", &one, &other, "you have to know"), VERDICT_WARN);
}

TEST(equal_population_refuses_another_workload_and_another_share_of_errors)
{
	struct summary one = alike(), other = alike();

	strcpy(other.population[0].value, "search");
	assert_int_equal(judge("equal-population", &one, &other, "'search'"), VERDICT_FAIL);
	other.population_count = 0;
	assert_int_equal(judge("equal-population", &one, &other, NULL), VERDICT_PASS);
	other.incorrect = 100;
	assert_int_equal(judge("equal-population", &one, &other, "not correct"), VERDICT_FAIL);
}

TEST(equal_sampling_refuses_another_event_and_corrects_another_rate)
{
	struct summary one = alike(), other = alike();

	other.sampling_period = 1e6;
	assert_int_equal(judge("equal-sampling", &one, &other, "corrected"), VERDICT_PASS);
	strcpy(other.sampling[0].value, "cycles");
	assert_int_equal(judge("equal-sampling", &one, &other, "'cycles'"), VERDICT_FAIL);
}

TEST(equal_resolution_refuses_fewer_names_and_what_only_one_knows)
{
	struct summary one = alike(), other = alike();

	other.unresolved_fraction = 0.04;
	assert_int_equal(judge("equal-resolution", &one, &other, "unresolved frames"), VERDICT_FAIL);
	other.unresolved_fraction = NAN;
	assert_int_equal(judge("equal-resolution", &one, &other, "one capture only"), VERDICT_UNMEASURED);
	one.unresolved_fraction = NAN;
	assert_int_equal(judge("equal-resolution", &one, &other, NULL), VERDICT_PASS);
}

TEST(equal_resolution_takes_no_difference_that_few_stacks_explain_for_one)
{
	struct summary one = alike(), other = alike();

	other.complete_fraction = 0.94;
	assert_int_equal(judge("equal-resolution", &one, &other, "complete stacks"), VERDICT_FAIL);
	one.complete_error = other.complete_error = 0.01;
	assert_int_equal(judge("equal-resolution", &one, &other, NULL), VERDICT_PASS);
	other.complete_fraction = 0.8;
	assert_int_equal(judge("equal-resolution", &one, &other, "complete stacks"), VERDICT_FAIL);
}

TEST(equal_inclusion_refuses_unknown_periods_and_what_chance_does_not_explain)
{
	struct summary one = alike(), other = alike();

	other.included_waiting = 0.9;
	assert_int_equal(judge("equal-inclusion", &one, &other, "stacks of waits"), VERDICT_FAIL);
	other.included_waiting_error = 0.03;
	assert_int_equal(judge("equal-inclusion", &one, &other, NULL), VERDICT_PASS);
	other = alike();
	other.lost_fraction = 0.05;
	assert_int_equal(judge("equal-inclusion", &one, &other, "lost events"), VERDICT_FAIL);
	other.inclusion_unknown = true;
	assert_int_equal(judge("equal-inclusion", &one, &other, "unknown"), VERDICT_UNMEASURED);
}

TEST(matched_frames_and_enough_pairs_ask_for_at_least)
{
	struct summary one = alike(), other = alike();

	one.matched_fraction = 0.94;
	assert_int_equal(judge("matched-frames", &one, &other, "94.0 %"), VERDICT_FAIL);
	one.matched_fraction = NAN;
	assert_int_equal(judge("matched-frames", &one, &other, "no stacks"), VERDICT_PASS);
	one.pairs = 5;
	assert_int_equal(judge("enough-pairs", &one, &other, "5 matched pairs"), VERDICT_FAIL);
}
