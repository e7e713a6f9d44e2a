/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each gate is shown what it must let pass, what it must fail, and what it must call unmeasured.
 */
#include "gate/gate.h"

#include "profile/summary.h"
#include "result/document.h"
#include "test.h"
#include "unit/profile_builder.h"

#include <math.h>

/* A capture without fault: every gate passes. */
static struct summary good(void)
{
	return (struct summary){
		.wall_ns = 10e9,
		.thread_ns = 40e9,
		.accounted_ns = 40e9,
		.oncpu_ns = 12e9,
		.waiting_ns = 20e9,
		.idle_ns = 8e9,
		.events_seen = 1e6,
		.stack_weight = 30e9,
		.complete_fraction = 1,
		.sampled_oncpu_ns = 12e9,
		.sampled_oncpu_expected_ns = 12e9,
		.multiplexed_fraction = NAN,
		.runtime_error_fraction = 0.001,
		.runtime_threads = 2,
		.overhead_suspected = 0.03,
		.waits = 1000,
	};
}

static struct reading reading_of(const char *name, const struct summary *summary)
{
	const struct gate *gate = gate_find(name);
	struct reading reading;

	assert_non_null(gate);
	gate_read(gate, gate->limit, summary, NULL, &reading);
	assert_true(*reading.why);
	return reading;
}

static void expect(const char *name, const struct summary *summary, enum verdict verdict)
{
	struct reading reading = reading_of(name, summary);

	if (reading.verdict != verdict)
		print_error("%s: %s (%s), not %s\n", name, verdict_name(reading.verdict),
			    reading.why, verdict_name(verdict));
	assert_int_equal(reading.verdict, verdict);
}

struct scene {
	const char *gate;
	size_t field;                        /* of struct summary */
	double passes, fails;                /* just on either side of the limit */
	enum verdict without;                /* where it is NAN */
};

#define FIELD(name) offsetof(struct summary, name)
static const struct scene scenes[] = {
	{ "complete-stacks", FIELD(complete_fraction), 0.95, 0.9499, VERDICT_UNMEASURED },
	{ "conservation", FIELD(conservation_error_ns), 1000, 1001, VERDICT_UNMEASURED },
	{ "cut-intervals", FIELD(cut_fraction), 0.02, 0.0201, VERDICT_UNMEASURED },
	{ "lost-events", FIELD(lost_fraction), 0.01, 0.0101, VERDICT_UNMEASURED },
	{ "multiplexing", FIELD(multiplexed_fraction), 0.05, 0.0501, VERDICT_PASS },
	{ "overhead-effect", FIELD(overhead_worst), 0.03, 0.0301, VERDICT_PASS },
	{ "own-cost", FIELD(own_cost_fraction), 0.02, 0.0201, VERDICT_UNMEASURED },
	{ "runtime-agreement", FIELD(runtime_error_fraction), 0.01, 0.0101, VERDICT_PASS },
	{ "sampling-bias", FIELD(sampling_z), 4, 4.01, VERDICT_UNMEASURED },
	{ "sampling-bias", FIELD(sampling_z), -4, -4.01, VERDICT_UNMEASURED },
	{ "unknown-share", FIELD(unknown_fraction), 0.02, 0.0201, VERDICT_UNMEASURED },
	{ "unresolved-frames", FIELD(unresolved_fraction), 0.05, 0.0501, VERDICT_UNMEASURED },
	{ "wake-evidence", FIELD(no_waker_fraction), 0.005, 0.0051, VERDICT_PASS },
};

static double *field_of(struct summary *summary, size_t field)
{
	return (double *)((char *)summary + field);
}

TEST(each_gate_passes_up_to_its_limit_fails_beyond_and_says_when_it_cannot_know)
{
	for (size_t i = 0; i < ARRAY_LENGTH(scenes); i++) {
		const struct scene *scene = &scenes[i];
		struct summary summary = good();

		*field_of(&summary, scene->field) = scene->passes;
		expect(scene->gate, &summary, VERDICT_PASS);
		*field_of(&summary, scene->field) = scene->fails;
		expect(scene->gate, &summary, VERDICT_FAIL);
		*field_of(&summary, scene->field) = NAN;
		expect(scene->gate, &summary, scene->without);
	}
}

TEST(every_gate_has_a_scene)
{
	for (size_t i = 0; gates[i]; i++) {
		size_t found = 0;

		for (size_t j = 0; j < ARRAY_LENGTH(scenes); j++)
			found += !strcmp(scenes[j].gate, gates[i]->name);
		assert_true(found || gates[i]->between);         /* those have test_between.c */
	}
}

TEST(what_does_not_apply_is_said_and_not_confused_with_what_passed)
{
	struct summary summary = good();

	assert_non_null(strstr(reading_of("multiplexing", &summary).why, "does not apply"));
	summary.no_waker_fraction = NAN;
	assert_non_null(strstr(reading_of("wake-evidence", &summary).why, "does not apply"));
	summary.conservation_error_ns = NAN;
	expect("wake-evidence", &summary, VERDICT_UNMEASURED);
	expect("runtime-agreement", &summary, VERDICT_UNMEASURED);
}

TEST(lost_events_are_located)
{
	struct summary summary = good();
	struct reading reading;

	summary.events_lost = 5000;
	summary.lost_fraction = 0.2;
	summary.lost_slice_s = 7;
	(void)snprintf(summary.lost_source, sizeof(summary.lost_source), "stacks");
	reading = reading_of("lost-events", &summary);
	assert_non_null(strstr(reading.why, "stacks"));
	assert_non_null(strstr(reading.why, "7 s"));
}

static const struct table *judged(struct document *document, const struct summary *summary,
				  const struct gate_limit *limits, unsigned count,
				  enum verdict worst)
{
	assert_int_equal(gate_judge(summary, limits, count, document), worst);
	return document_find(document, "gates")->table;
}

TEST(the_worst_verdict_decides_and_fail_is_worse_than_unmeasured)
{
	struct document *document = document_new("crosscut.check/1", "test");
	struct summary summary = good();
	const struct table *table = judged(document, &summary, NULL, 0, VERDICT_PASS);

	for (size_t row = 0; row < table->row_count; row++) {
		assert_string_equal(table->cells[row * table->column_count + 1].text, "pass");
		assert_int_equal(table->cells[row * table->column_count + 6].kind, VALUE_NONE);
	}
	document_free(document);
	document = document_new("crosscut.check/1", "test");
	summary.complete_fraction = NAN;
	table = judged(document, &summary, NULL, 0, VERDICT_UNMEASURED);
	assert_int_equal(table->cells[6].kind, VALUE_TEXT);
	document_free(document);
	document = document_new("crosscut.check/1", "test");
	summary.own_cost_fraction = 0.5;
	(void)judged(document, &summary, NULL, 0, VERDICT_FAIL);
	document_free(document);
}

TEST(a_limit_that_is_given_replaces_the_default_and_the_last_one_holds)
{
	struct document *document = document_new("crosscut.check/1", "test");
	struct summary summary = good();
	const struct gate *cost = gate_find("own-cost");
	const struct gate_limit limits[] = { { cost, 0.01 }, { cost, 0.6 } };
	const struct table *table;

	summary.own_cost_fraction = 0.5;
	table = judged(document, &summary, limits, 2, VERDICT_PASS);
	for (size_t row = 0; row < table->row_count; row++)
		if (!strcmp(table->cells[row * table->column_count].text, "own-cost"))
			assert_true(fabs(table->cells[row * table->column_count + 3].number - 0.6) <
				    1e-12);
	document_free(document);
}

TEST(rows_are_sorted_named_and_say_what_to_do)
{
	for (size_t i = 0; gates[i]; i++) {
		assert_true(!i || strcmp(gates[i - 1]->name, gates[i]->name) < 0);
		assert_ptr_equal(gate_find(gates[i]->name), gates[i]);
		assert_true(*gates[i]->asks && *gates[i]->unit && *gates[i]->next);
	}
	assert_null(gate_find("lost"));
}

TEST(mercury_passes_but_for_what_nobody_verified)
{
	struct profile *profile = mercury(&mercury_candidate);
	struct summary summary;

	profile_freeze(profile);
	summary_of(profile, &summary);
	profile_free(profile);
	for (size_t i = 0; gates[i]; i++)
		if (!gates[i]->between)
			expect(gates[i]->name, &summary,
			       strcmp(gates[i]->name, "complete-stacks") ? VERDICT_PASS
								 : VERDICT_UNMEASURED);
}

/* One wake-up in a hundred goes missing: the times still add up, and the capture must not pass. */
TEST(a_capture_that_missed_one_percent_of_wake_ups_fails)
{
	struct profile *profile = mercury(&mercury_candidate);
	struct slice_id slice = mercury_slice_at(profile, 0);
	struct evidence_id missed = built_evidence(profile, "lock", EVIDENCE_NO_WAKER, WAKE_UNSEEN);
	struct evidence_id ended_itself = built_evidence(profile, "disk/read", EVIDENCE_IOWAIT | EVIDENCE_NO_WAKER, WAKE_UNSEEN);
	struct summary summary;

	for (uint32_t i = 1; i <= MERCURY_WORKERS; i++) {
		built_wait(profile, slice, (struct thread_id){ i }, missed, 0, 106, 0);
		built_wait(profile, slice, (struct thread_id){ i }, ended_itself, 0, 1060, 0);
	}
	profile_freeze(profile);
	summary_of(profile, &summary);
	profile_free(profile);
	assert_in_range((unsigned)(summary.no_waker_fraction * 10000), 90, 110);
	expect("wake-evidence", &summary, VERDICT_FAIL);
	expect("conservation", &summary, VERDICT_PASS);
}

TEST(a_profile_of_nothing_passes_no_gate_that_applies)
{
	struct profile *profile = profile_new();
	struct summary summary;

	profile_freeze(profile);
	summary_of(profile, &summary);
	profile_free(profile);
	for (size_t i = 0; gates[i]; i++)
		if (!gates[i]->between)
			expect(gates[i]->name, &summary,
			       strcmp(gates[i]->name, "multiplexing") && strcmp(gates[i]->name, "overhead-effect") ? VERDICT_UNMEASURED
															   : VERDICT_PASS);
}

TEST(overhead_effect_speaks_where_the_effect_was_measured_and_fails_where_it_may_be_the_suspected_change)
{
	static const struct { double worst, suspected; enum verdict verdict; } rows[] = {
		{ NAN, NAN, VERDICT_PASS }, { 0.02, 0.03, VERDICT_PASS }, { 0.03, 0.03, VERDICT_PASS },
		{ 0.031, 0.03, VERDICT_FAIL }, { 0.4, 0.5, VERDICT_PASS }, { 0, 0.03, VERDICT_PASS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct summary summary = { .overhead_worst = rows[i].worst, .overhead_suspected = rows[i].suspected };
		struct reading reading;

		gate_read(gate_find("overhead-effect"), gate_find("overhead-effect")->limit, &summary, NULL, &reading);
		assert_int_equal(reading.verdict, rows[i].verdict);
	}
}
