/* SPDX-License-Identifier: Apache-2.0 */
/* One row per thread that was ever interrupted and is not forgotten, in a map by its serial number; there is a limit. */
#include "probe/interrupt_book.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

enum { THREAD_LIMIT = 1 << 20 };

struct row { uint32_t thread; struct interrupted parts[INTERRUPT_PARTS]; };

struct interrupt_book {
	struct map *threads;            /* serial -> index + 1 of rows */
	struct row *rows;
	size_t count, room;
};

struct interrupt_book *interrupt_book_new(void)
{
	struct interrupt_book *book = xcalloc(1, sizeof(*book));

	book->threads = map_new(sizeof(uint32_t));
	return book;
}

void interrupt_book_free(struct interrupt_book *book)
{
	if (!book)
		return;
	map_free(book->threads);
	free(book->rows);
	free(book);
}

static struct row *row_new(struct interrupt_book *book, uint32_t thread)
{
	if (book->count >= THREAD_LIMIT)
		return NULL;
	grow(book->rows, book->count, book->room);
	book->rows[book->count++] = (struct row){ .thread = thread };
	*map_put(book->threads, &thread, NULL) = (uint32_t)book->count;
	return &book->rows[book->count - 1];
}

void interrupt_book_add(struct interrupt_book *book, uint32_t thread, enum interrupt_part part, struct interrupted more)
{
	const uint32_t *known = map_find(book->threads, &thread);
	struct row *row = known ? &book->rows[*known - 1] : row_new(book, thread);
	struct interrupted *sum = row ? &row->parts[part] : NULL;

	if (!sum || more.ns > UINT64_MAX / 2 - sum->ns)         /* no sum of real times is as long */
		return;
	sum->count += more.count;
	sum->ns += more.ns;
	if (more.maximum_ns > sum->maximum_ns)
		sum->maximum_ns = more.maximum_ns;
}

struct interrupted interrupt_book_take(struct interrupt_book *book, uint32_t thread, enum interrupt_part part, uint64_t limit_ns)
{
	const uint32_t *known = map_find(book->threads, &thread);
	struct interrupted *sum = known ? &book->rows[*known - 1].parts[part] : NULL, taken;

	if (!sum || !limit_ns)
		return (struct interrupted){ 0 };
	taken = *sum;
	*sum = (struct interrupted){ 0 };
	if (taken.ns > limit_ns) {
		sum->ns = taken.ns - limit_ns;
		taken.ns = limit_ns;
	}
	if (taken.maximum_ns > taken.ns)
		taken.maximum_ns = taken.ns;
	return taken;
}

/* The last takes its place. */
void interrupt_book_forget(struct interrupt_book *book, uint32_t thread)
{
	const uint32_t *known = map_find(book->threads, &thread);
	const struct row *last;
	uint32_t place;

	if (!known)
		return;
	place = *known;
	last = &book->rows[book->count - 1];
	if (place != book->count) {
		book->rows[place - 1] = *last;
		*map_put(book->threads, &last->thread, NULL) = place;
	}
	book->count--;
	(void)map_remove(book->threads, &thread);
}
