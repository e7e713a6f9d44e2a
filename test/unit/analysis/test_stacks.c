/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader is told of stacks that did not reach their root, were not taken, or have frames without names. */
#include "unit/analysis/asking.h"

static struct profile *profile_of_stacks(void)
{
	struct profile *profile = profile_new();
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct thread_id thread = built_thread(profile, built_process(profile, 10, "a"), 10, "a", BUILDER_START,
					       BUILDER_START + BUILDER_SECOND);

	built_total(profile, slice, thread, "oncpu", BUILDER_SECOND, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user", built_stack(profile, "main;a", STACK_COMPLETE), 50);
	built_samples(profile, slice, thread, "oncpu/kernel", built_stack(profile, "main;?libz.so;[k]read", STACK_COMPLETE), 10);
	built_samples(profile, slice, thread, "oncpu/user", built_stack(profile, "?libc.so;b", STACK_NO_ROW), 20);
	built_samples(profile, slice, thread, "oncpu/user", built_stack(profile, "c", STACK_TRUNCATED), 10);
	built_samples(profile, slice, thread, "oncpu/user", (struct stack_id){ 0 }, 10);
	return profile;
}

TEST(each_state_says_what_share_of_its_weight_has_which_status)
{
	struct asking it = asking(profile_of_stacks());
	const struct table *stacks;

	assert_int_equal(ask(&it, "stacks"), 0);
	stacks = table_at(&it, "stack_quality");
	near(number_at(stacks, "oncpu", "total"), 100.0 * BUILDER_PERIOD);
	near(number_at(stacks, "oncpu", "complete"), 0.6);
	near(number_at(stacks, "oncpu", "failed"), 0.2);
	near(number_at(stacks, "oncpu", "truncated"), 0.1);
	near(number_at(stacks, "oncpu", "not_taken"), 0.1);
	near(number_at(cell_at(stacks, row_of(stacks, "oncpu"), "statuses")->table, "no-row", "share"), 0.2);
	asked(&it);
}

/* User frames: main and a 50 times each, main and libz 10 times, libc and b 20 times, c 10 times. */
TEST(frames_without_a_name_count_against_those_with_one_and_the_kernels_not_at_all)
{
	struct asking it = asking(profile_of_stacks());
	const struct table *stacks, *methods;

	assert_int_equal(ask(&it, "stacks"), 0);
	stacks = table_at(&it, "stack_quality");
	near(number_at(stacks, "oncpu", "named"), 140.0 / 170);
	methods = cell_at(stacks, row_of(stacks, "oncpu"), "methods")->table;
	assert_int_equal(methods->row_count, 1);
	near(number_at(methods, "frame-pointer", "share"), 1);
	asked(&it);
}

TEST(a_failed_walk_is_named_by_its_cause_and_the_module_it_failed_in)
{
	struct asking it = asking(profile_of_stacks());
	const struct table *failures;

	it.question.alone = true;
	assert_int_equal(ask(&it, "stacks"), 0);
	failures = table_at(&it, "stack_failures");
	assert_int_equal(failures->row_count, 1);
	assert_string_equal(cell_at(failures, 0, "cause")->text, "[unwind failed: no-row in libc.so]");
	near(number_of(cell_at(failures, 0, "total")), 20.0 * BUILDER_PERIOD);
	assert_non_null(document_find(it.document, "stack_details"));
	asked(&it);
}

TEST(such_a_stack_stands_under_its_cause_in_the_tree)
{
	struct asking it = asking(profile_of_stacks());

	it.question.dimension = "oncpu";
	assert_int_equal(ask(&it, "tree"), 0);
	assert_int_not_equal(node_at(tree_at(&it, "trees.oncpu"), "[unwind failed: no-row in libc.so]"), 0);
	asked(&it);
}
