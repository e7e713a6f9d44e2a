/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "test.h"

#include <stdlib.h>

static struct profile *facts_profile(void)
{
	struct profile *profile = profile_new();

	(void)profile_slice(profile, 0, 1000);
	(void)profile_slice(profile, 1000, 2000);
	(void)profile_thread(profile, (struct thread){ .tid = 1 });
	(void)profile_thread(profile, (struct thread){ .tid = 2 });
	(void)profile_measure(
		profile, (struct measure){ .dimension = profile_dimension(
						   profile, dimension_row_find("oncpu", "user")),
					   .role = ROLE_TOTAL,
					   .weighting = WEIGHTING_EXACT });
	return profile;
}

TEST(cells_with_equal_keys_are_added_up)
{
	CLEANUP(profile) struct profile *profile = facts_profile();
	struct cell cell = { .slice = { 1 },
			     .thread = { 1 },
			     .measure = { 1 },
			     .p_log2 = 3,
			     .count = 2,
			     .value = 10,
			     .maximum = 7,
			     .variance = 1.5 };
	const struct cell *sum;

	profile_add_cell(profile, cell);
	cell.maximum = 5;
	profile_add_cell(profile, cell);
	cell.maximum = 9;
	profile_add_cell(profile, cell);
	assert_int_equal(profile_cell_count(profile), 1);
	sum = profile_cell_at(profile, 0);
	assert_true(sum->count == 6 && sum->value == 30 && sum->maximum == 9 &&
		    sum->variance == 4.5);
	assert_true(cell_weight(sum) == 240);
}

TEST(each_part_of_the_key_keeps_cells_apart)
{
	CLEANUP(profile) struct profile *profile = facts_profile();
	struct cell cell = { .slice = { 1 }, .thread = { 1 }, .measure = { 1 }, .value = 1 };
	size_t count = 1;

	(void)profile_object(profile, (struct object){ .address = 1 });
	(void)profile_evidence(profile, &(struct wait_evidence){ .syscall = 1 });
	(void)profile_stack(profile, (struct stack_id){ 0 }, (struct frame_id){ 0 }, STACK_FAILED);
	profile_add_cell(profile, cell);
#define OTHER(member)                                                   \
	do {                                                            \
		struct cell other = cell;                               \
		other.member ^= 1;                                      \
		profile_add_cell(profile, other);                       \
		assert_int_equal(profile_cell_count(profile), ++count); \
	} while (0)
	OTHER(slice.index);
	OTHER(thread.index);
	OTHER(evidence.index);
	OTHER(stack.index);
	OTHER(object.index);
	OTHER(other.index);
	OTHER(other_stack.index);
	OTHER(p_log2);
	OTHER(length_log2);
	profile_add_cell(profile, cell);
	assert_int_equal(profile_cell_count(profile), count);
}

TEST(completions_losses_and_costs_with_equal_keys_are_added_up)
{
	CLEANUP(profile) struct profile *profile = facts_profile();
	struct completion completion = { .slice = { 1 },
					 .source = profile_string(profile, "http"),
					 .port = 80,
					 .class = profile_string(profile, "200"),
					 .outcome = OUTCOME_CORRECT,
					 .count = 5 };

	for (int i = 0; i < 3; i++) {
		profile_add_completion(profile, completion);
		profile_add_loss(profile, (struct loss){ { 1 }, completion.source, 10, 1 });
		profile_add_own_cost(profile,
				     (struct own_cost){ { 1 }, completion.source, 100, 2 });
	}
	completion.outcome = OUTCOME_INCORRECT;
	profile_add_completion(profile, completion);
	profile_add_loss(profile, (struct loss){ { 2 }, completion.source, 10, 1 });
	assert_int_equal(profile_completion_count(profile), 2);
	assert_int_equal(profile_completion_at(profile, 0)->count, 15);
	assert_int_equal(profile_loss_count(profile), 2);
	assert_int_equal(profile_loss_at(profile, 0)->seen, 30);
	assert_int_equal(profile_loss_at(profile, 0)->lost, 3);
	assert_int_equal(profile_own_cost_count(profile), 1);
	assert_true(profile_own_cost_at(profile, 0)->ns == 300 &&
		    profile_own_cost_at(profile, 0)->events == 6);
}

TEST(clearing_facts_keeps_dictionaries_and_begins_anew)
{
	CLEANUP(profile) struct profile *profile = facts_profile();
	struct cell cell = { .slice = { 1 }, .thread = { 1 }, .measure = { 1 }, .value = 1 };

	profile_add_cell(profile, cell);
	profile_add_interval(profile,
			     (struct interval){ .thread = { 1 }, .start_ns = 1, .end_ns = 2 });
	profile_add_link(profile, (struct link){ .interval = 0 });
	profile_add_request(profile, (struct request){ .thread = { 1 } });
	profile_add_part(profile, (struct part){ .request = 0 });
	profile_add_guard_step(profile, (struct guard_step){ .at_ns = 1 });
	profile_clear_facts(profile);
	assert_int_equal(profile_cell_count(profile) + profile_interval_count(profile) +
				 profile_link_count(profile) + profile_request_count(profile) +
				 profile_part_count(profile),
			 0);
	assert_int_equal(profile_thread_count(profile), 3);
	assert_int_equal(profile_slice_count(profile), 3);
	assert_int_equal(profile_guard_step_count(profile), 1);
	cell.value = 2;
	profile_add_cell(profile, cell);
	assert_int_equal(profile_cell_at(profile, 0)->value, 2);
	assert_null(profile_broken(profile));
}

TEST(cells_are_added_up_in_whatever_order_their_slices_come)
{
	static const uint32_t orders[][6] = { { 1, 2, 1, 2, 1, 2 },
					      { 2, 1, 1, 2, 2, 1 },
					      { 1, 1, 1, 2, 2, 2 },
					      { 0, 2, 1, 0, 2, 1 } };

	for (size_t order = 0; order < 4; order++) {
		CLEANUP(profile) struct profile *profile = facts_profile();

		for (int round = 0; round < 2; round++) {
			for (size_t i = 0; i < 6; i++)
				profile_add_cell(profile,
						 (struct cell){ .slice = { orders[order][i] },
								.thread = { 1 },
								.measure = { 1 },
								.count = 1 });
			assert_int_equal(profile_cell_count(profile), order < 3 ? 2 : 3);
			assert_int_equal(profile_cell_at(profile, 0)->count, order < 3 ? 3 : 2);
			profile_clear_facts(profile);
		}
	}
}

TEST(many_cells_are_found_again)
{
	CLEANUP(profile) struct profile *profile = facts_profile();

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 50000; i++)
			profile_add_cell(profile,
					 (struct cell){ .slice = { 1 },
							.thread = { i & 1 },
							.measure = { 1 },
							.p_log2 = (uint8_t)(i >> 1 & 63),
							.length_log2 = (uint8_t)(i >> 7 & 63),
							.value = i,
							.count = 1 });
	assert_int_equal(profile_cell_count(profile), 8192);
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		assert_true(profile_cell_at(profile, i)->count >= 12);
}
