/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings come, go and cover each other, as mmap lets them. */
#include "test.h"

#include "probe/space.h"

static struct space_mapping at(uint64_t start, uint64_t end, uint32_t file)
{
	return (struct space_mapping){ .start = start, .end = end, .file = { file } };
}

static uint32_t file_at(struct spaces *spaces, uint64_t address)
{
	struct space_mapping *mapping = spaces_find(spaces, 1, address);

	return mapping ? mapping->file.index : 0;
}

TEST(a_space_that_is_forgotten_is_gone_and_the_others_stay)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	for (uint32_t pid = 1; pid <= 100; pid++)
		spaces_add(spaces, pid, at(0x1000, 0x2000, pid));
	for (uint32_t pid = 2; pid <= 100; pid += 2)
		spaces_forget(spaces, pid);
	spaces_forget(spaces, 1000);
	for (uint32_t pid = 1; pid <= 100; pid++) {
		const struct space_mapping *mapping = spaces_find(spaces, pid, 0x1000);

		assert_int_equal(spaces_knows(spaces, pid), pid % 2);
		assert_int_equal(mapping ? mapping->file.index : 0, pid % 2 ? pid : 0);
	}
}

TEST(a_newer_mapping_cuts_the_one_below_it_in_three)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_add(spaces, 1, at(0x1000, 0x5000, 7));
	spaces_add(spaces, 1, at(0x2000, 0x3000, 8));
	assert_int_equal(file_at(spaces, 0x1fff), 7);
	assert_int_equal(file_at(spaces, 0x2000), 8);
	assert_int_equal(file_at(spaces, 0x3000), 7);
	assert_int_equal(spaces_find(spaces, 1, 0x3000)->offset, 0x2000);
	assert_int_equal(file_at(spaces, 0x5000), 0);
}

TEST(a_mapping_over_several_replaces_them_all)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_add(spaces, 1, at(0x1000, 0x2000, 1));
	spaces_add(spaces, 1, at(0x2000, 0x3000, 2));
	spaces_add(spaces, 1, at(0x3000, 0x4000, 3));
	spaces_add(spaces, 1, at(0x1800, 0x3800, 9));
	assert_int_equal(file_at(spaces, 0x17ff), 1);
	assert_int_equal(file_at(spaces, 0x2800), 9);
	assert_int_equal(file_at(spaces, 0x3800), 3);
	assert_int_equal(spaces_find(spaces, 1, 0x3800)->offset, 0x800);
}

TEST(an_empty_or_backward_mapping_is_nothing)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_add(spaces, 1, at(0x2000, 0x2000, 1));
	spaces_add(spaces, 1, at(0x3000, 0x2000, 1));
	assert_int_equal(file_at(spaces, 0x2000), 0);
}

TEST(parents_that_point_at_each_other_do_not_hang)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_fork(spaces, 1, 2);
	spaces_fork(spaces, 2, 1);
	assert_null(spaces_find(spaces, 1, 0x1000));
}

TEST(a_pid_used_again_is_a_new_generation)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_fork(spaces, 5, 1);
	assert_int_equal(spaces_generation(spaces, 5), 0);
	spaces_fork(spaces, 5, 1);
	assert_int_equal(spaces_generation(spaces, 5), 1);
	spaces_exec(spaces, 5);
	assert_int_equal(spaces_generation(spaces, 5), 2);
}

TEST(a_copy_is_the_childs_own_and_outlives_the_parent)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();
	size_t count;

	spaces_add(spaces, 1, at(0x1000, 0x2000, 1));
	spaces_add(spaces, 1, at(0x3000, 0x4000, 2));
	spaces_copy(spaces, 2, 1);
	spaces_add(spaces, 2, at(0x5000, 0x6000, 3));
	spaces_drop(spaces, 1);
	assert_int_equal(spaces_list(spaces, 2, &count)[1].file.index, 2);
	assert_int_equal(count, 3);
	(void)spaces_list(spaces, 1, &count);
	assert_int_equal(count, 0);
}

TEST(a_child_keeps_what_it_used_of_a_parent_that_is_gone)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();
	size_t count;

	spaces_add(spaces, 2, at(0x1000, 0x2000, 1));
	spaces_add(spaces, 2, at(0x3000, 0x4000, 2));
	spaces_fork(spaces, 1, 2);
	spaces_add(spaces, 1, at(0x1800, 0x3800, 3));
	spaces_end(spaces, 2);
	spaces_end(spaces, 9);
	(void)spaces_list(spaces, 2, &count);
	assert_int_equal(count, 0);
	assert_int_equal(file_at(spaces, 0x1000), 1);
	assert_int_equal(file_at(spaces, 0x1800), 3);
	assert_int_equal(file_at(spaces, 0x3000), 3);
	assert_int_equal(file_at(spaces, 0x3800), 2);
	assert_int_equal(file_at(spaces, 0x4000), 0);
}

TEST(who_gets_the_number_of_a_retired_process_is_the_next_generation)
{
	CLEANUP(spaces) struct spaces *spaces = spaces_new();

	spaces_fork(spaces, 7, 1);
	spaces_exec(spaces, 7);
	spaces_retire(spaces, 7);
	assert_true(!spaces_knows(spaces, 7) && spaces_generation(spaces, 7) == 2);
	assert_int_equal(spaces_generation(spaces, 8), 0);
	spaces_fork(spaces, 7, 1);
	assert_int_equal(spaces_generation(spaces, 7), 2);
	for (uint32_t generation = 2; generation < 1000; generation++) {
		assert_int_equal(spaces_generation(spaces, 7) >= generation, 1);
		spaces_retire(spaces, 7);
		assert_true(spaces_generation(spaces, 7) > generation);
		spaces_fork(spaces, 7, 1);
	}
	spaces_fork(spaces, UINT32_MAX, 1);             /* no kernel gives such a number */
	spaces_retire(spaces, UINT32_MAX);
	assert_int_equal(spaces_generation(spaces, UINT32_MAX), 1);
	assert_null(spaces_find(spaces, UINT32_MAX, 0x1000));
}
