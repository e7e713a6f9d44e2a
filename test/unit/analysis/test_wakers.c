/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static void add_wait(struct profile *profile, struct slice_id slice, struct thread_id thread, struct thread_id waker,
		     enum wake_context context, struct stack_id waker_stack, uint64_t ns, uint8_t p_log2)
{
	profile_add_cell(profile, (struct cell){
		.slice = slice, .thread = thread, .evidence = built_evidence(profile, "lock/mutex", 0, context), .other = waker,
		.other_stack = waker_stack, .value = ns, .count = 2, .maximum = ns, .p_log2 = p_log2,
		.measure = built_measure(profile, NULL, ROLE_SPLIT, WEIGHTING_SAMPLED, "sched", 0) });
}

static struct asking wakes(void)
{
	struct profile *profile = profile_new();
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct process_id process = built_process(profile, 1, "shop");
	struct thread_id a = built_thread(profile, process, 1, "reader", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct thread_id b = built_thread(profile, process, 2, "writer", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct stack_id commit = built_stack(profile, "main;commit;unlock", STACK_COMPLETE);

	add_wait(profile, slice, a, b, WAKE_TASK, commit, 3000, 2);
	add_wait(profile, slice, a, b, WAKE_TASK, built_stack(profile, "main;abort;unlock", STACK_COMPLETE), 1000, 2);
	add_wait(profile, slice, b, a, WAKE_SOFTIRQ, (struct stack_id){ 0 }, 4000, 0);
	return asking(profile);
}

TEST(wakers_are_told_apart_by_where_they_were_and_weigh_by_probability)
{
	struct asking it = wakes();
	const struct table *table;

	assert_int_equal(ask(&it, "wakers"), 0);
	table = table_at(&it, "wakers");
	assert_int_equal(table->row_count, 3);
	assert_string_equal(cell_at(table, 0, "waker")->text, "writer");
	assert_string_equal(cell_at(table, 0, "context")->text, "task");
	assert_string_equal(cell_at(table, 0, "woken")->text, "reader");
	assert_string_equal(cell_at(table, 0, "stack")->text, "unlock < commit < main");
	near(number_of(cell_at(table, 0, "wait")), 12000);
	near(number_of(cell_at(table, 0, "wakes")), 8);
	near(number_of(cell_at(table, 0, "share")), 0.6);
	asked(&it);
}

TEST(an_interrupt_has_no_thread_as_waker)
{
	struct asking it = wakes();
	const struct table *table;

	assert_int_equal(ask(&it, "wakers"), 0);
	table = table_at(&it, "wakers");
	near(number_at(table, "[softirq]", "wait"), 4000);
	assert_int_equal(cell_at(table, row_of(table, "[softirq]"), "stack")->kind, VALUE_NONE);
	table = table_at(&it, "contexts");
	near(number_at(table, "task", "share"), 0.8);
	near(number_at(table, "softirq", "share"), 0.2);
	asked(&it);
}
