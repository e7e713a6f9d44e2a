/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of who woke whom: on graphs drawn here, on those of Trace Compass with the paths that it expects, and on random
 * ones, where every instant must be told exactly once.
 */
#include "test.h"

#include "analysis/wake_path.h"
#include "base/cleanup.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4096 };
struct path { struct wake_part parts[PARTS]; size_t count; };

static void keep(void *context, const struct wake_part *part)
{
	struct path *path = context;

	assert_true(path->count < PARTS);
	path->parts[path->count++] = *part;
}

static void assert_covers(const struct path *path, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < path->count; i++) {
		assert_int_equal(path->parts[i].start, from);
		assert_true(path->parts[i].end > from);
		from = path->parts[i].end;
	}
	assert_int_equal(from, to);
}

static void assert_part(const struct path *path, size_t index, enum wake_part_kind kind, uint32_t worker, uint64_t start, uint64_t end)
{
	assert_true(index < path->count);
	assert_int_equal(path->parts[index].kind, kind);
	assert_int_equal(path->parts[index].worker, worker);
	assert_int_equal(path->parts[index].start, start);
	assert_int_equal(path->parts[index].end, end);
}

TEST(a_wait_is_replaced_by_what_its_waker_did_and_that_ones_waits_too)
{
	const struct wake_interval intervals[] = {
		{ 1, 0, 0, 2, 0, 0 }, { 1, 2, 2, 9, 9, 0 }, { 1, 0, 9, 10, 0, 0 },
		{ 2, 0, 0, 4, 0, 0 }, { 2, 3, 4, 7, 7, 0 }, { 2, 0, 7, 12, 0, 0 },
		{ 3, 0, 0, 12, 0, 0 },
	};
	CLEANUP(wake_graph) struct wake_graph *graph = wake_graph_new(intervals, ARRAY_LENGTH(intervals));
	static struct path path;

	path.count = 0;
	wake_path(graph, 1, 0, 10, keep, &path);
	assert_int_equal(path.count, 5);
	assert_part(&path, 0, WAKE_OWN, 1, 0, 2);
	assert_part(&path, 1, WAKE_OWN, 2, 2, 4);
	assert_part(&path, 2, WAKE_OWN, 3, 4, 7);
	assert_int_equal(path.parts[2].depth, 2);
	assert_part(&path, 3, WAKE_OWN, 2, 7, 9);
	assert_part(&path, 4, WAKE_OWN, 1, 9, 10);
}

TEST(what_is_not_known_is_a_part_of_its_own)
{
	const struct wake_interval intervals[] = { { 1, 9, 0, 4, 4, 0 }, { 1, 0, 6, 8, 0, 0 } };
	CLEANUP(wake_graph) struct wake_graph *graph = wake_graph_new(intervals, ARRAY_LENGTH(intervals));
	static struct path path;

	path.count = 0;
	wake_path(graph, 1, 0, 10, keep, &path);
	assert_part(&path, 0, WAKE_UNKNOWN, 9, 0, 4);
	assert_part(&path, 1, WAKE_UNKNOWN, 1, 4, 6);
	assert_part(&path, 2, WAKE_OWN, 1, 6, 8);
	assert_part(&path, 3, WAKE_UNKNOWN, 1, 8, 10);
}

TEST(a_circle_is_cut_where_it_closes)
{
	const struct wake_interval intervals[] = { { 1, 2, 0, 10, 10, 0 }, { 2, 1, 0, 10, 10, 0 } };
	CLEANUP(wake_graph) struct wake_graph *graph = wake_graph_new(intervals, ARRAY_LENGTH(intervals));
	static struct path path;

	path.count = 0;
	wake_path(graph, 1, 0, 10, keep, &path);
	assert_int_equal(path.count, 1);
	assert_part(&path, 0, WAKE_CUT, 2, 0, 10);
}

TEST(a_chain_that_is_too_long_is_cut_and_still_covers_its_time)
{
	struct wake_interval intervals[WAKE_PATH_DEPTH * 2];
	struct wake_graph *graph;
	static struct path path;

	for (uint32_t i = 0; i < ARRAY_LENGTH(intervals); i++)
		intervals[i] = (struct wake_interval){ i + 1, i + 2, 0, 1000, 1000, 0 };
	graph = wake_graph_new(intervals, ARRAY_LENGTH(intervals));
	path.count = 0;
	wake_path(graph, 1, 0, 1000, keep, &path);
	assert_covers(&path, 0, 1000);
	assert_int_equal(path.parts[0].kind, WAKE_CUT);
	wake_graph_free(graph);
}

TEST(random_graphs_are_covered_exactly)
{
	enum { WORKERS = 6, TIME = 400 };
	struct wake_interval intervals[WORKERS * TIME];
	static struct path path;

	for (unsigned round = 1; round <= 500; round++) {
		unsigned seed = round;
		size_t count = 0;
		struct wake_graph *graph;

		for (uint32_t worker = 1; worker <= WORKERS; worker++)
			for (uint64_t at = 0; at < TIME;) {
				uint64_t end = at + 1 + (uint64_t)rand_r(&seed) % 60;
				uint32_t waker = (uint32_t)rand_r(&seed) % (WORKERS + 3);

				if (rand_r(&seed) % 8)
					intervals[count++] = (struct wake_interval){ worker, rand_r(&seed) % 2 ? waker : 0, at, end,
										     at + (uint64_t)rand_r(&seed) % (end - at + 5), 0 };
				at = end;
			}
		graph = wake_graph_new(intervals, count);
		path.count = 0;
		wake_path(graph, 1, 10, TIME - 10, keep, &path);
		assert_covers(&path, 10, TIME - 10);
		wake_graph_free(graph);
	}
}

/* --- Trace Compass ---------------------------------------------------------------------------------------------- */

/* NULL where the corpora are not at hand: a failure under CI. */
static json_t *read_graphs(void)
{
	const char *folder = getenv("CROSSCUT_CORPORA");
	CLEANUP_TEXT char *path =
		xasprintf("%s/eclipse-tracecompass+org.eclipse.tracecompass/derived/critical_path_graphs.json",
			  folder ? folder : "../shared/corpora");
	json_t *root = json_load_file(path, 0, NULL);

	if (!root)
		assert_null(getenv("CI"));
	return root;
}

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Their wait is ours, and the link that arrives at its end says who ended it and when. */
static size_t read_intervals(const json_t *graph, struct wake_interval *intervals, bool *waits)
{
	size_t count = 0, i, k;
	const json_t *row, *link;

	json_array_foreach (json_object_get(graph, "workers"), i, row) {
		struct wake_interval *interval = &intervals[count];

		*interval = (struct wake_interval){ .worker = (uint32_t)number(row, "worker") + 1, .start = number(row, "start"),
						    .end = number(row, "end"), .tag = (uint32_t)count };
		waits[count++] = strcmp(text(row, "state"), "RUNNING") != 0;
		json_array_foreach (json_object_get(graph, "links"), k, link) {
			if (!waits[count - 1] || number(link, "to_worker") + 1 != interval->worker ||
			    number(link, "to_time") != interval->end)
				continue;
			interval->waker = (uint32_t)number(link, "from_worker") + 1;
			interval->woken_at = number(link, "from_time");
		}
	}
	return count;
}

static void assert_segments(const char *name, const json_t *expected, const struct path *path)
{
	size_t at = 0, i;
	const json_t *segment;

	json_array_foreach (json_object_get(expected, "segments"), i, segment) {
		while (at < path->count && path->parts[at].kind == WAKE_DELAY)
			at++;                           /* theirs is a link, not a segment */
		if (at >= path->count || path->parts[at].worker != number(segment, "worker") + 1 ||
		    path->parts[at].start != number(segment, "start") || path->parts[at].end != number(segment, "end"))
			print_error("%s: segment %zu differs\n", name, i);
		assert_part(path, at, path->parts[at].kind, (uint32_t)number(segment, "worker") + 1, number(segment, "start"),
			    number(segment, "end"));
		assert_int_equal(!strcmp(text(segment, "state"), "UNKNOWN"), path->parts[at].kind == WAKE_UNKNOWN);
		at++;
	}
	while (at < path->count && path->parts[at].kind == WAKE_DELAY)
		at++;
	assert_int_equal(at, path->count);
}

TEST(the_bounded_paths_of_trace_compass_are_the_ones_it_expects)
{
	struct wake_interval intervals[64];
	bool waits[64];
	static struct path path;
	json_t *root = read_graphs();
	const json_t *graph;
	size_t i, seen = 0;

	if (!root)
		skip();
	json_array_foreach (json_object_get(root, "graphs"), i, graph) {
		const json_t *expected = json_object_get(graph, "critical_path_bounded");
		size_t count = read_intervals(graph, intervals, waits);
		uint64_t from = UINT64_MAX, to = 0;
		struct wake_graph *wakes;

		if (!json_is_object(expected))
			continue;
		for (size_t k = 0; k < count; k++)
			if (intervals[k].worker == 1) {
				from = intervals[k].start < from ? intervals[k].start : from;
				to = intervals[k].end > to ? intervals[k].end : to;
			}
		wakes = wake_graph_new(intervals, count);
		path.count = 0;
		wake_path(wakes, 1, from, to, keep, &path);
		assert_covers(&path, from, to);
		assert_segments(text(graph, "name"), expected, &path);
		wake_graph_free(wakes);
		seen++;
	}
	assert_int_equal(seen, 8);
	json_decref(root);
}
