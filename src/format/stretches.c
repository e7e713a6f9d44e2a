/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting n stretches moves each of them log n times; finding asks log n runs by bisection. A plain sorted list would move
 * half of itself for each that is put in front, and sorting on the first question is undone by a file that puts and asks
 * in turns.
 */
#include "format/stretches.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The last two runs to one: the later one waits in the spare room, and both are filled in from behind. */
static void merge(struct stretches *stretches)
{
	size_t low = stretches->runs[stretches->run_count - 2], middle = stretches->runs[stretches->run_count - 1];
	size_t left = middle, right = stretches->count - middle, at = stretches->count;
	struct stretch *rows = stretches->rows;

	if (stretches->spare_room < right) {
		stretches->spare_room = stretches->room;
		stretches->spare = xreallocarray(stretches->spare, stretches->spare_room, sizeof(*stretches->spare));
	}
	memcpy(stretches->spare, rows + middle, right * sizeof(*rows));
	while (right)
		rows[--at] = left > low && rows[left - 1].start > stretches->spare[right - 1].start
				     ? rows[--left]
				     : stretches->spare[--right];
	stretches->run_count--;
}

static bool runs_are_alike(const struct stretches *stretches)
{
	size_t last = stretches->runs[stretches->run_count - 1];

	return stretches->run_count > 1 &&
	       last - stretches->runs[stretches->run_count - 2] < 2 * (stretches->count - last);
}

void stretches_put(struct stretches *stretches, struct stretch stretch)
{
	if (stretch.start >= stretch.end)
		return;
	grow(stretches->rows, stretches->count, stretches->room);
	stretches->runs[stretches->run_count++] = stretches->count;
	stretches->rows[stretches->count++] = stretch;
	while (runs_are_alike(stretches))
		merge(stretches);
}

/* The last row of a run that starts at the address or before it. */
static const struct stretch *run_find(const struct stretch *rows, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && rows[low - 1].end > address ? &rows[low - 1] : NULL;
}

uint32_t stretches_find(const struct stretches *stretches, uint64_t address)
{
	const struct stretch *best = NULL;

	for (size_t i = 0; i < stretches->run_count; i++) {
		size_t start = stretches->runs[i];
		size_t end = i + 1 < stretches->run_count ? stretches->runs[i + 1] : stretches->count;
		const struct stretch *found = run_find(stretches->rows + start, end - start, address);

		if (found && (!best || found->start > best->start))
			best = found;
	}
	return best ? best->number : UINT32_MAX;
}

void stretches_clear(struct stretches *stretches)
{
	stretches->count = stretches->run_count = 0;
}

void stretches_done(struct stretches *stretches)
{
	free(stretches->rows);
	free(stretches->spare);
	*stretches = (struct stretches){ 0 };
}
