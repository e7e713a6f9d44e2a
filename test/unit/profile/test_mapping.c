/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "test.h"

#include <stdbool.h>
#include <stdlib.h>

static void map(struct profile *profile, uint32_t file, uint64_t start, uint64_t end,
		uint64_t since)
{
	profile_mapping(profile, (struct mapping){ { 1 }, { file }, start, end, 0, since });
}

static uint32_t file_at(const struct profile *profile, uint64_t address)
{
	const struct mapping *mapping = profile_mapping_of(profile, (struct process_id){ 1 },
							   address);

	return mapping ? mapping->file.index : 0;
}

static struct profile *mapped(void)
{
	struct profile *profile = profile_new();
	static const char *const paths[] = { "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h" };

	(void)profile_process(profile, (struct process){ .pid = 1 });
	(void)profile_process(profile, (struct process){ .pid = 2 });
	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
		(void)profile_file(profile, paths[i], NULL);
	return profile;
}

TEST(the_newest_mapping_wins_where_they_overlap)
{
	CLEANUP(profile) struct profile *profile = mapped();

	map(profile, 1, 100, 200, 1);
	map(profile, 2, 300, 400, 2);
	map(profile, 3, 150, 350, 3);
	assert_int_equal(file_at(profile, 99), 0);
	assert_int_equal(file_at(profile, 100), 1);
	assert_int_equal(file_at(profile, 149), 1);
	assert_int_equal(file_at(profile, 150), 3);
	assert_int_equal(file_at(profile, 349), 3);
	assert_int_equal(file_at(profile, 350), 2);
	assert_int_equal(file_at(profile, 399), 2);
	assert_int_equal(file_at(profile, 400), 0);
	map(profile, 4, 160, 170, 4);
	assert_int_equal(file_at(profile, 159), 3);
	assert_int_equal(file_at(profile, 160), 4);
	assert_int_equal(file_at(profile, 170), 3);
}

TEST(a_mapping_harvested_late_does_not_cover_a_newer_one)
{
	CLEANUP(profile) struct profile *profile = mapped();

	map(profile, 1, 100, 200, 9);
	map(profile, 2, 50, 250, 3);
	assert_int_equal(file_at(profile, 60), 2);
	assert_int_equal(file_at(profile, 150), 1);
	assert_int_equal(file_at(profile, 220), 2);
}

TEST(what_lies_there_already_is_not_added_twice)
{
	CLEANUP(profile) struct profile *profile = mapped();

	map(profile, 1, 100, 200, 1);
	map(profile, 1, 100, 200, 5);
	map(profile, 1, 100, 201, 6);
	map(profile, 1, 300, 300, 7);
	assert_int_equal(profile_mapping_count(profile), 2);
}

TEST(processes_have_address_spaces_of_their_own)
{
	CLEANUP(profile) struct profile *profile = mapped();

	map(profile, 1, 0, UINT64_MAX, 1);
	assert_int_equal(file_at(profile, UINT64_MAX - 1), 1);
	assert_null(profile_mapping_of(profile, (struct process_id){ 2 }, 5));
	assert_null(profile_mapping_of(profile, (struct process_id){ 0 }, 5));
	profile_freeze(profile);
	assert_int_equal(file_at(profile, 0), 1);
}

TEST(a_process_that_ended_maps_nothing_and_its_rows_stay)
{
	CLEANUP(profile) struct profile *profile = mapped();

	map(profile, 1, 0x1000, 0x2000, 1);
	profile_process_unmapped(profile, (struct process_id){ 1 });
	profile_process_unmapped(profile, (struct process_id){ 2 });
	assert_int_equal(file_at(profile, 0x1000), 0);
	assert_int_equal(profile_mapping_count(profile), 1);
}

/* Against the obvious way: of all mappings that hold the address the newest, of equally new ones
 * the last. */
TEST(any_order_of_mappings_answers_like_looking_at_all_of_them)
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		CLEANUP(profile) struct profile *profile = mapped();

		srand(seed);
		for (int i = 0; i < 60; i++) {
			uint64_t start = (uint64_t)rand() % 500;

			map(profile, 1 + (uint32_t)rand() % 8, start,
			    start + 1 + (uint64_t)rand() % 100, (uint64_t)rand() % 5);
		}
		for (uint64_t address = 0; address < 610; address++) {
			const struct mapping *best = NULL;

			for (size_t i = 0; i < profile_mapping_count(profile); i++) {
				const struct mapping *row = profile_mapping_at(profile, i);

				if (row->start <= address && address < row->end &&
				    (!best || row->since_ns >= best->since_ns))
					best = row;
			}
			assert_int_equal(file_at(profile, address), best ? best->file.index : 0);
		}
	}
}
