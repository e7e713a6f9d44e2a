/* SPDX-License-Identifier: Apache-2.0 */
/* The stopping rules of confirm, classify, attribute and test; the order of blocks; when one is void. */
#include "test.h"

#include "investigate/investigate.h"

#include <math.h>
#include <string.h>

static const struct pass_facts sound = {
	.correct = { 1000, 900 }, .elapsed_ns = { 1e6, 4e6 }, .oncpu_ns = { 5e5, 5e5 }, .active_ns = { 1e6, 3e6 },
	.largest_growth_ns = 1e6, .largest = "disk", .unresolved_fraction = 0.01, .lost_fraction = 0, .blocks = 3,
};

static bool stops(const char *name, struct pass_facts facts, const char *words)
{
	char why[300] = "";
	bool stopped = false;

	for (const struct pass *const *row = passes; *row; row++)
		if (!strcmp((*row)->name, name))
			stopped = (*row)->stop(&facts, why, sizeof(why));
	if (stopped)
		assert_non_null(strstr(why, words));
	return stopped;
}

TEST(sound_evidence_goes_on_in_the_order_of_the_passes)
{
	static const char *const names[] = { "confirm", "classify", "attribute", "test" };

	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(passes[i]->name, names[i]);
		assert_false(stops(names[i], sound, ""));
	}
	assert_null(passes[4]);
}

TEST(queueing_before_the_process_stops_the_first_pass)
{
	struct pass_facts facts = sound;

	facts.elapsed_ns[1] = 60e6;
	assert_true(stops("confirm", facts, "queueing before the process"));
	facts.elapsed_ns[0] = facts.elapsed_ns[1] = NAN;
	assert_false(stops("confirm", facts, ""));
	facts.correct[1] = 0;
	assert_true(stops("confirm", facts, "candidate"));
}

TEST(running_time_that_grew_most_stops_the_second_unless_it_was_predicted)
{
	struct pass_facts facts = sound;

	facts.largest = "oncpu";
	assert_true(stops("classify", facts, "on-CPU growth"));
	facts.expects_cpu = true;
	assert_false(stops("classify", facts, ""));
	facts = sound;
	facts.largest = "";
	assert_true(stops("classify", facts, "no state grew"));
}

TEST(names_and_events_that_are_missing_stop_the_third)
{
	struct pass_facts facts = sound;

	facts.unresolved_fraction = 0.2;
	assert_true(stops("attribute", facts, "symbol loss"));
	facts.unresolved_fraction = NAN;
	assert_false(stops("attribute", facts, ""));
	facts.lost_fraction = 0.5;
	assert_true(stops("attribute", facts, "lost events"));
}

TEST(a_load_that_is_always_late_stops_the_test)
{
	struct pass_facts facts = sound;

	facts.voided = 6;
	assert_false(stops("test", facts, ""));
	facts.blocks = 0;
	assert_true(stops("test", facts, "late"));
}

TEST(every_arm_has_one_block_in_each_pair_and_no_order_is_favoured)
{
	unsigned first[3] = { 0 }, order[3], again[3];

	for (unsigned pair = 1; pair <= 600; pair++) {
		schedule_order(7, pair, 3, order);
		schedule_order(7, pair, 3, again);
		assert_memory_equal(order, again, sizeof(order));
		assert_int_equal((1u << order[0]) | (1u << order[1]) | (1u << order[2]), 7);
		first[order[0]]++;
	}
	for (unsigned arm = 0; arm < 3; arm++)
		assert_true(first[arm] > 150 && first[arm] < 250);
}

TEST(a_block_is_void_by_the_share_of_its_tail)
{
	assert_true(block_is_void(2e5, 1e7, 0.01));
	assert_false(block_is_void(9e4, 1e7, 0.01));
	assert_false(block_is_void(NAN, 1e7, 0.01));
}
