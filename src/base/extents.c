/* SPDX-License-Identifier: Apache-2.0 */
/* A short sorted array: the ranges that are kept this way are cut into hundreds of parts, not millions. */
#include "base/extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void insert(struct extents *extents, size_t at, struct extent extent)
{
	grow(extents->free, extents->count, extents->room);
	memmove(&extents->free[at + 1], &extents->free[at], (extents->count - at) * sizeof(extent));
	extents->free[at] = extent;
	extents->count++;
}

static void remove_at(struct extents *extents, size_t at)
{
	extents->count--;
	memmove(&extents->free[at], &extents->free[at + 1], (extents->count - at) * sizeof(*extents->free));
}

void extents_init(struct extents *extents, uint32_t places)
{
	*extents = (struct extents){ 0 };
	if (places)
		insert(extents, 0, (struct extent){ 0, places });
}

void extents_done(struct extents *extents)
{
	free(extents->free);
	*extents = (struct extents){ 0 };
}

uint32_t extents_take(struct extents *extents, uint32_t places)
{
	for (size_t i = 0; i < extents->count; i++) {
		struct extent *extent = &extents->free[i];
		uint32_t first = extent->first;

		if (extent->count < places)
			continue;
		extent->first += places;
		extent->count -= places;
		if (!extent->count)
			remove_at(extents, i);
		return first;
	}
	return EXTENTS_NONE;
}

void extents_give(struct extents *extents, uint32_t first, uint32_t places)
{
	size_t at = 0;

	if (!places)
		return;
	while (at < extents->count && extents->free[at].first < first)
		at++;
	if (at && extents->free[at - 1].first + extents->free[at - 1].count == first) {
		extents->free[--at].count += places;
	} else {
		insert(extents, at, (struct extent){ first, places });
	}
	if (at + 1 < extents->count && extents->free[at].first + extents->free[at].count == extents->free[at + 1].first) {
		extents->free[at].count += extents->free[at + 1].count;
		remove_at(extents, at + 1);
	}
}
