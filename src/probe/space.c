/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces. Each is a small sorted
 * array; a new mapping cuts or removes what it covers, as the kernel does.
 */
#include "probe/space.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MAPPING_LIMIT = 65536, PARENT_LIMIT = 8 };
/* Ids of processes are below 4 Mi, and given one after the other. */
enum { RETIRED_LIMIT = 4 << 20, RETIRED_PAGE = 4096 };

struct space {
	uint32_t pid, parent, generation;
	struct space_mapping *mappings;         /* sorted by start, never overlapping */
	size_t count, room;
};

struct spaces {
	struct map *by_pid;
	struct space *spaces;
	size_t count, room;
	uint8_t *retired[RETIRED_LIMIT / RETIRED_PAGE];         /* by pid: the generation of the next process; 0: none was retired */
};

struct spaces *spaces_new(void)
{
	struct spaces *spaces = xcalloc(1, sizeof(*spaces));

	spaces->by_pid = map_new(sizeof(uint32_t));
	return spaces;
}

void spaces_free(struct spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->count; i++)
		free(spaces->spaces[i].mappings);
	for (size_t i = 0; i < ARRAY_LENGTH(spaces->retired); i++)
		free(spaces->retired[i]);
	free(spaces->spaces);
	map_free(spaces->by_pid);
	free(spaces);
}

static struct space *space_find(const struct spaces *spaces, uint32_t pid)
{
	const uint32_t *index = map_find(spaces->by_pid, &pid);

	return index ? &spaces->spaces[*index] : NULL;
}

static uint32_t next_generation(const struct spaces *spaces, uint32_t pid)
{
	const uint8_t *page = pid < RETIRED_LIMIT ? spaces->retired[pid / RETIRED_PAGE] : NULL;

	return page ? page[pid % RETIRED_PAGE] : 0;
}

static struct space *space_get(struct spaces *spaces, uint32_t pid)
{
	bool added;
	uint32_t *index = map_put(spaces->by_pid, &pid, &added);

	if (added) {
		*index = (uint32_t)spaces->count;
		grow(spaces->spaces, spaces->count, spaces->room);
		spaces->spaces[spaces->count++] = (struct space){ .pid = pid, .generation = next_generation(spaces, pid) };
	}
	return &spaces->spaces[*index];
}

void spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent)
{
	bool known = space_find(spaces, pid) != NULL;
	struct space *space = space_get(spaces, pid);

	if (known)                              /* the pid is used again */
		space->generation++;
	space->count = 0;
	space->parent = parent == pid ? 0 : parent;
}

void spaces_exec(struct spaces *spaces, uint32_t pid)
{
	struct space *space = space_get(spaces, pid);

	space->generation++;
	space->count = 0;
	space->parent = 0;
}

/* The first mapping that ends after address. */
static size_t space_search(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void space_insert(struct space *space, size_t at, struct space_mapping mapping)
{
	grow(space->mappings, space->count, space->room);
	memmove(&space->mappings[at + 1], &space->mappings[at], (space->count - at) * sizeof(mapping));
	space->mappings[at] = mapping;
	space->count++;
}

/* Makes room for [start, end): cuts what reaches in from the left and right, drops what lies inside. */
static size_t space_clear(struct space *space, uint64_t start, uint64_t end)
{
	size_t at = space_search(space, start), until;

	if (!space->count)
		return 0;
	if (at < space->count && space->mappings[at].start < start) {
		struct space_mapping right = space->mappings[at];

		space->mappings[at].end = start;
		if (right.end > end) {
			right.offset += end - right.start;
			right.start = end;
			space_insert(space, at + 1, right);
		}
		at++;
	}
	until = at;
	while (until < space->count && space->mappings[until].end <= end)
		until++;
	memmove(&space->mappings[at], &space->mappings[until], (space->count - until) * sizeof(*space->mappings));
	space->count -= until - at;
	if (at < space->count && space->mappings[at].start < end) {
		space->mappings[at].offset += end - space->mappings[at].start;
		space->mappings[at].start = end;
	}
	return at;
}

void spaces_add(struct spaces *spaces, uint32_t pid, struct space_mapping mapping)
{
	struct space *space = space_get(spaces, pid);

	if (mapping.end <= mapping.start || space->count >= MAPPING_LIMIT)
		return;
	space_insert(space, space_clear(space, mapping.start, mapping.end), mapping);
}

struct space_mapping *spaces_find(struct spaces *spaces, uint32_t pid, uint64_t address)
{
	for (int i = 0; i < PARENT_LIMIT; i++) {
		struct space *space = space_find(spaces, pid);
		size_t at;

		if (!space)
			return NULL;
		at = space_search(space, address);
		if (at < space->count && space->mappings[at].start <= address)
			return &space->mappings[at];
		if (!space->parent)
			return NULL;
		pid = space->parent;
	}
	return NULL;
}

void spaces_copy(struct spaces *spaces, uint32_t pid, uint32_t parent)
{
	struct space *space = space_get(spaces, pid);
	const struct space *from = space_find(spaces, parent);

	space->count = space->parent = 0;
	if (!from || from == space)
		return;
	while (space->room < from->count)
		grow(space->mappings, space->room, space->room);
	memcpy(space->mappings, from->mappings, from->count * sizeof(*from->mappings));
	space->count = from->count;
}

void spaces_drop(struct spaces *spaces, uint32_t pid)
{
	struct space *space = space_find(spaces, pid);

	if (!space)
		return;
	free(space->mappings);
	space->mappings = NULL;
	space->count = space->room = space->parent = 0;
}

void spaces_forget(struct spaces *spaces, uint32_t pid)
{
	struct space *space = space_find(spaces, pid), *last;

	if (!space)
		return;
	free(space->mappings);
	last = &spaces->spaces[--spaces->count];
	if (space != last) {
		*space = *last;
		*map_put(spaces->by_pid, &space->pid, NULL) = (uint32_t)(space - spaces->spaces);
	}
	(void)map_remove(spaces->by_pid, &pid);
}

void spaces_retire(struct spaces *spaces, uint32_t pid)
{
	uint32_t next = spaces_generation(spaces, pid) + 1;
	struct space *space;
	uint8_t **page;

	if (pid >= RETIRED_LIMIT || next > UINT8_MAX) {
		space = space_get(spaces, pid);         /* the next generation is kept with it */
		spaces_drop(spaces, pid);
		space->generation = next;
		return;
	}
	page = &spaces->retired[pid / RETIRED_PAGE];
	if (!*page)
		*page = xcalloc(RETIRED_PAGE, 1);
	(*page)[pid % RETIRED_PAGE] = (uint8_t)next;
	spaces_forget(spaces, pid);
}

/* What the child mapped itself hides what its parent had. */
static void space_inherit(struct spaces *spaces, struct space *child, const struct space *parent)
{
	struct space own = *child;

	child->mappings = NULL;
	child->count = child->room = 0;
	child->parent = parent->parent;
	for (size_t i = 0; i < parent->count; i++)
		space_insert(child, child->count, parent->mappings[i]);
	for (size_t i = 0; i < own.count; i++)
		spaces_add(spaces, own.pid, own.mappings[i]);
	free(own.mappings);
}

void spaces_end(struct spaces *spaces, uint32_t pid)
{
	const struct space *space = space_find(spaces, pid);

	if (!space)
		return;
	for (size_t i = 0; i < spaces->count; i++)
		if (spaces->spaces[i].parent == pid && &spaces->spaces[i] != space)
			space_inherit(spaces, &spaces->spaces[i], space);
	spaces_drop(spaces, pid);
}

const struct space_mapping *spaces_list(const struct spaces *spaces, uint32_t pid, size_t *ret_count)
{
	const struct space *space = space_find(spaces, pid);

	*ret_count = space ? space->count : 0;
	return space ? space->mappings : NULL;
}

uint32_t spaces_generation(const struct spaces *spaces, uint32_t pid)
{
	const struct space *space = space_find(spaces, pid);

	return space ? space->generation : next_generation(spaces, pid);
}

bool spaces_knows(const struct spaces *spaces, uint32_t pid)
{
	return space_find(spaces, pid) != NULL;
}
