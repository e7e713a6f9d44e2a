/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static const double period = BUILDER_PERIOD;

TEST(parse_is_the_widest_function_of_mercury)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct record *widest;

	assert_int_equal(ask(&it, "oncpu"), 0);
	widest = field_at(record_at(&it, "oncpu"), "widest")->record;
	assert_string_equal(field_at(widest, "function")->text, "parse");
	near(number_of(field_at(widest, "per_completion")), 108 * 256 * period / 80000);
	assert_true(fabs(number_of(field_at(widest, "per_completion")) - 3.5e6) < 0.02e6);
	asked(&it);
}

TEST(a_dispatcher_that_only_calls_is_not_the_widest_function)
{
	struct profile *profile = profile_new();
	struct slice_id slice = { 0 };
	struct thread_id thread = { 0 };
	struct asking it;

	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;serve;parse", STACK_UNVERIFIED), 50);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;serve;reply", STACK_UNVERIFIED), 40);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;serve", STACK_UNVERIFIED), 5);
	it = asking(profile);
	assert_int_equal(ask(&it, "oncpu"), 0);
	assert_string_equal(
		field_at(field_at(record_at(&it, "oncpu"), "widest")->record, "function")->text,
		"parse");
	asked(&it);
}

TEST(stacks_are_sorted_and_read_from_the_leaf)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	assert_int_equal(ask(&it, "oncpu"), 0);
	table = table_at(&it, "stacks");
	assert_int_equal(table->row_count, 3);
	assert_string_equal(cell_at(table, 0, "stack")->text,
			    "parse < serve < worker < start_thread");
	near(number_of(cell_at(table, 0, "total")), 108 * 256 * period);
	near(number_of(cell_at(table, 0, "share")), 108.0 / 229);
	near(number_of(cell_at(table, 0, "count")), 108 * 256);
	assert_string_equal(cell_at(table, 0, "measured")->text, "sampled");
	asked(&it);
}

TEST(functions_count_once_per_stack_inclusive_and_at_the_leaf_exclusive)
{
	struct profile *profile = profile_new();
	struct asking it;
	const struct table *table;

	built_samples(profile, (struct slice_id){ 0 }, (struct thread_id){ 0 }, "oncpu/user",
		      built_stack(profile, "main;walk;walk;walk;visit", STACK_UNVERIFIED), 4);
	built_samples(profile, (struct slice_id){ 0 }, (struct thread_id){ 0 }, "oncpu/user",
		      built_stack(profile, "main;walk", STACK_UNVERIFIED), 6);
	it = asking(profile);
	assert_int_equal(ask(&it, "oncpu"), 0);
	table = table_at(&it, "functions");
	assert_string_equal(table->cells[0].text, "walk");
	near(number_at(table, "walk", "inclusive"), 10 * period);
	near(number_at(table, "walk", "exclusive"), 6 * period);
	near(number_at(table, "main", "exclusive"), 0);
	near(number_at(table, "main", "inclusive"), 10 * period);
	near(number_at(table, "walk", "count"), 10);
	asked(&it);
}

TEST(functions_can_be_sorted_by_inclusive_weight)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.sort = "inclusive";
	it.question.most = 3;
	assert_int_equal(ask(&it, "oncpu"), 0);
	assert_int_equal(table_at(&it, "functions")->row_count, 3);
	near(number_of(cell_at(table_at(&it, "functions"), 0, "inclusive_share")), 1);
	near(number_of(cell_at(table_at(&it, "functions"), 2, "inclusive_share")), 1);
	asked(&it);
}

TEST(sampled_time_stands_beside_the_exact)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct record *record;

	assert_int_equal(ask(&it, "oncpu"), 0);
	record = record_at(&it, "oncpu");
	near(number_of(field_at(record, "sampled")), 229 * 256 * period);
	near(number_of(field_at(record, "exact")), 592e9);
	assert_true(fabs(number_of(field_at(record, "difference")) - (229 * 256 * period - 592e9)) <
		    1);
	near(number_of(field_at(record, "period")), period);
	asked(&it);
}

TEST(without_samples_there_is_no_table_but_a_word)
{
	struct profile *profile = profile_new();
	struct asking it;

	built_total(profile, profile_slice(profile, 1, 2),
		    built_thread(profile, built_process(profile, 1, "p"), 1, "p", 1, 2), "oncpu", 1,
		    1, 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "oncpu"), 0);
	assert_null(document_find(it.document, "stacks"));
	assert_int_equal(it.document->section_count, 1);
	assert_int_equal(it.document->sections[0].kind, SECTION_FINDING);
	asked(&it);
}
