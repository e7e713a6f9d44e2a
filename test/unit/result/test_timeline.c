/* SPDX-License-Identifier: Apache-2.0 */
/* What a timeline holds stays in order, and what is joined for the limit keeps its time, its number and its longest state. */
#include "result/timeline.h"

#include "test.h"

static void add(struct timeline *timeline, uint32_t lane, uint32_t state, uint64_t start, uint64_t end)
{
	timeline_add(timeline, (struct timeline_span){ .lane = lane, .state = state, .start = start, .end = end, .count = 1, .by = 7 });
}

TEST(spans_lie_lane_by_lane_in_the_order_of_time_and_empty_ones_are_none)
{
	CLEANUP(timeline) struct timeline *timeline = timeline_new(0, 100);

	add(timeline, 1, 0, 50, 60);
	add(timeline, 0, 0, 90, 90);
	add(timeline, 1, 0, 10, 20);
	add(timeline, 0, 0, 70, 80);
	timeline_finish(timeline);
	assert_int_equal(timeline->span_count, 3);
	assert_int_equal(timeline->spans[0].start, 70);
	assert_int_equal(timeline->spans[1].start, 10);
	assert_int_equal(timeline->spans[2].start, 50);
	assert_int_equal(timeline->joined, 0);
	assert_int_equal(timeline->spans[0].by, 7);
}

TEST(short_neighbours_are_joined_until_the_limit_holds_and_no_time_is_lost)
{
	enum { SPANS = 300000, LENGTH = 300 };
	CLEANUP(timeline) struct timeline *timeline = timeline_new(0, (uint64_t)2 * SPANS * LENGTH);
	uint64_t time = 0, count = 0, long_ones = 0;

	(void)timeline_state(timeline, "a", "a", "running");
	(void)timeline_state(timeline, "b", "b", "waiting");
	for (uint64_t i = 0; i < SPANS; i++)             /* of each three nanoseconds two are in state 1 */
		for (uint32_t part = 0; part < 2; part++)
			add(timeline, (uint32_t)(i >= SPANS / 2), part, i * LENGTH + (part ? 100 : 0), i * LENGTH + (part ? LENGTH : 100));
	add(timeline, 2, 0, 5000000, 50000000);
	timeline_finish(timeline);
	assert_true(timeline->span_count <= TIMELINE_SPANS_MOST);
	for (size_t i = 0; i < timeline->span_count; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		if (span->lane == 2)
			long_ones += span->end - span->start;
		else
			time += span->end - span->start;
		count += span->count;
		if (span->count > 1)
			assert_int_equal(span->by, 0);
		if (span->count > 1)
			assert_int_equal(span->state, 1);
		assert_true(!i || timeline->spans[i - 1].lane < span->lane || timeline->spans[i - 1].end <= span->start);
	}
	assert_int_equal(time, (uint64_t)SPANS * LENGTH);
	assert_int_equal(long_ones, 45000000);
	assert_int_equal(count, 2 * SPANS + 1);
	assert_int_equal(timeline->joined, 2 * SPANS + 1 - timeline->span_count);
}

TEST(what_only_holes_part_is_left_out_and_counted)
{
	enum { SPANS = TIMELINE_SPANS_MOST + 5 };
	CLEANUP(timeline) struct timeline *timeline = timeline_new(0, (uint64_t)SPANS * 10);

	(void)timeline_state(timeline, "a", "a", "running");
	for (uint64_t i = 0; i < SPANS; i++)
		add(timeline, 0, 0, i * 10, i * 10 + 5);
	timeline_finish(timeline);
	assert_int_equal(timeline->span_count, TIMELINE_SPANS_MOST);
	assert_int_equal(timeline->left_out, 5);
}
