/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

#include "profile/cohort.h"
#include "profile/latency.h"

enum { REQUESTS = 1000 };

/* A thousand requests of 1000 ns and more, each standing for two; the last twenty waited 9000 ns for a disk as well, and
 * every tenth was rejected. */
static struct profile *served(void)
{
	struct profile *profile = profile_new();
	struct process_id process = profile_process(profile, (struct process){ .pid = 1 });
	struct thread_id thread = profile_thread(profile, (struct thread){
		.process = process, .tid = 1, .start_ns = BUILDER_START, .end_ns = BUILDER_START + BUILDER_SECOND });
	struct thread_id waker = profile_thread(profile, (struct thread){
		.process = process, .tid = 2, .start_ns = BUILDER_START, .end_ns = BUILDER_START + 1,
		.comm = profile_string(profile, "writer") });
	struct dimension_id oncpu = built_dimension(profile, "oncpu"), disk = built_dimension(profile, "disk/read");
	struct stack_id stack = built_stack(profile, "main;serve;load", STACK_COMPLETE);

	(void)built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	profile_set_meta(profile, "work.source", "http:80");
	profile_set_meta(profile, "work.unit", "response");
	for (uint32_t i = 0; i < REQUESTS; i++) {
		bool slow = i >= REQUESTS - 20;
		uint64_t opened = BUILDER_START + 1000 + i, ran = 1000 + i % 10, waited = slow ? 9000 : 0;

		profile_add_request(profile, (struct request){
			.thread = thread, .class = profile_string(profile, slow ? "GET /large" : "GET /small"),
			.outcome = profile_string(profile, i % 10 ? "correct" : "rejected"), .one_in = 2, .status = i % 10 ? 200 : 503,
			.arrived_ns = opened - 100, .opened_ns = opened, .closed_ns = opened + ran + waited });
		profile_add_part(profile, (struct part){ .request = i, .dimension = oncpu, .ns = ran });
		if (slow)
			profile_add_part(profile, (struct part){ .request = i, .dimension = disk, .stack = stack, .other = waker, .ns = waited });
	}
	return profile;
}

TEST(quantiles_count_each_request_as_often_as_it_stands_for)
{
	struct profile *profile = served();
	struct latencies *latencies = latencies_new(profile, NULL, LATENCY_SERVED);
	struct latencies *elapsed = latencies_new(profile, NULL, LATENCY_ELAPSED);

	near(latencies->weight, 2.0 * REQUESTS);
	near(latencies_quantile(latencies, 0.99), 10004);
	near(latencies_quantile(elapsed, 0.99), 10104);
	assert_true(latencies_quantile(latencies, 0.5) < 1010);
	latencies_free(latencies);
	latencies_free(elapsed);
	profile_free(profile);
}

TEST(a_heavier_request_moves_the_quantile)
{
	struct profile *profile = profile_new();
	struct latencies *latencies;

	profile_add_request(profile, (struct request){ .one_in = 1, .opened_ns = 10, .closed_ns = 20 });
	profile_add_request(profile, (struct request){ .one_in = 9, .opened_ns = 10, .closed_ns = 110 });
	latencies = latencies_new(profile, NULL, LATENCY_SERVED);
	near(latencies_quantile(latencies, 0.1), 10);
	near(latencies_quantile(latencies, 0.5), 100);
	latencies_free(latencies);
	profile_free(profile);
}

TEST(the_state_that_grew_has_its_stack_and_who_ended_it)
{
	struct asking it = asking(served());
	const struct table *table;

	assert_int_equal(ask(&it, "requests"), 0);
	table = table_at(&it, "vectors");
	near(number_at(table, "disk", "p50"), 0);
	near(number_at(table, "disk", "p99"), 9000);
	near(number_at(table, "disk/read", "growth"), 9000);
	table = table_at(&it, "grown");
	assert_int_equal(table->row_count, 1);
	assert_string_equal(cell_at(table, 0, "stack")->text, "load < serve < main");
	assert_string_equal(cell_at(table, 0, "ended_by")->text, "writer");
	near(number_of(cell_at(table, 0, "p99")), 9000);
	asked(&it);
}

/* However it became unknown: a switch that was not seen, a record that was lost, a wait that no rule knows. */
TEST(requests_with_unknown_time_are_counted)
{
	struct profile *profile = served();
	struct asking it;

	for (uint32_t i = 0; i < 2; i++) {
		profile_add_request(profile, (struct request){
			.thread = profile_request_at(profile, 0)->thread, .outcome = profile_string(profile, "correct"), .one_in = 2,
			.opened_ns = BUILDER_START, .closed_ns = BUILDER_START + 13 });
		profile_add_part(profile, (struct part){ .request = REQUESTS + i, .dimension = built_dimension(profile, "unknown"), .ns = 10 });
		profile_add_part(profile, (struct part){ .request = REQUESTS + i, .dimension = built_dimension(profile, "unknown"), .ns = 3 });
	}
	it = asking(profile);
	assert_int_equal(ask(&it, "requests"), 0);
	near(number_of(field_at(record_at(&it, "requests"), "incomplete")), 2);
	asked(&it);
}

TEST(classes_have_their_outcomes_apart)
{
	struct asking it = asking(served());
	const struct table *table;

	assert_int_equal(ask(&it, "requests"), 0);
	table = table_at(&it, "request_classes");
	assert_int_equal(table->row_count, 4);
	assert_string_equal(cell_at(table, 0, "class")->text, "GET /small");
	assert_string_equal(cell_at(table, 0, "outcome")->text, "correct");
	near(number_of(cell_at(table, 0, "count")), 2 * 882.0);
	asked(&it);
}

TEST(a_cohort_has_a_ledger_of_its_own)
{
	static const char *const slow[] = { "GET /large" };
	struct asking it = asking(served());
	const struct table *table;

	assert_int_equal(cohort_narrow(it.profile, slow, 1, &it.err), 0);
	assert_null(profile_broken(it.profile));
	assert_int_equal(profile_request_count(it.profile), 20);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "disk", "total"), 20.0 * 2 * 9000);
	near(number_at(table, "disk", "per_completion"), 20.0 * 2 * 9000 / 36);
	near(number_at(table, "lock", "total"), 0);
	asked(&it);
}

TEST(a_cohort_that_nobody_is_in_is_refused)
{
	static const char *const none[] = { "GET /none" };
	struct asking it = asking(served());

	assert_true(cohort_narrow(it.profile, none, 1, &it.err) < 0);
	assert_int_equal(it.err.kind, FAILURE_USAGE);
	asked(&it);
}

TEST(a_quantile_or_an_outcome_or_a_status_names_a_cohort)
{
	static const struct { const char *value; size_t count; } cohorts[] = {
		{ "p99", 11 }, { "rejected", 100 }, { "503", 100 }, { "200", 900 },
	};

	for (size_t i = 0; i < sizeof(cohorts) / sizeof(*cohorts); i++) {
		struct asking it = asking(served());

		assert_int_equal(cohort_narrow(it.profile, &cohorts[i].value, 1, &it.err), 0);
		assert_int_equal(profile_request_count(it.profile), cohorts[i].count);
		asked(&it);
	}
}

/* Not that nothing was captured, nor zeros: the capture may hold what the question is about. */
TEST(what_is_not_kept_by_request_is_said_to_be_so)
{
	static const char *const questions[] = { "io", "locks", "memory", "network", "oncpu", "runnable", "syscalls", NULL };
	static const char *const slow[] = { "GET /large" };

	for (size_t i = 0; questions[i]; i++) {
		struct asking it = asking(served());
		bool said = false;

		assert_int_equal(cohort_narrow(it.profile, slow, 1, &it.err), 0);
		it.question.alone = true;
		assert_int_equal(analysis_run(analysis_find(questions[i]), &it.question, it.document, &it.err), 0);
		for (size_t j = 0; j < it.document->section_count; j++) {
			const struct section *section = &it.document->sections[j];

			if (section->kind != SECTION_FINDING) {
				assert_true(!strcmp(questions[i], "locks") || !strcmp(questions[i], "runnable"));
				continue;
			}
			said |= strstr(section->finding, "request") && section->severity == SEVERITY_WARNING;
			if (strstr(section->finding, "record --with"))
				broken("%s: %s", questions[i], section->finding);
		}
		if (!said)
			broken("%s says nothing", questions[i]);
		asked(&it);
	}
}

TEST(beside_other_answers_what_has_none_is_left_out)
{
	static const char *const slow[] = { "GET /large" };
	struct asking it = asking(served());

	assert_int_equal(cohort_narrow(it.profile, slow, 1, &it.err), 0);
	assert_int_equal(analysis_run(analysis_find("oncpu"), &it.question, it.document, &it.err), 0);
	assert_int_equal(it.document->section_count, 0);
	asked(&it);
}

TEST(where_none_was_answered_it_is_told_how_many_were_read)
{
	struct profile *profile = profile_new();
	struct asking it;

	profile_set_meta_number(profile, "requests.opened", 20);
	profile_set_meta_number(profile, "requests.abandoned", 17);
	it = asking(profile);
	assert_int_equal(ask(&it, "requests"), 0);
	near(number_of(field_at(record_at(&it, "requests"), "opened")), 20);
	near(number_of(field_at(record_at(&it, "requests"), "abandoned")), 17);
	assert_int_equal(field_at(record_at(&it, "requests"), "one_in_least")->kind, VALUE_NONE);
	assert_non_null(strstr(it.document->sections[it.document->section_count - 1].finding, "17 were abandoned"));
	asked(&it);
}

TEST(without_requests_the_answer_says_so)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(ask(&it, "requests"), 0);
	assert_null(document_find(it.document, "vectors"));
	asked(&it);
}
