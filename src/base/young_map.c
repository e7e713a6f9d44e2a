/* SPDX-License-Identifier: Apache-2.0 */
#include "base/young_map.h"

#include "base/map.h"
#include "base/memory.h"

struct young_map {
	struct map *younger, *older;
	size_t limit;
};

struct young_map *young_map_new(size_t key_size, size_t limit)
{
	struct young_map *map = xcalloc(1, sizeof(*map));

	map->younger = map_new(key_size);
	map->older = map_new(key_size);
	map->limit = limit;
	return map;
}

void young_map_free(struct young_map *map)
{
	if (!map)
		return;
	map_free(map->younger);
	map_free(map->older);
	free(map);
}

void young_map_put(struct young_map *map, const void *key, uint32_t value)
{
	if (map_count(map->younger) >= map->limit) {
		struct map *dropped = map->older;

		map->older = map->younger;
		map->younger = dropped;
		map_clear(dropped);
	}
	*map_put(map->younger, key, NULL) = value;
}

bool young_map_find(struct young_map *map, const void *key, uint32_t *ret_value)
{
	const uint32_t *known = map_find(map->younger, key);
	uint32_t value;

	if (!known) {
		known = map_find(map->older, key);
		if (!known)
			return false;
		value = *known;
		young_map_put(map, key, value);
	} else {
		value = *known;
	}
	if (ret_value)
		*ret_value = value;
	return true;
}

size_t young_map_count(const struct young_map *map)
{
	return map_count(map->younger) + map_count(map->older);
}
