/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of the small one, per lane in ms of ten, with who ended what:
 *
 *	requests    GET /a ─────────┤ 0 … 6
 *	worker      runs 0 … 2 │ lock 2 … 5, by writer, for orders │ ready 5 … 6 │ idle 6 … 10
 *	writer      disk 0 … 4 │ runs 4 … 5 │ a thousand short ones, joined, 5 … 10
 */
#include "timelines.h"

#include "result/document.h"
#include "result/timeline.h"

#include <stdio.h>

enum { MS = 1000000 };

static void span(struct timeline *timeline, uint32_t lane, uint32_t state, double from, double to, struct timeline_span more)
{
	more.lane = lane;
	more.state = state;
	more.start = timeline->start + (uint64_t)(from * MS);
	more.end = timeline->start + (uint64_t)(to * MS);
	more.count = more.count ? more.count : 1;
	timeline_add(timeline, more);
}

struct document *make_timeline(void)
{
	struct document *document = document_new("crosscut.timeline/1", "A timeline of ten milliseconds");
	struct timeline *timeline = timeline_new(7000ull * MS, 7010ull * MS);
	uint32_t requests = timeline_lane(timeline, "requests", LANE_REQUEST), worker = timeline_lane(timeline, "worker (11)", LANE_THREAD);
	uint32_t writer = timeline_lane(timeline, "writer (12)", LANE_THREAD);
	uint32_t correct = timeline_state(timeline, "request correct", "request correct", "request");
	uint32_t runs = timeline_state(timeline, "oncpu", "oncpu", "running"), lock = timeline_state(timeline, "lock/mutex", "lock", "waiting");
	uint32_t ready = timeline_state(timeline, "runnable/woken", "runnable", "ready"), idle = timeline_state(timeline, "idle/queue", "idle", "idle");
	uint32_t disk = timeline_state(timeline, "disk/read", "disk", "waiting");
	uint32_t class = timeline_text(timeline, "GET /a") + 1, orders = timeline_text(timeline, "<b>orders</b>") + 1;
	uint32_t by = timeline_text(timeline, "writer (12)") + 1;

	span(timeline, requests, correct, 0, 6, (struct timeline_span){ .text = class });
	span(timeline, worker, runs, 0, 2, (struct timeline_span){ 0 });
	span(timeline, worker, lock, 2, 5, (struct timeline_span){ .by = by, .by_lane = writer + 1, .text = orders });
	span(timeline, worker, ready, 5, 6, (struct timeline_span){ 0 });
	span(timeline, worker, idle, 6, 10, (struct timeline_span){ 0 });
	span(timeline, writer, disk, 0, 4, (struct timeline_span){ 0 });
	span(timeline, writer, runs, 4, 5, (struct timeline_span){ 0 });
	span(timeline, writer, runs, 5, 10, (struct timeline_span){ .count = 1000 });
	timeline_finish(timeline);
	(void)document_add_timeline(document, "timeline", "What happened when", timeline);
	return document;
}

/* Four million short ones on sixty-four lanes, joined to what a page may hold. */
struct document *make_crowd(void)
{
	struct document *document = document_new("crosscut.timeline/1", "A crowd");
	struct timeline *timeline = timeline_new(0, 6400000000ull);
	uint32_t states[4] = { timeline_state(timeline, "oncpu", "oncpu", "running"), timeline_state(timeline, "runnable", "runnable", "ready"),
			       timeline_state(timeline, "lock/mutex", "lock", "waiting"), timeline_state(timeline, "idle/queue", "idle", "idle") };

	for (uint32_t lane = 0; lane < 64; lane++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "worker-%u (%u)", lane, 1000 + lane);
		(void)timeline_lane(timeline, name, LANE_THREAD);
		for (uint64_t at = 0; at < 62500; at++)
			timeline_add(timeline, (struct timeline_span){ .lane = lane, .state = states[(at + lane) % 4], .count = 1,
								       .start = at * 102400, .end = (at + 1) * 102400 });
	}
	timeline_finish(timeline);
	(void)document_add_timeline(document, "timeline", "What happened when", timeline);
	return document;
}

/* Two locks; b waits for a, and c for b and a. */
struct document *make_locks(void)
{
	static const struct column columns[] = { { "waiter", "waiter", "", COLUMN_LEFT }, { "holder", "holder", "", COLUMN_LEFT },
						 { "lock", "lock", "", COLUMN_LEFT }, { "wait", "wait", "ns", COLUMN_BAR },
						 { "count", "parts", "count", 0 } };
	static const struct { const char *waiter, *holder, *lock; double ms; } rows[] = {
		{ "b (2)", "a (1)", "orders", 8 }, { "c (3)", "b (2)", "<i>index</i>", 4 }, { "c (3)", "a (1)", "orders", 1 } };
	struct document *document = document_new("crosscut.locks/1", "Locks");
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		table_add(table, (struct value[]){ value_text(rows[i].waiter), value_text(rows[i].holder), value_text(rows[i].lock),
						   value_number(rows[i].ms * MS), value_integer((int64_t)(i + 1)) });
	(void)document_add_table(document, "waiters", "Who waited for whom: exact", table);
	return document;
}
