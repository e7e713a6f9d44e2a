/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

#include "profile/ready.h"

static void delay(struct profile *profile, struct thread_id thread, struct thread_id by, const char *path, const char *reason, bool moved,
		  uint64_t count, uint64_t ns, uint64_t longest)
{
	struct cell cell = {
		.slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND), .thread = thread, .count = count, .value = ns,
		.measure = profile_measure(profile, (struct measure){ .dimension = built_dimension(profile, path), .role = ROLE_TOTAL,
								       .weighting = WEIGHTING_EXACT }) };

	profile_add_cell(profile, cell);
	if (!reason)
		return;
	cell.other = by;
	cell.maximum = longest;
	cell.object = profile_object(profile, (struct object){ .kind = profile_string(profile, moved ? READY_MOVED : READY_STAYED),
							       .name = profile_string(profile, reason) });
	cell.measure = profile_measure(profile, (struct measure){
		.dimension = built_dimension(profile, path), .role = ROLE_DETAIL, .weighting = WEIGHTING_EXACT,
		.source = profile_string(profile, READY_REASONS) });
	profile_add_cell(profile, cell);
}

static struct thread_id thread_of(struct profile *profile, const char *comm, uint32_t tid)
{
	return profile_thread(profile, (struct thread){ .tid = tid, .comm = profile_string(profile, comm), .start_ns = BUILDER_START,
							.end_ns = BUILDER_START + BUILDER_SECOND });
}

TEST(delays_have_their_reasons_and_their_preempters)
{
	struct profile *profile = profile_new();
	struct thread_id worker = thread_of(profile, "worker", 1), rival = thread_of(profile, "rival", 2), other = thread_of(profile, "rival", 3);
	struct asking it;
	const struct table *table;

	delay(profile, worker, rival, "runnable/preempted", READY_PREEMPTED, false, 3, 300000, 200000);
	delay(profile, worker, other, "runnable/preempted", READY_PREEMPTED, true, 1, 100000, 100000);
	delay(profile, worker, (struct thread_id){ 0 }, "runnable/woken", READY_IDLE, false, 2, 60000, 40000);
	delay(profile, worker, (struct thread_id){ 0 }, "runnable/woken", NULL, false, 10, 40000, 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "runnable"), 0);
	near(number_of(field_at(record_at(&it, "ready"), "runnable")), 500000);
	near(number_of(field_at(record_at(&it, "ready"), "told")), 0.92);
	table = table_at(&it, "reasons");
	near(number_at(table, READY_PREEMPTED, "total"), 400000);
	near(number_at(table, READY_PREEMPTED, "moved"), 0.25);
	near(number_at(table, READY_PREEMPTED, "longest"), 200000);
	near(number_at(table, READY_IDLE, "count"), 2);
	table = table_at(&it, "preempters");             /* threads of one name are one */
	near(number_at(table, "rival", "total"), 400000);
	near(number_of(cell_at(table_at(&it, "ready_threads"), 0, "total")), 300000);
	assert_string_equal(cell_at(table_at(&it, "ready_threads"), 0, "by")->text, "rival (2)");
	asked(&it);
}

TEST(without_reasons_it_says_why)
{
	struct asking it = asking(profile_new());

	assert_int_equal(ask(&it, "runnable"), 0);
	assert_int_equal(table_at(&it, "reasons")->row_count, 0);
	assert_non_null(document_find(it.document, "findings"));
	asked(&it);
}
