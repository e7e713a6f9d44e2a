/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

TEST(the_largest_wait_has_its_class_stack_and_weight)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;
	double expected = (double)(3281250000ull / 50 * 49) * 4 * 256 * 127 / 128;

	assert_int_equal(ask(&it, "waits"), 0);
	table = table_at(&it, "waits");
	assert_string_equal(table->cells[0].text, "disk/read");
	assert_string_equal(cell_at(table, 0, "thread")->text, "worker");
	assert_string_equal(
		cell_at(table, 0, "stack")->text,
		"io_schedule < vfs_read < store_read < lookup < serve < worker < start_thread");
	near(number_of(cell_at(table, 0, "total")), expected);
	near(number_of(cell_at(table, 0, "per_completion")), expected / 80000);
	near(number_of(cell_at(table, 0, "count")), 625.0 * 4 * 254);
	near(number_of(cell_at(table, 0, "mean")), expected / (625.0 * 4 * 254));
	near(number_of(cell_at(table, 0, "share")), expected / 7680e9);
	assert_string_equal(cell_at(table, 0, "measured")->text, "sampled");
	asked(&it);
}

TEST(an_interrupt_is_named_as_waker_and_never_the_thread_it_interrupted)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table, *wakers;

	assert_int_equal(ask(&it, "waits"), 0);
	table = table_at(&it, "waits");
	wakers = cell_at(table, row_of(table, "disk/read"), "wakers")->table;
	assert_int_equal(wakers->row_count, 1);
	near(number_at(wakers, "[softirq]", "share"), 1);
	for (size_t i = 0; i < table->row_count; i++) {
		if (strcmp(table->cells[i * table->column_count].text, "lock/mutex") != 0 ||
		    strcmp(cell_at(table, i, "thread")->text, "worker") != 0)
			continue;
		wakers = cell_at(table, i, "wakers")->table;
		near(number_at(wakers, "worker", "share"), 126.0 / 127);
		near(number_at(wakers, "acceptor", "share"), 1.0 / 127);
	}
	asked(&it);
}

TEST(sampled_weight_stands_beside_the_exact_total_and_is_not_scaled_to_it)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	assert_int_equal(ask(&it, "waits"), 0);
	table = table_at(&it, "classes");
	near(number_at(table, "disk/read", "exact"), 3360e9);
	near(number_at(table, "disk/read", "sampled"), 3360e9 * 0.98);
	near(number_at(table, "disk/read", "difference"), -3360e9 * 0.02);
	asked(&it);
}

TEST(idle_waits_are_listed_only_when_they_are_asked_for)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(ask(&it, "waits"), 0);
	assert_false(has_row(table_at(&it, "waits"), "idle/poll"));
	asked(&it);
	it = asking(mercury(&mercury_candidate));
	it.question.dimension = "idle";
	assert_int_equal(ask(&it, "waits"), 0);
	assert_true(has_row(table_at(&it, "waits"), "idle/poll"));
	assert_false(has_row(table_at(&it, "waits"), "disk/read"));
	asked(&it);
}

TEST(equal_names_are_one_row_whatever_their_addresses)
{
	struct profile *profile = profile_new();
	struct slice_id slice = profile_slice(profile, 1, 1001);
	struct thread_id thread =
		built_thread(profile, built_process(profile, 1, "p"), 1, "p", 1, 1001);
	struct evidence_id read = built_evidence(profile, "disk/read", 0, WAKE_SOFTIRQ);
	struct asking it;

	for (uint64_t i = 1; i <= 3; i++) {
		struct frame frame = { .offset = i, .file = profile_file(profile, "/bin/p", NULL),
				       .name = profile_string(profile, "load") };

		built_wait_stack(profile, slice, thread, read,
				 profile_stack(profile, (struct stack_id){ 0 },
					       profile_frame(profile, frame), STACK_UNVERIFIED),
				 (struct thread_id){ 0 }, 0, 100, 1);
	}
	it = asking(profile);
	assert_int_equal(ask(&it, "waits"), 0);
	assert_int_equal(table_at(&it, "waits")->row_count, 1);
	near(number_of(cell_at(table_at(&it, "waits"), 0, "total")), 300);
	asked(&it);
}

TEST(waits_without_sampled_stacks_are_listed_by_what_the_evidence_holds)
{
	struct profile *profile = profile_new();
	struct slice_id slice = profile_slice(profile, 1, 1001);
	struct thread_id thread =
		built_thread(profile, built_process(profile, 1, "p"), 1, "p", 1, 1001);
	struct wait_evidence seen = {
		.task_state = 2,
		.syscall = 1,
		.kernel_stack = built_stack(profile, "[k]vfs_fsync;[k]odd_wait", STACK_UNVERIFIED)
	};
	struct evidence_id unknown = profile_evidence(profile, &seen);
	struct asking it;
	const struct table *table;

	profile_evidence_class(profile, unknown, built_dimension(profile, "unknown"),
			       (struct string_id){ 0 }, false);
	built_wait(profile, slice, thread, unknown, 1000, 2, 700);
	it = asking(profile);
	assert_int_equal(ask(&it, "waits"), 0);
	table = table_at(&it, "waits");
	assert_string_equal(cell_at(table, 0, "class")->text, "unknown");
	assert_string_equal(cell_at(table, 0, "stack")->text, "odd_wait < vfs_fsync");
	assert_string_equal(cell_at(table, 0, "measured")->text, "exact");
	assert_int_equal(cell_at(table_at(&it, "classes"), 0, "sampled")->kind == VALUE_NUMBER &&
				 isfinite(cell_at(table_at(&it, "classes"), 0, "sampled")->number),
			 false);
	asked(&it);
}

TEST(top_says_how_many_there_are)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.most = 1;
	assert_int_equal(ask(&it, "waits"), 0);
	assert_int_equal(table_at(&it, "waits")->row_count, 1);
	assert_non_null(strstr(document_find(it.document, "waits")->title, "1 of 4"));
	asked(&it);
}

TEST(an_unknown_dimension_suggests_the_nearest)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.dimension = "dsik";
	assert_true(ask(&it, "waits") < 0);
	assert_string_equal(it.err.next, "--dimension disk");
	asked(&it);
}
