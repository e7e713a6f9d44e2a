/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for a lock, whose two holders wait for a disk and run: what its time came down to. */
#include "unit/analysis/asking.h"

#include "profile/cohort.h"
#include "profile/lock.h"

struct stage { struct profile *profile; struct thread_id waiter, first, second; };

static void runs(const struct stage *it, struct thread_id thread, uint64_t start, uint64_t end)
{
	profile_add_interval(it->profile, (struct interval){ .thread = thread, .start_ns = BUILDER_START + start,
							     .end_ns = BUILDER_START + end,
							     .dimension = built_dimension(it->profile, "oncpu") });
}

static void waits(const struct stage *it, struct thread_id thread, uint64_t start, uint64_t end, const char *class,
		  enum wake_context context, struct thread_id waker)
{
	profile_add_interval(it->profile, (struct interval){
		.thread = thread, .start_ns = BUILDER_START + start, .end_ns = BUILDER_START + end,
		.evidence = built_evidence(it->profile, class, 0, context), .waker = waker });
}

static void held(const struct stage *it, uint64_t start, uint64_t end, struct thread_id by)
{
	struct object_id orders = profile_object(it->profile, (struct object){ .kind = profile_string(it->profile, LOCK_IN_PROGRAM),
									       .name = profile_string(it->profile, "orders") });

	profile_add_link(it->profile, (struct link){ .interval = (uint32_t)profile_interval_count(it->profile) - 1,
						     .kind = profile_string(it->profile, LOCK_LINK),
						     .start_ns = BUILDER_START + start, .end_ns = BUILDER_START + end,
						     .object = orders, .by = by });
}

static struct asking staged(void)
{
	struct stage it = { .profile = profile_new() };
	struct process_id process = built_process(it.profile, 1, "shop");

	(void)built_slice(it.profile, BUILDER_START, BUILDER_START + 100);
	it.waiter = built_thread(it.profile, process, 1, "waiter", BUILDER_START, BUILDER_START + 100);
	it.first = built_thread(it.profile, process, 2, "first", BUILDER_START, BUILDER_START + 100);
	it.second = built_thread(it.profile, process, 3, "second", BUILDER_START, BUILDER_START + 100);
	runs(&it, it.waiter, 0, 10);
	waits(&it, it.waiter, 10, 90, "lock/mutex", WAKE_TASK, it.second);
	held(&it, 60, 90, it.second);
	held(&it, 10, 60, it.first);
	runs(&it, it.waiter, 90, 100);
	runs(&it, it.first, 0, 20);
	waits(&it, it.first, 20, 55, "disk/flush", WAKE_SOFTIRQ, it.waiter);
	runs(&it, it.first, 55, 100);
	runs(&it, it.second, 70, 100);
	return asking(it.profile);
}

TEST(a_wait_for_a_lock_is_followed_to_each_holder_and_what_that_one_waited_for)
{
	struct asking it = staged();
	const struct table *table;
	const char *const expected[][2] = {
		{ "lock/mutex (orders) ▸ first: disk/flush", "35" }, { "lock/mutex (orders) ▸ second: oncpu", "20" },
		{ "oncpu", "20" }, { "lock/mutex (orders) ▸ first: oncpu", "15" }, { "lock/mutex (orders) ▸ second: [unknown]", "10" } };

	assert_int_equal(selection_where(it.selection, "tid=1", &it.err), 0);
	assert_int_equal(ask(&it, "chain"), 0);
	table = table_at(&it, "chains");
	assert_int_equal(table->row_count, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		bool found = false;

		for (size_t row = 0; row < table->row_count; row++)
			if (!strcmp(cell_at(table, row, "chain")->text, expected[i][0])) {
				near(number_of(cell_at(table, row, "total")), atof(expected[i][1]));
				found = true;
			}
		if (!found)
			broken("no chain '%s'", expected[i][0]);
	}
	near(number_of(field_at(record_at(&it, "chain"), "window")), 100);
	near(number_of(field_at(record_at(&it, "chain"), "residual")), 0);
	near(number_of(field_at(record_at(&it, "chain"), "unknown")), 0.1);
	asked(&it);
}

TEST(unasked_the_thread_that_waited_longest_is_followed)
{
	struct asking it = staged();

	assert_int_equal(ask(&it, "chain"), 0);
	assert_string_equal(field_at(record_at(&it, "chain"), "threads")->text, "waiter (1)");
	asked(&it);
}

/* The second answers what the first read: it got it from the first at 60. */
TEST(a_request_is_followed_from_its_read_through_the_hands_it_went_through)
{
	struct stage stage = { .profile = profile_new() };
	struct process_id process = built_process(stage.profile, 1, "shop");
	const char *const slow[] = { "correct" };
	struct asking it;
	const struct table *table;

	(void)built_slice(stage.profile, BUILDER_START, BUILDER_START + 100);
	stage.first = built_thread(stage.profile, process, 1, "reader", BUILDER_START, BUILDER_START + 100);
	stage.second = built_thread(stage.profile, process, 2, "pool", BUILDER_START, BUILDER_START + 100);
	runs(&stage, stage.first, 0, 30);
	waits(&stage, stage.first, 30, 52, "disk/read", WAKE_SOFTIRQ, stage.second);
	runs(&stage, stage.first, 52, 100);
	waits(&stage, stage.second, 0, 60, "idle/queue", WAKE_TASK, stage.first);
	runs(&stage, stage.second, 60, 100);
	profile_add_request(stage.profile, (struct request){ .thread = stage.second, .one_in = 1, .opened_ns = BUILDER_START + 20,
							     .closed_ns = BUILDER_START + 70,
							     .outcome = profile_string(stage.profile, "correct") });
	profile_add_request(stage.profile, (struct request){ .thread = stage.first, .one_in = 1, .opened_ns = BUILDER_START + 1,
							     .closed_ns = BUILDER_START + 2,
							     .outcome = profile_string(stage.profile, "incorrect") });
	it = asking(stage.profile);
	assert_int_equal(cohort_narrow(it.profile, slow, 1, &it.err), 0);
	assert_int_equal(ask(&it, "chain"), 0);
	near(number_of(field_at(record_at(&it, "chain"), "requests")), 1);
	near(number_of(field_at(record_at(&it, "chain"), "window")), 50);
	near(number_of(field_at(record_at(&it, "chain"), "residual")), 0);
	table = table_at(&it, "chains");
	assert_int_equal(table->row_count, 3);
	assert_string_equal(cell_at(table, 0, "chain")->text, "idle/queue ▸ reader: disk/read");
	near(number_of(cell_at(table, 0, "total")), 22);
	assert_string_equal(cell_at(table, 1, "chain")->text, "idle/queue ▸ reader: oncpu");
	near(number_of(cell_at(table, 1, "total")), 18);
	assert_string_equal(cell_at(table, 2, "chain")->text, "oncpu");
	asked(&it);
}

TEST(without_intervals_there_is_no_chain_and_it_is_said_how_to_get_one)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(ask(&it, "chain"), 0);
	assert_null(document_find(it.document, "chains"));
	assert_int_equal(it.document->section_count, 1);
	assert_non_null(strstr(it.document->sections[0].finding, "--timeline"));
	asked(&it);
}
