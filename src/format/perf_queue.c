/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records lie one behind the other in one of two piles of bytes, and rows of time and place are sorted. When some were
 * given, what is left moves to the other pile. Records of one time keep their order in the file.
 */
#include "format/perf_queue.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct row { uint64_t time_ns; uint64_t offset; uint32_t size, order; };
struct pile { uint8_t *bytes; size_t size, room; };

struct perf_queue {
	perf_queue_give *give;
	void *context;
	struct row *rows;
	size_t count, room;
	struct pile pile, other;
	uint64_t newest_ns, next_limit_ns, given_ns, late;
	uint32_t order;
};

struct perf_queue *perf_queue_new(perf_queue_give *give, void *context)
{
	struct perf_queue *queue = xcalloc(1, sizeof(*queue));

	queue->give = give;
	queue->context = context;
	return queue;
}

void perf_queue_free(struct perf_queue *queue)
{
	if (!queue)
		return;
	free(queue->rows);
	free(queue->pile.bytes);
	free(queue->other.bytes);
	free(queue);
}

static uint64_t pile_add(struct pile *pile, const uint8_t *bytes, size_t size)
{
	uint64_t offset = pile->size;

	if (pile->size + size > pile->room) {
		pile->room = (pile->size + size) * 2;
		pile->bytes = xreallocarray(pile->bytes, pile->room, 1);
	}
	memcpy(pile->bytes + pile->size, bytes, size);
	pile->size += size;
	return offset;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Most rounds of one processor are sorted as they come. */
static void rows_sort(struct row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_rows(&rows[i - 1], &rows[i]) > 0) {
			qsort(rows, count, sizeof(*rows), compare_rows);
			return;
		}
}

static void keep_rest(struct perf_queue *queue, size_t given)
{
	struct pile pile = queue->pile;

	queue->other.size = 0;
	for (size_t i = given; i < queue->count; i++) {
		struct row row = queue->rows[i];

		row.offset = pile_add(&queue->other, pile.bytes + row.offset, row.size);
		queue->rows[i - given] = row;
	}
	queue->count -= given;
	queue->pile = queue->other;
	queue->other = pile;
}

static int give_until(struct perf_queue *queue, uint64_t limit_ns)
{
	size_t i = 0;
	int r = 0;

	rows_sort(queue->rows, queue->count);
	while (i < queue->count && queue->rows[i].time_ns <= limit_ns && r >= 0) {
		const struct row *row = &queue->rows[i++];

		queue->late += row->time_ns < queue->given_ns;
		queue->given_ns = row->time_ns > queue->given_ns ? row->time_ns : queue->given_ns;
		r = queue->give(queue->context, queue->pile.bytes + row->offset, row->size, row->time_ns);
	}
	keep_rest(queue, i);
	return r;
}

int perf_queue_put(struct perf_queue *queue, const uint8_t *record, size_t size, uint64_t time_ns)
{
	if (queue->pile.size + size > PERF_QUEUE_BYTES && queue->count) {
		int r;

		rows_sort(queue->rows, queue->count);
		r = give_until(queue, queue->rows[queue->count / 2].time_ns);
		if (r < 0)
			return r;
	}
	grow(queue->rows, queue->count, queue->room);
	queue->rows[queue->count++] = (struct row){ time_ns, pile_add(&queue->pile, record, size), (uint32_t)size, queue->order++ };
	if (time_ns > queue->newest_ns)
		queue->newest_ns = time_ns;
	return 0;
}

int perf_queue_round(struct perf_queue *queue)
{
	int r = give_until(queue, queue->next_limit_ns);

	queue->next_limit_ns = queue->newest_ns;
	return r;
}

int perf_queue_flush(struct perf_queue *queue)
{
	return give_until(queue, UINT64_MAX);
}

uint64_t perf_queue_late(const struct perf_queue *queue)
{
	return queue->late;
}
