/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	old  |---- a ----|      |--- b ---|
 *	new        |------ c ------|
 *	     |- a -|------ c ------|- b --|
 */
#include "format/perf_space.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct perf_space *perf_space_share(struct perf_space *space)
{
	if (space)
		space->owners++;
	return space;
}

void perf_space_release(struct perf_space *space)
{
	if (!space || --space->owners)
		return;
	free(space->maps);
	free(space);
}

/* Index of the first stretch that ends beyond the address. */
static size_t stretch_after(const struct perf_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct perf_map *perf_space_find(const struct perf_space *space, uint64_t address)
{
	size_t i;

	if (!space)
		return NULL;
	i = stretch_after(space, address);
	return i < space->count && space->maps[i].start <= address ? &space->maps[i] : NULL;
}

static struct perf_space *space_own(struct perf_space **space)
{
	static uint32_t version;
	struct perf_space *old = *space;

	if (!old || old->owners > 1) {
		struct perf_space *own = xcalloc(1, sizeof(*own));

		own->owners = 1;
		if (old && old->count) {
			own->maps = xmalloc(old->count * sizeof(*own->maps));
			memcpy(own->maps, old->maps, old->count * sizeof(*own->maps));
			own->count = own->room = old->count;
		}
		perf_space_release(old);
		*space = own;
	}
	(*space)->version = ++version;
	return *space;
}

bool perf_space_put(struct perf_space **space, struct perf_map map)
{
	struct perf_space *own = *space;
	struct perf_map pieces[3];
	size_t from, to, count = 0;

	if (map.start >= map.end || (own && own->count + 2 > PERF_SPACE_LIMIT))
		return false;
	own = space_own(space);
	from = to = stretch_after(own, map.start);
	while (to < own->count && own->maps[to].start < map.end)
		to++;
	if (to > from && own->maps[from].start < map.start) {
		pieces[count] = own->maps[from];
		pieces[count++].end = map.start;
	}
	pieces[count++] = map;
	if (to > from && own->maps[to - 1].end > map.end) {
		pieces[count] = own->maps[to - 1];
		pieces[count].offset += map.end - pieces[count].start;
		pieces[count++].start = map.end;
	}
	while (own->count + count > own->room) {
		own->room = own->room ? own->room * 2 : 16;
		own->maps = xreallocarray(own->maps, own->room, sizeof(*own->maps));
	}
	memmove(own->maps + from + count, own->maps + to, (own->count - to) * sizeof(*own->maps));
	memcpy(own->maps + from, pieces, count * sizeof(*pieces));
	own->count += count - (to - from);
	return true;
}
