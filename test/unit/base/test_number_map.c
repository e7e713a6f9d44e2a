/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_map.h"

#include "test.h"

enum { NUMBERS = 100000 };

static uint64_t number(uint32_t i)
{
	return (uint64_t)(i + 1) << 8 | (i % 3 ? 0 : 1ull << 63);
}

TEST(each_number_has_its_value_and_others_have_none)
{
	CLEANUP(number_map) struct number_map *map = number_map_new();

	assert_null(number_map_find(map, 0));
	for (uint32_t i = 0; i < NUMBERS; i++) {
		assert_null(number_map_find(map, number(i)));
		number_map_put(map, number(i), i);
		assert_int_equal(*number_map_find(map, number(i)), i);
	}
	assert_int_equal(number_map_count(map), NUMBERS);
	for (uint32_t i = 0; i < NUMBERS; i++)
		assert_int_equal(*number_map_find(map, number(i)), i);
	assert_null(number_map_find(map, 0));
	assert_null(number_map_find(map, number(NUMBERS)));
}

TEST(a_number_that_is_put_again_has_its_new_value)
{
	CLEANUP(number_map) struct number_map *map = number_map_new();

	number_map_put(map, UINT64_MAX, 0);
	number_map_put(map, UINT64_MAX, 7);
	assert_int_equal(*number_map_find(map, UINT64_MAX), 7);
	assert_int_equal(number_map_count(map), 1);
	number_map_clear(map);
	assert_null(number_map_find(map, UINT64_MAX));
	assert_int_equal(number_map_count(map), 0);
	number_map_put(map, 1, 2);
	assert_int_equal(*number_map_find(map, 1), 2);
}

TEST(an_entry_takes_at_most_23_bytes)
{
	CLEANUP(number_map) struct number_map *map = number_map_new();

	for (uint32_t i = 0; i < NUMBERS; i++) {
		number_map_put(map, number(i), i);
		assert_true(i < 1000 || number_map_bytes(map) <= 23ul * (i + 1));
	}
}
