/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static bool has_finding(const struct asking *it, const char *part)
{
	for (size_t i = 0; i < it->document->section_count; i++) {
		const struct section *section = &it->document->sections[i];

		if (section->kind == SECTION_FINDING && strstr(section->finding, part))
			return true;
	}
	return false;
}

TEST(mercury_reads_as_it_is_taught)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "oncpu", "per_completion"), 7.4e6);
	near(number_at(table, "disk", "per_completion"), 42e6);
	near(number_at(table, "runnable", "per_completion"), 20e6);
	near(number_at(table, "lock", "per_completion"), 10e6);
	near(number_at(table, "disk", "total"), 3360e9);
	near(number_at(table, "disk", "count"), 2500 * 128 * 2);
	near(number_at(table, "disk", "maximum"), 8e6);
	near(number_at(table, "disk", "share"), 3360e9 / 7680e9);
	assert_string_equal(cell_at(table, row_of(table, "disk"), "measured")->text, "exact");
	near(number_of(field_at(record_at(&it, "wall"), "thread_ns")), 7680e9);
	near(number_of(field_at(record_at(&it, "wall"), "elapsed_ns")), 60e9);
	near(number_of(field_at(record_at(&it, "wall"), "residual_ns")), 0);
	near(number_of(field_at(record_at(&it, "population"), "threads")), 128);
	near(number_of(field_at(record_at(&it, "population"), "processes")), 1);
	asked(&it);
}

TEST(every_state_is_listed_in_the_order_of_the_rows_and_amounts_come_last)
{
	struct asking it = asking(mercury(&mercury_baseline));
	const struct table *table;
	size_t row = 0;

	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	for (size_t i = 0; i < dimension_row_count; i++)
		if (!dimension_rows[i].parent && dimension_rows[i].kind <= DIMENSION_IDLE)
			assert_string_equal(table->cells[row++ * table->column_count].text,
					    dimension_rows[i].name);
	assert_string_equal(table->cells[row++ * table->column_count].text, "context-switches");
	assert_string_equal(table->cells[row++ * table->column_count].text, "migrations");
	assert_int_equal(row, table->row_count);
	near(number_at(table, "paging", "total"), 0);
	near(number_at(table, "paging", "count"), 0);
	near(number_at(table, "paging", "maximum"), 0);
	asked(&it);
}

TEST(what_processes_hold_is_not_divided_by_completions)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct asking it;

	profile_add_cell(profile, (struct cell){
		.slice = { 1 }, .thread = { 1 }, .count = 1, .value = 64 << 20,
		.measure = built_measure(profile, "resident", ROLE_TOTAL, WEIGHTING_EXACT, "smaps", 0) });
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	near(number_at(table_at(&it, "dimensions"), "resident", "total"), 64 << 20);
	assert_int_equal(cell_at(table_at(&it, "dimensions"), row_of(table_at(&it, "dimensions"), "resident"),
				 "per_completion")->kind, VALUE_NONE);
	asked(&it);
}

TEST(user_and_kernel_time_is_the_exact_total_divided_by_the_samples)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table, *parts;

	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	parts = cell_at(table, row_of(table, "oncpu"), "parts")->table;
	assert_int_equal(parts->row_count, 2);
	assert_true(fabs(number_at(parts, "user", "total") - 592e9 * 168 / 229) <= 1);
	assert_true(fabs(number_at(parts, "kernel", "total") - 592e9 * 61 / 229) <= 1);
	assert_string_equal(cell_at(parts, 0, "measured")->text, "estimated");
	near(number_at(parts, "user", "count"), 168 * 256);
	parts = cell_at(table, row_of(table, "runnable"), "parts")->table;
	near(number_at(parts, "woken", "total"), 1280e9);
	near(number_at(parts, "preempted", "total"), 320e9);
	assert_string_equal(cell_at(parts, 0, "measured")->text, "exact");
	asked(&it);
}

TEST(samples_divide_what_exact_parts_of_running_time_leave)
{
	struct profile *profile = profile_new();
	struct thread_id thread = profile_thread(profile, (struct thread){ .tid = 1, .start_ns = 0, .end_ns = 1000 });
	static const struct { const char *parent, *name; enum measure_role role; uint64_t value; } rows[] = {
		{ NULL, "oncpu", ROLE_TOTAL, 800 }, { "oncpu", "irq", ROLE_TOTAL, 50 }, { "oncpu", "softirq", ROLE_TOTAL, 150 },
		{ "oncpu", "user", ROLE_SPLIT, 600 }, { "oncpu", "kernel", ROLE_SPLIT, 200 }, { "oncpu", "softirq", ROLE_SPLIT, 700 },
	};
	struct asking it;
	const struct table *table, *parts;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		profile_add_cell(profile, (struct cell){ .thread = thread, .count = rows[i].role == ROLE_SPLIT, .value = rows[i].value,
			.measure = profile_measure(profile, (struct measure){
				.dimension = profile_dimension(profile, dimension_row_find(rows[i].parent, rows[i].name)),
				.role = rows[i].role,
				.weighting = rows[i].role == ROLE_SPLIT ? WEIGHTING_SAMPLED : WEIGHTING_EXACT }) });
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "oncpu", "total"), 1000);
	parts = cell_at(table, row_of(table, "oncpu"), "parts")->table;
	near(number_at(parts, "user", "total"), 600);
	near(number_at(parts, "kernel", "total"), 200);
	near(number_at(parts, "irq", "total"), 50);
	near(number_at(parts, "softirq", "total"), 150);
	assert_string_equal(cell_at(parts, row_of(parts, "irq"), "measured")->text, "exact");
	assert_string_equal(cell_at(parts, row_of(parts, "user"), "measured")->text, "estimated");
	asked(&it);
}

TEST(without_samples_the_parts_of_running_time_are_not_made_up)
{
	struct profile *profile = profile_new();
	struct thread_id thread =
		built_thread(profile, built_process(profile, 1, "p"), 1, "p", 1, 1001);
	struct asking it;
	const struct table *table;

	built_total(profile, profile_slice(profile, 1, 1001), thread, "oncpu", 1000, 1, 0);
	(void)built_dimension(profile, "oncpu/user");
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "oncpu", "total"), 1000);
	table = cell_at(table, row_of(table, "oncpu"), "parts")->table;
	assert_int_equal(table->row_count, 1);
	assert_int_equal(cell_at(table, 0, "total")->kind, VALUE_NONE);
	asked(&it);
}

TEST(lengths_fall_into_powers_of_two_without_a_gap)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table, *lengths;

	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	lengths = cell_at(table, row_of(table, "disk"), "histogram")->table;
	assert_int_equal(lengths->row_count, 1);
	near(number_of(cell_at(lengths, 0, "below_ns")), 1 << 23);
	near(number_of(cell_at(lengths, 0, "count")), 2500 * 256);
	near(number_of(cell_at(lengths, 0, "total")), 3360e9);
	lengths = cell_at(table, row_of(table, "runnable"), "histogram")->table;
	near(number_of(cell_at(lengths, 0, "below_ns")), 1 << 16);
	near(number_of(cell_at(lengths, 0, "count")), 20000);
	near(number_of(cell_at(lengths, 1, "count")), 0);
	near(number_of(cell_at(lengths, lengths->row_count - 1, "below_ns")), 1 << 22);
	assert_int_equal(lengths->row_count, 22 - 16 + 1);
	assert_int_equal(cell_at(table, row_of(table, "oncpu"), "histogram")->table->row_count, 0);
	asked(&it);
}

TEST(nothing_is_said_per_completion_where_none_was_counted)
{
	struct profile *profile = profile_new();
	struct thread_id thread =
		built_thread(profile, built_process(profile, 1, "p"), 1, "p", 1, 1001);
	struct asking it;

	built_total(profile, profile_slice(profile, 1, 1001), thread, "oncpu", 1000, 1, 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_false(isfinite(number_at(table_at(&it, "dimensions"), "oncpu", "per_completion")));
	assert_int_equal(field_at(record_at(&it, "work"), "correct")->kind, VALUE_NONE);
	asked(&it);
}

TEST(outcomes_and_classes_of_work_stand_apart)
{
	struct asking it = asking(mercury(&mercury_baseline));
	const struct record *work;
	const struct table *classes;

	assert_int_equal(ask(&it, "ledger"), 0);
	work = record_at(&it, "work");
	near(number_of(field_at(work, "correct")), 100000);
	near(number_of(field_at(work, "incorrect")), 500);
	classes = field_at(work, "classes")->table;
	assert_int_equal(classes->row_count, 2);
	near(number_at(classes, "200", "count"), 100000);
	assert_string_equal(cell_at(classes, row_of(classes, "503"), "outcome")->text, "incorrect");
	asked(&it);
}

TEST(half_of_the_window_is_half_of_everything)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	assert_int_equal(selection_window(it.selection, 30ull * BUILDER_SECOND, 0, NULL), 0);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "disk", "total"), 1680e9);
	near(number_at(table, "disk", "per_completion"), 42e6);
	near(number_of(field_at(record_at(&it, "wall"), "thread_ns")), 3840e9);
	near(number_of(field_at(record_at(&it, "wall"), "residual_ns")), 0);
	asked(&it);
}

TEST(a_selection_among_cells_does_not_claim_to_add_up)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(selection_where(it.selection, "state=disk", &it.err), 0);
	assert_int_equal(ask(&it, "ledger"), 0);
	near(number_of(field_at(record_at(&it, "wall"), "accounted_ns")), 3360e9);
	assert_int_equal(field_at(record_at(&it, "wall"), "residual_ns")->kind, VALUE_NONE);
	asked(&it);
}

TEST(a_question_about_stacks_is_answered_by_what_was_sampled)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	assert_int_equal(selection_focus(it.selection, "^parse$", &it.err), 0);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	near(number_at(table, "oncpu", "total"), 108.0 * 256 * BUILDER_PERIOD);
	assert_string_equal(cell_at(table, row_of(table, "oncpu"), "measured")->text, "sampled");
	near(number_at(table, "disk", "total"), 0);
	assert_int_equal(cell_at(table, row_of(table, "runnable"), "total")->kind, VALUE_NONE);
	asked(&it);
}

TEST(groups_hold_each_thread_once_and_add_up_to_the_ledger)
{
	static const char *const groups[] = { "thread", "process", "comm", "cgroup" };
	static const size_t rows[] = { 128, 1, 2, 1 };

	for (size_t i = 0; i < ARRAY_LENGTH(groups); i++) {
		struct asking it = asking(mercury(&mercury_candidate));
		const struct table *table;
		double disk = 0, threads = 0, lives = 0;

		it.question.by = groups[i];
		it.question.most = 1000;
		assert_int_equal(ask(&it, "ledger"), 0);
		table = table_at(&it, "groups");
		assert_int_equal(table->row_count, rows[i]);
		for (size_t row = 0; row < table->row_count; row++) {
			disk += number_of(cell_at(table, row, "disk"));
			threads += number_of(cell_at(table, row, "threads"));
			lives += number_of(cell_at(table, row, "thread_ns"));
		}
		near(disk, 3360e9);
		near(threads, 128);
		near(lives, 7680e9);
		asked(&it);
	}
}

TEST(groups_are_named_and_those_that_did_most_come_first)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	it.question.by = "comm";
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "groups");
	assert_string_equal(table->cells[0].text, "worker");
	near(number_at(table, "worker", "busy_per_completion_ns"), 79.4e6 * 127 / 128);
	asked(&it);
	it = asking(mercury(&mercury_candidate));
	it.question.by = "thread";
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_int_equal(table_at(&it, "groups")->row_count, 50);
	assert_true(has_row(table_at(&it, "groups"), "worker/4202"));
	assert_non_null(strstr(document_find(it.document, "groups")->title, "50 of 128"));
	asked(&it);
}

TEST(classes_are_groups_of_their_own)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	it.question.by = "class";
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "groups");
	near(number_at(table, "disk/read", "total"), 3360e9);
	near(number_at(table, "disk/read", "mean"), 5.25e6);
	assert_string_equal(table->cells[0].text, "disk/read");
	asked(&it);
}

TEST(an_unknown_group_suggests_the_nearest)
{
	struct asking it = asking(mercury(&mercury_baseline));

	it.question.by = "tread";
	assert_true(ask(&it, "ledger") < 0);
	assert_int_equal(it.err.kind, FAILURE_USAGE);
	assert_string_equal(it.err.next, "--by thread");
	asked(&it);
}

TEST(an_import_without_a_ledger_claims_no_zero)
{
	struct profile *profile = profile_new();
	struct asking it;
	const struct table *table;

	built_samples(profile, (struct slice_id){ 0 }, (struct thread_id){ 0 }, "oncpu/user",
		      built_stack(profile, "main;work", STACK_COMPLETE), 7);
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	table = table_at(&it, "dimensions");
	assert_int_equal(table->row_count, 1);
	near(number_at(table, "oncpu", "total"), 7.0 * BUILDER_PERIOD);
	assert_string_equal(cell_at(table, 0, "measured")->text, "sampled");
	assert_int_equal(field_at(record_at(&it, "wall"), "residual_ns")->kind, VALUE_NONE);
	asked(&it);
}

TEST(what_limits_the_capture_is_said)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct asking it;

	profile_set_meta(profile, "capture.sealed", "0");
	profile_set_meta(profile, "probe.missing.block", "whose disk requests they were");
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_true(has_finding(&it, "block: whose disk"));
	assert_true(has_finding(&it, "not sealed"));
	asked(&it);
}

static void add_completion(struct profile *profile, const char *source, uint32_t port)
{
	profile_add_completion(profile,
			       (struct completion){ .slice = mercury_slice_at(profile, 0),
						    .source = profile_string(profile, source),
						    .port = port,
						    .class = profile_string(profile, "200"),
						    .outcome = OUTCOME_CORRECT,
						    .count = 1000 });
}

TEST(work_on_several_ports_is_nobodys_unless_one_was_chosen)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct asking it;

	profile_set_meta(profile, "work.source", "http");
	add_completion(profile, "http", 9090);
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_false(isfinite(number_at(table_at(&it, "dimensions"), "disk", "per_completion")));
	assert_true(has_finding(&it, "several ports"));
	asked(&it);
}

TEST(what_another_source_counted_is_not_the_denominator)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct asking it;

	add_completion(profile, "log", 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	near(number_of(field_at(record_at(&it, "work"), "correct")), 100000);
	near(number_at(table_at(&it, "dimensions"), "disk", "per_completion"), 10e6);
	asked(&it);
}

/* What a sampler of the processor made says nothing of waits: an exact 0 for each would be a lie. */
TEST(an_import_of_one_state_shows_no_other)
{
	struct profile *profile = profile_new();
	struct slice_id slice = profile_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct thread_id thread = built_thread(profile, built_process(profile, 10, "p"), 10, "p", 0, 0);
	struct asking it;

	profile_set_meta(profile, "import.format", "perf-script");
	profile_add_cell(profile, (struct cell){ .slice = slice, .thread = thread, .count = 3, .value = 3000,
						 .measure = built_measure(profile, "oncpu", ROLE_TOTAL, WEIGHTING_SAMPLED, "x", 0) });
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	near(number_at(table_at(&it, "dimensions"), "oncpu", "total"), 3000);
	assert_int_equal(table_at(&it, "dimensions")->row_count, 1);
	asked(&it);
}

TEST(sums_that_no_whole_number_holds_are_cut_and_said_so)
{
	struct profile *profile = profile_new();
	struct slice_id slice = profile_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct process_id process = built_process(profile, 10, "p");
	struct asking it;

	for (uint32_t tid = 10; tid < 13; tid++)
		built_total(profile, slice, built_thread(profile, process, tid, "p", 0, 0), "oncpu", INT64_MAX, 1, 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_true(cell_at(table_at(&it, "dimensions"), row_of(table_at(&it, "dimensions"), "oncpu"), "total")->integer == INT64_MAX);
	assert_true(has_finding(&it, "1 sum is larger than can be shown"));
	asked(&it);
}

/* Told at the end of a minute: its second half has not all of them. */
TEST(completions_of_the_whole_capture_are_of_no_part_of_it)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");
	struct asking it;

	(void)mercury_slice_at(profile, 0);
	built_completions(profile, mercury_slice_at(profile, 1), process, "200", OUTCOME_CORRECT, 100);
	it = asking(profile);
	assert_int_equal(selection_window(it.selection, 30ull * BUILDER_SECOND, 0, NULL), 0);
	assert_int_equal(ask(&it, "ledger"), 0);
	assert_true(has_finding(&it, "no completion is of that part of the time"));
	asked(&it);
}
