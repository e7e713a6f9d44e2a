/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a process' address lies. Each process keeps sorted stretches that never overlap, each held
 *by the newest mapping there; a new mapping cuts what it covers, so that a look-up is one binary
 *search.
 *
 *	old  |---- a ----|      |--- b ---|
 *	new        |------ c ------|
 *	     |- a -|------ c ------|- b --|
 */
#include "base/map.h"
#include "base/memory.h"
#include "base/pages.h"
#include "profile/storage.h"

#include <stdlib.h>
#include <string.h>

static struct address_space *space_of(struct profile *profile, uint32_t process)
{
	bool added;
	uint32_t *index = map_put(profile->space_ids, &process, &added);

	if (added) {
		*index = (uint32_t)profile->space_count;
		grow(profile->spaces, profile->space_count, profile->space_room);
		profile->spaces[profile->space_count++] = (struct address_space){ .process = process };
	}
	return &profile->spaces[*index];
}

/* Index of the first stretch that ends beyond the address. */
static size_t stretch_after(const struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->stretches[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Replaces the stretches [from, to) by others. */
static void stretches_replace(struct address_space *space, size_t from, size_t to,
			      const struct stretch *others, size_t count)
{
	size_t after = space->count - to;

	while (space->room < from + count + after) {
		space->room = space->room ? space->room * 2 : 16;
		space->stretches = xreallocarray(space->stretches, space->room,
						 sizeof(*space->stretches));
	}
	memmove(space->stretches + from + count, space->stretches + to, after * sizeof(*others));
	memcpy(space->stretches + from, others, count * sizeof(*others));
	space->count = from + count + after;
}

static size_t stretch_put(struct stretch *into, size_t count, uint64_t start, uint64_t end,
			  uint32_t mapping)
{
	if (start < end)
		into[count++] = (struct stretch){ start, end, mapping };
	return count;
}

void address_space_map(struct profile *profile, struct process_id process, uint32_t mapping)
{
	struct address_space *space = space_of(profile, process.index);
	const struct mapping *row = profile_mapping_at(profile, mapping);
	size_t from = stretch_after(space, row->start), to = from, count = 0;
	/* up to here the new mapping's range is dealt with */
	uint64_t at = row->start;
	struct stretch *cut, rest = { 0 };

	while (to < space->count && space->stretches[to].start < row->end)
		to++;
	cut = xcalloc(2 * (to - from) + 3, sizeof(*cut));
	for (size_t i = from; i < to; i++) {
		struct stretch old = space->stretches[i];

		/* harvested late: the other is newer */
		if (profile_mapping_at(profile, old.mapping)->since_ns > row->since_ns) {
			count = stretch_put(cut, count, at, old.start, mapping);
			cut[count++] = old;
			at = old.end;
			continue;
		}
		count = stretch_put(cut, count, old.start, row->start, old.mapping);
		if (old.end > row->end)
			rest = (struct stretch){ row->end, old.end, old.mapping };
	}
	count = stretch_put(cut, count, at, row->end, mapping);
	count = stretch_put(cut, count, rest.start, rest.end, rest.mapping);
	stretches_replace(space, from, to, cut, count);
	free(cut);
}

/* The last takes its place. */
void profile_process_unmapped(struct profile *profile, struct process_id process)
{
	const uint32_t *index = map_find(profile->space_ids, &process.index);
	struct address_space *space, *last;

	if (!index)
		return;
	space = &profile->spaces[*index];
	last = &profile->spaces[--profile->space_count];
	free(space->stretches);
	if (space != last) {
		*space = *last;
		*map_put(profile->space_ids, &space->process, NULL) = (uint32_t)(space - profile->spaces);
	}
	(void)map_remove(profile->space_ids, &process.index);
}

void mappings_forget(struct profile *profile)
{
	struct pages *pages = profile->mapping_pages;

	for (size_t i = pages_next(pages, 0); i < pages_count(pages); i = pages_next(pages, i + 1))
		if (pages_is_over(profile->process_pages, profile_mapping_at(profile, i)->process.index))
			(void)pages_end(pages, i);
}

const struct mapping *profile_mapping_of(const struct profile *profile, struct process_id process,
					 uint64_t address)
{
	const uint32_t *index = map_find(profile->space_ids, &process.index);
	const struct address_space *space;
	size_t i;

	if (!index)
		return NULL;
	space = &profile->spaces[*index];
	i = stretch_after(space, address);
	if (i == space->count || space->stretches[i].start > address)
		return NULL;
	return profile_mapping_at(profile, space->stretches[i].mapping);
}
