/* SPDX-License-Identifier: Apache-2.0 */
/* Places are taken, given back and joined, and none is ever lost or handed out twice. */
#include "test.h"

#include "base/extents.h"

#include <stdlib.h>
#include <string.h>

TEST(what_is_taken_is_taken_from_the_front_and_nothing_is_left_at_last)
{
	struct extents free;

	extents_init(&free, 10);
	assert_int_equal(extents_take(&free, 4), 0);
	assert_int_equal(extents_take(&free, 4), 4);
	assert_int_equal(extents_take(&free, 4), EXTENTS_NONE);
	assert_int_equal(extents_take(&free, 2), 8);
	assert_int_equal(extents_take(&free, 1), EXTENTS_NONE);
	extents_done(&free);
}

TEST(neighbours_are_joined_on_both_sides)
{
	struct extents free;

	extents_init(&free, 9);
	for (int i = 0; i < 3; i++)
		(void)extents_take(&free, 3);
	extents_give(&free, 0, 3);
	extents_give(&free, 6, 3);
	assert_int_equal(free.count, 2);
	extents_give(&free, 3, 3);
	assert_int_equal(free.count, 1);
	assert_int_equal(extents_take(&free, 9), 0);
	extents_done(&free);
}

TEST(a_thousand_takes_and_gives_at_random_keep_every_place_to_one_owner)
{
	enum { PLACES = 500, OWNERS = 40 };
	unsigned char owner[PLACES] = { 0 };
	struct { uint32_t first, count; } owned[OWNERS] = { 0 };
	struct extents free;

	srandom(7);
	extents_init(&free, PLACES);
	for (int i = 0; i < 1000; i++) {
		size_t who = (size_t)random() % OWNERS;

		if (owned[who].count) {
			memset(owner + owned[who].first, 0, owned[who].count);
			extents_give(&free, owned[who].first, owned[who].count);
			owned[who].count = 0;
			continue;
		}
		owned[who].count = 1 + (uint32_t)random() % 30;
		owned[who].first = extents_take(&free, owned[who].count);
		if (owned[who].first == EXTENTS_NONE) {
			owned[who].count = 0;
			continue;
		}
		for (uint32_t k = 0; k < owned[who].count; k++)
			assert_int_equal(owner[owned[who].first + k], 0);
		memset(owner + owned[who].first, 1, owned[who].count);
	}
	for (size_t i = 0; i < OWNERS; i++)
		extents_give(&free, owned[i].first, owned[i].count);
	assert_int_equal(free.count, 1);
	assert_int_equal(free.free[0].count, PLACES);
	extents_done(&free);
}
