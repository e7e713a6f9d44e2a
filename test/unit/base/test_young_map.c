/* SPDX-License-Identifier: Apache-2.0 */
#include "base/young_map.h"

#include "test.h"

enum { LIMIT = 100 };

TEST(what_nobody_asks_for_is_forgotten_and_what_is_asked_for_stays)
{
	CLEANUP(young_map) struct young_map *map = young_map_new(sizeof(uint32_t), LIMIT);
	uint32_t asked = 7, other = 8, value = 0;

	young_map_put(map, &asked, 70);
	young_map_put(map, &other, 80);
	for (uint32_t key = 1000; key < 1000 + 10 * LIMIT; key++) {
		young_map_put(map, &key, key);
		assert_true(young_map_find(map, &asked, &value) && value == 70);
		assert_true(young_map_count(map) <= 2 * LIMIT);
	}
	assert_false(young_map_find(map, &other, NULL));
}

TEST(the_last_ones_up_to_the_limit_are_always_there)
{
	CLEANUP(young_map) struct young_map *map = young_map_new(sizeof(uint32_t), LIMIT);
	uint32_t value;

	for (uint32_t key = 0; key < 10 * LIMIT; key++)
		young_map_put(map, &key, key + 1);
	for (uint32_t key = 9 * LIMIT; key < 10 * LIMIT; key++)
		assert_true(young_map_find(map, &key, &value) && value == key + 1);
}

TEST(what_is_put_again_has_its_new_value)
{
	CLEANUP(young_map) struct young_map *map = young_map_new(sizeof(uint32_t), 1);
	uint32_t key = 1, other = 2, value;

	young_map_put(map, &key, 5);
	young_map_put(map, &other, 6);
	young_map_put(map, &key, 7);
	assert_true(young_map_find(map, &key, &value) && value == 7);
}
