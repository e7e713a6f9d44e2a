/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects lie in a table that is used again, found by the number that the shim gave them. Numbers are never given twice and a
 * map forgets nothing, so the map is made anew when most of it is of objects that are gone.
 *
 * An end can come before its beginning: where a writer is stopped between claiming a place among the samples and filling it, those
 * behind it are read later than ends that were told meanwhile. Such ends are kept for them.
 */
#include "probe/heap_book.h"

#include "base/map.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIVE_LIMIT = 4 << 20, MAP_SLACK = 64 << 10, EARLY_LIMIT = 64 << 10, EARLY_SHIFT = 20 };

struct early { uint64_t id, process; };   /* -> when it ended, in 2^EARLY_SHIFT ns */

struct live {
	struct heap_object object;      /* id 0: none */
	uint64_t mean_bytes;
	uint32_t next;                  /* of the rows that are free: index + 1 */
};

struct heap_book {
	struct profile *profile;
	struct map *index;              /* id -> row + 1, 0 where it is gone */
	struct map *early;              /* ends of objects that were not told yet */
	struct live *rows;
	size_t row_count, row_room, live_count;
	uint32_t unused;                /* row + 1 */
	double live_bytes, peak_bytes;
};

struct heap_book *heap_book_new(struct profile *into)
{
	struct heap_book *book = xcalloc(1, sizeof(*book));

	book->profile = into;
	book->index = map_new(sizeof(uint64_t));
	book->early = map_new(sizeof(struct early));
	return book;
}

void heap_book_free(struct heap_book *book)
{
	if (!book)
		return;
	map_free(book->index);
	map_free(book->early);
	free(book->rows);
	free(book);
}

/* --- What an object stands for --------------------------------------------------------------------------------- */

static double inclusion(const struct live *live)
{
	double p = live->mean_bytes ? -expm1(-(double)live->object.size / (double)live->mean_bytes) : 1;

	return p > 0 ? p : 1;
}

/* A whole number whose expectation is x: which way it goes is told by the object, so that both of its ends agree. */
static uint64_t whole(double x, uint64_t id)
{
	double unit = (double)(hash_bytes(&id, sizeof(id)) >> 11) / 9007199254740992.0;

	return x < 1e18 ? (uint64_t)(x + unit) : (uint64_t)1e18;
}

static struct object_id size_class(struct profile *profile, uint64_t size)
{
	char name[32];
	unsigned log2 = size > 1 ? 64 - (unsigned)__builtin_clzll(size - 1) : 0;

	(void)snprintf(name, sizeof(name), log2 < 10 ? "up to %.0f B" : log2 < 20 ? "up to %.0f KiB" : log2 < 30 ? "up to %.0f MiB" : "up to %.0f GiB",
		       ldexp(1, (int)(log2 % 10)));
	return profile_object(profile, (struct object){ .kind = profile_string(profile, "size"), .name = profile_string(profile, name) });
}

static struct measure_id measure_of(struct profile *profile, const char *parent, const char *name, enum measure_role role,
				    enum weighting weighting, uint64_t mean)
{
	return profile_measure(profile, (struct measure){
		.dimension = profile_dimension(profile, dimension_row_find(parent, name)), .role = role, .weighting = weighting,
		.source = profile_string(profile, "heap"), .period = mean });
}

/* Once for the thread's total and once by stack. The period is in bytes: how many objects there were is an estimate. */
static void add(struct heap_book *book, struct slice_id slice, const struct live *live, const char *space, const char *objects,
		uint64_t age_ns)
{
	struct profile *profile = book->profile;
	double p = inclusion(live), size = (double)live->object.size;
	uint64_t mean = live->mean_bytes;
	struct cell cell = { .slice = slice, .thread = live->object.thread, .count = 1, .maximum = live->object.size,
			     .measure = measure_of(profile, NULL, space, ROLE_TOTAL, WEIGHTING_SAMPLED, mean),
			     .value = whole(size / p, live->object.id), .variance = size * size * (1 - p) / (p * p) };
	struct cell counted = { .slice = slice, .thread = live->object.thread, .count = 1,
				.measure = measure_of(profile, NULL, objects, ROLE_TOTAL, WEIGHTING_ESTIMATED, 0),
				.value = whole(1 / p, live->object.id), .variance = (1 - p) / (p * p) };

	profile_add_cell(profile, cell);
	profile_add_cell(profile, counted);
	cell.stack = counted.stack = live->object.stack;
	cell.object = counted.object = size_class(profile, live->object.size);
	cell.length_log2 = counted.length_log2 = age_ns > 1 ? (uint8_t)(63 - __builtin_clzll(age_ns)) : 0;
	cell.measure = measure_of(profile, NULL, space, ROLE_SPLIT, WEIGHTING_SAMPLED, mean);
	counted.measure = measure_of(profile, NULL, objects, ROLE_SPLIT, WEIGHTING_ESTIMATED, 0);
	profile_add_cell(profile, cell);
	profile_add_cell(profile, counted);
}

static void add_freed(struct heap_book *book, struct slice_id slice, const struct live *live, uint64_t age_ns)
{
	struct profile *profile = book->profile;
	double p = inclusion(live), size = (double)live->object.size;

	profile_add_cell(profile, (struct cell){
		.slice = slice, .thread = live->object.thread, .stack = live->object.stack, .count = 1,
		.object = size_class(profile, live->object.size), .maximum = live->object.size,
		.measure = measure_of(profile, "alloc_space", "freed", ROLE_DETAIL, WEIGHTING_SAMPLED, live->mean_bytes),
		.length_log2 = age_ns > 1 ? (uint8_t)(63 - __builtin_clzll(age_ns)) : 0,
		.value = whole(size / p, live->object.id), .variance = size * size * (1 - p) / (p * p) });
}

/* --- Who lives -------------------------------------------------------------------------------------------------- */

static void map_anew(struct heap_book *book)
{
	map_clear(book->index);
	for (size_t i = 0; i < book->row_count; i++)
		if (book->rows[i].object.id)
			*map_put(book->index, &book->rows[i].object.id, NULL) = (uint32_t)i + 1;
}

static struct live *row_new(struct heap_book *book)
{
	uint32_t row = book->unused;

	if (row) {
		book->unused = book->rows[row - 1].next;
		return &book->rows[row - 1];
	}
	grow(book->rows, book->row_count, book->row_room);
	return &book->rows[book->row_count++];
}

/* Ends of objects whose samples were lost never find them: all are forgotten when they are many. */
static void keep_early(struct heap_book *book, uint64_t id, uint32_t process, uint64_t at_ns)
{
	struct early early = { .id = id, .process = process };

	if (map_count(book->early) >= EARLY_LIMIT)
		map_clear(book->early);
	*map_put(book->early, &early, NULL) = (uint32_t)(at_ns >> EARLY_SHIFT);
}

/* Whether it ended already, and at what age. */
static bool ended_early(const struct heap_book *book, const struct heap_object *object, uint64_t *ret_age_ns)
{
	struct early early = { .id = object->id, .process = object->process };
	const uint32_t *at = map_find(book->early, &early);

	if (at)
		*ret_age_ns = (uint64_t)(uint32_t)(*at - (uint32_t)(object->born_ns >> EARLY_SHIFT)) << EARLY_SHIFT;
	return at;
}

void heap_book_add(struct heap_book *book, struct slice_id slice, const struct heap_object *object, uint64_t mean_bytes)
{
	struct live live = { .object = *object, .mean_bytes = mean_bytes }, *row;
	uint64_t age_ns;

	add(book, slice, &live, "alloc_space", "alloc_objects", 0);
	if (ended_early(book, object, &age_ns)) {
		add_freed(book, slice, &live, age_ns);
		return;
	}
	if (!object->id || map_find(book->index, &object->id) || book->live_count >= LIVE_LIMIT) {
		profile_add_loss(book->profile, (struct loss){ .slice = slice, .source = profile_string(book->profile, "heap-live"), .lost = 1 });
		return;
	}
	if (map_count(book->index) > 2 * book->live_count + MAP_SLACK)
		map_anew(book);
	row = row_new(book);
	*row = live;
	*map_put(book->index, &object->id, NULL) = (uint32_t)(row - book->rows) + 1;
	book->live_count++;
	book->live_bytes += (double)object->size / inclusion(&live);
	if (book->live_bytes > book->peak_bytes) {
		book->peak_bytes = book->live_bytes;
		profile_set_meta_number(book->profile, "heap.peak_bytes", (uint64_t)fmin(book->peak_bytes, 1e18));
		profile_set_meta_number(book->profile, "heap.peak_ns", object->born_ns);
	}
}

static void leave(struct heap_book *book, struct live *live)
{
	uint32_t row = (uint32_t)(live - book->rows) + 1;

	*map_put(book->index, &live->object.id, NULL) = 0;
	book->live_bytes -= (double)live->object.size / inclusion(live);
	*live = (struct live){ .next = book->unused };
	book->unused = row;
	book->live_count--;
}

static uint64_t age(const struct live *live, uint64_t at_ns)
{
	return at_ns > live->object.born_ns ? at_ns - live->object.born_ns : 0;
}

void heap_book_freed(struct heap_book *book, struct slice_id slice, uint64_t id, uint32_t process, uint64_t at_ns)
{
	const uint32_t *row = map_find(book->index, &id);
	struct live *live = row && *row ? &book->rows[*row - 1] : NULL;

	if (!row)
		keep_early(book, id, process, at_ns);
	if (!live || live->object.process != process)
		return;
	add_freed(book, slice, live, age(live, at_ns));
	leave(book, live);
}

static void retain(struct heap_book *book, struct slice_id slice, struct live *live, uint64_t at_ns)
{
	add(book, slice, live, "inuse_space", "inuse_objects", age(live, at_ns));
	leave(book, live);
}

void heap_book_ended(struct heap_book *book, struct slice_id slice, uint32_t process, uint64_t at_ns)
{
	for (size_t i = 0; i < book->row_count && book->live_count; i++)
		if (book->rows[i].object.id && book->rows[i].object.process == process && book->rows[i].object.born_ns <= at_ns)
			retain(book, slice, &book->rows[i], at_ns);
}

void heap_book_close(struct heap_book *book, struct slice_id slice, uint64_t at_ns)
{
	for (size_t i = 0; i < book->row_count; i++)
		if (book->rows[i].object.id)
			retain(book, slice, &book->rows[i], at_ns);
}
