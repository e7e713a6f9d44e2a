/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#include "test.h"

struct key {
	uint64_t a;
	uint32_t b;
	uint32_t zero;
};

TEST(an_absent_key_is_not_found)
{
	CLEANUP(map) struct map *map = map_new(sizeof(struct key));

	assert_null(map_find(map, &(struct key){ .a = 1 }));
	assert_int_equal(map_count(map), 0);
}

TEST(a_new_key_starts_at_zero_and_keeps_its_value)
{
	CLEANUP(map) struct map *map = map_new(sizeof(struct key));
	struct key key = { .a = 7, .b = 9 };
	bool added = false;
	uint32_t *value = map_put(map, &key, &added);

	assert_true(added);
	assert_int_equal(*value, 0);
	*value = 42;
	assert_int_equal(*map_put(map, &key, &added), 42);
	assert_false(added);
	assert_int_equal(*map_find(map, &key), 42);
	assert_int_equal(map_count(map), 1);
}

TEST(fifty_thousand_keys_keep_their_values_while_the_table_grows)
{
	CLEANUP(map) struct map *map = map_new(sizeof(struct key));

	for (uint32_t i = 0; i < 50000; i++)
		*map_put(map, &(struct key){ .a = i * 4096ull, .b = i % 3 }, NULL) = i + 1;
	assert_int_equal(map_count(map), 50000);
	for (uint32_t i = 0; i < 50000; i++)
		assert_int_equal(*map_find(map, &(struct key){ .a = i * 4096ull, .b = i % 3 }), i + 1);
	assert_null(map_find(map, &(struct key){ .a = 4096, .b = 2 }));
}

TEST(what_was_removed_is_gone_and_every_other_key_is_still_found)
{
	CLEANUP(map) struct map *map = map_new(sizeof(uint32_t));

	for (uint32_t i = 0; i < 20000; i++)
		*map_put(map, &i, NULL) = i + 1;
	for (uint32_t i = 0; i < 20000; i++)
		if (i % 7)
			assert_true(map_remove(map, &i));
	assert_false(map_remove(map, &(uint32_t){ 1 }));
	assert_int_equal(map_count(map), (20000 + 6) / 7);
	for (uint32_t i = 0; i < 20000; i++) {
		const uint32_t *value = map_find(map, &i);

		if (i % 7)
			assert_null(value);
		else
			assert_int_equal(*value, i + 1);
	}
}

TEST(a_map_whose_keys_come_and_go_does_not_lose_those_that_stay)
{
	CLEANUP(map) struct map *map = map_new(sizeof(uint32_t));

	for (uint32_t i = 0; i < 100000; i++) {
		*map_put(map, &i, NULL) = i;
		if (i >= 10)
			assert_true(map_remove(map, &(uint32_t){ i - 10 }));
	}
	assert_int_equal(map_count(map), 10);
	for (uint32_t i = 99990; i < 100000; i++)
		assert_int_equal(*map_find(map, &i), i);
}

TEST(a_cleared_map_is_empty_and_can_be_filled_again)
{
	CLEANUP(map) struct map *map = map_new(sizeof(uint32_t));
	bool added;

	for (uint32_t i = 0; i < 1000; i++)
		*map_put(map, &i, NULL) = i;
	map_clear(map);
	assert_int_equal(map_count(map), 0);
	assert_null(map_find(map, &(uint32_t){ 5 }));
	assert_int_equal(*map_put(map, &(uint32_t){ 5 }, &added), 0);
	assert_true(added);
}

TEST(a_hash_depends_on_every_byte)
{
	unsigned char bytes[40] = { 0 };
	uint64_t before = hash_bytes(bytes, sizeof(bytes));

	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= 1;
		assert_true(hash_bytes(bytes, sizeof(bytes)) != before);
		bytes[i] ^= 1;
	}
	assert_true(hash_bytes(bytes, sizeof(bytes)) == before);
	assert_true(hash_bytes(bytes, 39) != before);
}

TEST(keys_of_any_size_are_kept_apart)
{
	for (size_t size = 2; size <= 24; size++) {
		CLEANUP(map) struct map *map = map_new(size);
		unsigned char key[24];

		for (uint32_t i = 0; i < 5000; i++) {
			memset(key, 0x55, sizeof(key));
			memcpy(key + size - 2, &(uint16_t){ (uint16_t)i }, 2);
			*map_put(map, key, NULL) = i;
			if (i % 3 == 0)
				assert_true(map_remove(map, key));
		}
		for (uint32_t i = 0; i < 5000; i++) {
			memset(key, 0x55, sizeof(key));
			memcpy(key + size - 2, &(uint16_t){ (uint16_t)i }, 2);
			if (i % 3 == 0)
				assert_null(map_find(map, key));
			else
				assert_int_equal(*map_find(map, key), i);
		}
		assert_int_equal(map_count(map), 3333);
	}
}
