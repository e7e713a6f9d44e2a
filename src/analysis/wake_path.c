/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One worker's intervals are walked from a start to an end; a wait with a waker walks that one's from the wait's own start to
 * the wake-up, and so on. Each level looks at a stretch of time that lies within the one above it, so the walk ends and
 * each instant is told once.
 */
#include "analysis/wake_path.h"

#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct wake_graph {
	struct wake_interval *intervals;     /* by worker, then start */
	size_t count;
};

static int compare(const void *left, const void *right)
{
	const struct wake_interval *a = left, *b = right;

	if (a->worker != b->worker)
		return a->worker < b->worker ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

struct wake_graph *wake_graph_new(const struct wake_interval *intervals, size_t count)
{
	struct wake_graph *graph = xcalloc(1, sizeof(*graph));

	graph->intervals = xcalloc(count + 1, sizeof(*intervals));
	graph->count = count;
	if (count)
		memcpy(graph->intervals, intervals, count * sizeof(*intervals));
	qsort(graph->intervals, count, sizeof(*intervals), compare);
	return graph;
}

void wake_graph_free(struct wake_graph *graph)
{
	if (graph)
		free(graph->intervals);
	free(graph);
}

const struct wake_interval *wake_graph_at(const struct wake_graph *graph, uint32_t interval)
{
	return &graph->intervals[interval];
}

/* The first of a worker's that ends after a time; the count where there is none. */
static size_t first_after(const struct wake_graph *graph, uint32_t worker, uint64_t time)
{
	size_t low = 0, high = graph->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct wake_interval *at = &graph->intervals[middle];

		if (at->worker < worker || (at->worker == worker && at->end <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->count && graph->intervals[low].worker == worker ? low : graph->count;
}

struct walking {
	const struct wake_graph *graph;
	wake_part_function *call;
	void *context;
	struct wake_part part;               /* via and depth of where the walk is */
	uint64_t until;                      /* what was told so far ends here */
};

static void tell(struct walking *walking, enum wake_part_kind kind, uint32_t worker, size_t interval, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;
	assert(start == walking->until);
	walking->until = end;
	walking->part.kind = kind;
	walking->part.worker = worker;
	walking->part.interval = (uint32_t)interval;
	walking->part.start = start;
	walking->part.end = end;
	walking->call(walking->context, &walking->part);
}

static void walk(struct walking *walking, uint32_t worker, uint64_t from, uint64_t to);

/* Is the worker waited for already, further up, by a wait that goes on? */
static bool is_circle(const struct walking *walking, uint32_t worker)
{
	for (unsigned i = 0; i < walking->part.depth; i++)
		if (walking->graph->intervals[walking->part.via[i]].worker == worker)
			return true;
	return false;
}

static void explain(struct walking *walking, size_t index, uint64_t from, uint64_t to)
{
	const struct wake_interval *wait = &walking->graph->intervals[index];
	uint64_t woken = wait->woken_at < from ? from : wait->woken_at < to ? wait->woken_at : to;

	if (!wait->waker) {
		tell(walking, WAKE_OWN, wait->worker, index, from, to);
		return;
	}
	if (wait->waker == wait->worker) {
		tell(walking, WAKE_SELF, wait->worker, index, from, to);
		return;
	}
	if (walking->part.depth >= WAKE_PATH_DEPTH || is_circle(walking, wait->waker)) {
		tell(walking, WAKE_CUT, wait->worker, index, from, to);
		return;
	}
	walking->part.via[walking->part.depth++] = (uint32_t)index;
	walk(walking, wait->waker, from, woken);
	tell(walking, WAKE_DELAY, wait->waker, index, woken, to);
	walking->part.depth--;
}

static void walk(struct walking *walking, uint32_t worker, uint64_t from, uint64_t to)
{
	const struct wake_graph *graph = walking->graph;

	for (size_t i = first_after(graph, worker, from); from < to; i++) {
		const struct wake_interval *at = i < graph->count ? &graph->intervals[i] : NULL;
		uint64_t start, end;

		if (!at || at->worker != worker || at->start >= to) {
			tell(walking, WAKE_UNKNOWN, worker, 0, from, to);
			return;
		}
		start = at->start > from ? at->start : from;
		end = at->end < to ? at->end : to;
		tell(walking, WAKE_UNKNOWN, worker, 0, from, start);
		explain(walking, i, start, end);
		from = end > from ? end : from;
	}
}

void wake_path(const struct wake_graph *graph, uint32_t worker, uint64_t from, uint64_t to, wake_part_function *call, void *context)
{
	struct walking walking = { .graph = graph, .call = call, .context = context, .until = from };

	walk(&walking, worker, from, to);
	assert(from >= to || walking.until == to);
}
