/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "base/row_index.h"
#include "profile/storage.h"
#include "test.h"

#include <string.h>

TEST(equal_texts_have_one_id_and_none_is_empty)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct string_id a = profile_string(profile, "read"),
			 b = profile_string_size(profile, "readable", 4);

	assert_int_equal(a.index, b.index);
	assert_int_equal(profile_string(profile, NULL).index, 0);
	assert_int_equal(profile_string(profile, "").index, 0);
	assert_int_equal(profile_string_size(profile, "x", 0).index, 0);
	assert_string_equal(profile_text(profile, a), "read");
}

TEST(a_part_brings_its_state_along_and_equal_rows_have_one_id)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_id read = profile_dimension(profile, dimension_row_find("disk", "read"));
	struct dimension_id disk = profile_dimension(profile, dimension_row_find(NULL, "disk"));
	const struct dimension *row = profile_dimension_at(profile, read.index);

	assert_int_equal(row->parent.index, disk.index);
	assert_true(disk.index < read.index);
	assert_int_equal(profile_dimension_count(profile), 3);
	assert_int_equal(profile_dimension(profile, dimension_row_find("disk", "read")).index,
			 read.index);
	assert_string_equal(
		profile_text(profile, profile_dimension_at(profile, disk.index)->meaning),
		"waits for storage");
	assert_int_equal(profile_dimension_root(profile, read).index, disk.index);
	assert_int_equal(profile_dimension_root(profile, disk).index, disk.index);
}

TEST(a_part_of_an_unknown_state_makes_it)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_row row = { .name = "kernels",
				     .parent = "gpu",
				     .unit = "ns",
				     .kind = DIMENSION_WAITING,
				     .meaning = "m" };
	struct dimension_id part = profile_dimension(profile, &row);

	assert_int_equal(profile_dimension_find(profile, "gpu", "kernels").index, part.index);
	assert_int_not_equal(profile_dimension_find(profile, NULL, "gpu").index, 0);
	assert_null(profile_broken(profile));
}

TEST(one_name_with_two_units_is_two_dimensions)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_row row = { .name = "alloc", .unit = "bytes", .kind = DIMENSION_AMOUNT };
	struct dimension_id bytes = profile_dimension(profile, &row);

	row.unit = "count";
	assert_int_not_equal(profile_dimension(profile, &row).index, bytes.index);
}

TEST(beyond_its_limit_a_table_gives_none_and_counts_the_loss)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct wait_evidence seen = { 0 };

	(void)profile_slice(profile, 0, 1);
	for (uint32_t i = 1; i < PROFILE_EVIDENCE_LIMIT; i++) {
		seen.flags = i;
		assert_int_equal(profile_evidence(profile, &seen).index, i);
	}
	seen.flags = PROFILE_EVIDENCE_LIMIT;
	assert_int_equal(profile_evidence(profile, &seen).index, 0);
	assert_int_equal(profile_evidence(profile, &seen).index, 0);
	seen.flags = 5;
	assert_int_equal(profile_evidence(profile, &seen).index, 5);
	assert_int_equal(profile_loss_count(profile), 1);
	assert_int_equal(profile_loss_at(profile, 0)->lost, 2);
	assert_int_equal(profile_loss_at(profile, 0)->slice.index, 1);
}

TEST(processes_are_known_by_pid_and_generation_threads_never)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct process process = { .pid = 7, .comm = profile_string(profile, "sh") };
	struct process_id first = profile_process(profile, process), second;
	struct thread thread = { .process = first, .tid = 7 };

	process.comm = profile_string(profile, "other");
	assert_int_equal(profile_process(profile, process).index, first.index);
	assert_string_equal(profile_text(profile, profile_process_at(profile, first.index)->comm),
			    "sh");
	process.generation = 1;
	second = profile_process(profile, process);
	assert_int_not_equal(second.index, first.index);
	assert_int_not_equal(profile_thread(profile, thread).index,
			     profile_thread(profile, thread).index);
	profile_thread_edit(profile, (struct thread_id){ 1 })->end_ns = 9;
	assert_int_equal(profile_thread_at(profile, 1)->end_ns, 9);
}

TEST(stacks_are_a_tree_without_doubles)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id main = profile_frame(
		profile, (struct frame){ .name = profile_string(profile, "main") });
	struct frame_id read = profile_frame(
		profile, (struct frame){ .name = profile_string(profile, "read"), .line = 3 });
	struct stack_id root = profile_stack(profile, (struct stack_id){ 0 }, main, STACK_COMPLETE);
	struct stack_id leaf = profile_stack(profile, root, read, STACK_COMPLETE);

	assert_int_equal(profile_stack(profile, root, read, STACK_COMPLETE).index, leaf.index);
	assert_int_not_equal(profile_stack(profile, root, read, STACK_TRUNCATED).index, leaf.index);
	assert_int_not_equal(
		profile_stack(profile, (struct stack_id){ 0 }, read, STACK_COMPLETE).index,
		leaf.index);
	assert_int_equal(profile_stack_at(profile, leaf.index).parent.index, root.index);
	assert_int_not_equal(
		profile_frame(profile,
			      (struct frame){ .name = profile_string(profile, "read"), .line = 4 })
			.index,
		read.index);
}

enum { WALKS = 500, DEPTH = 40 };

/* From the root on the n-th takes n % 16 frames of the first one's and goes its own way then. */
static struct stack_id walk(struct profile *profile, uint32_t n)
{
	struct stack_id stack = { 0 };

	for (uint32_t i = 0; i < DEPTH; i++) {
		struct frame_id frame = profile_frame(profile, (struct frame){ .line = i < n % 16 ? i : i + 100 * n });

		stack = profile_stack(profile, stack, frame, STACK_COMPLETE);
	}
	return stack;
}

TEST(stacks_that_go_on_behind_each_other_take_no_room_in_the_index_and_keep_no_parent)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct stack_id leaves[WALKS];
	size_t count;

	for (uint32_t i = 0; i < WALKS; i++)
		leaves[i] = walk(profile, i);
	count = profile_stack_count(profile);
	assert_true(count > WALKS * DEPTH / 2);
	for (uint32_t i = 0; i < WALKS; i++)
		assert_int_equal(walk(profile, i).index, leaves[i].index);
	assert_int_equal(profile_stack_count(profile), count);
	assert_true(row_index_bytes(profile->stack_index) < count);
	assert_in_range(profile->stacks.parent_count, WALKS, WALKS + 1);        /* kept of a walk's first own row, and of none */
}

TEST(equal_measures_files_objects_and_evidence_have_one_id)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct measure measure = { .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT };
	struct measure_id id = profile_measure(profile, measure);
	struct object object = { profile_string(profile, "lock"), { 0 }, 16 };
	struct wait_evidence seen = { .syscall = 1 }, again = { .syscall = 1, .reserved = 77 };

	assert_int_equal(profile_measure(profile, measure).index, id.index);
	measure.period = 1;
	assert_int_not_equal(profile_measure(profile, measure).index, id.index);
	assert_int_equal(profile_file(profile, "/a", "00").index,
			 profile_file(profile, "/a", "00").index);
	assert_int_not_equal(profile_file(profile, "/a", "00").index,
			     profile_file(profile, "/a", "01").index);
	assert_int_equal(profile_file(profile, NULL, NULL).index, 0);
	assert_int_equal(profile_object(profile, object).index,
			 profile_object(profile, object).index);
	assert_int_equal(profile_evidence(profile, &seen).index,
			 profile_evidence(profile, &again).index);
}

TEST(a_class_can_be_given_again_and_none_stays_none)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct evidence_id id = profile_evidence(profile, &(struct wait_evidence){ .syscall = 1 });
	struct dimension_id disk = profile_dimension(profile, dimension_row_find(NULL, "disk"));

	profile_evidence_class(profile, id, disk, profile_string(profile, "a"), false);
	profile_evidence_class(profile, id, disk, profile_string(profile, "b"), true);
	profile_evidence_class(profile, (struct evidence_id){ 0 }, disk,
			       profile_string(profile, "c"), true);
	assert_string_equal(profile_text(profile, profile_evidence_at(profile, id.index)->rule),
			    "b");
	assert_true(profile_evidence_at(profile, id.index)->ambiguous);
	assert_int_equal(profile_evidence_at(profile, 0)->class.index, 0);
}
