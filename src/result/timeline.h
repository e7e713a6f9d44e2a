/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A section's shape for what happened when: lanes, and spans on them. A lane is one thread, or a row of requests; the spans
 * of one lane do not overlap, and where nothing is known there is none. Whoever fills it gives spans lane by lane, in the
 * order of time.
 *
 * It is bounded: timeline_finish() joins neighbours that are too short to be seen, into spans that say how many they hold and
 * carry the state that lasted longest in them, until no more than TIMELINE_SPANS_MOST are left.
 *
 * As JSON: {"unit":"ns","start","length","lanes":[{"name","kind","spans"}],"states":[{"name","state","kind"}],"texts":[…],
 * "lane":[…],"begin":[…],"span":[…],"state":[…],"count":[…],"by":[…],"text":[…],"by_lane":[…],"joined","left_out"}. begin is
 * since start; by, text (into texts) and by_lane are one more than the index, 0 is none.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum { TIMELINE_LANES_MOST = 72, TIMELINE_SPANS_MOST = 200000, TIMELINE_GRAINS = 1000 };

enum timeline_lane_kind { LANE_THREAD = 1, LANE_REQUEST };

struct timeline_lane { char *name; enum timeline_lane_kind kind; };
struct timeline_state { char *name, *state, *kind; };        /* "lock/mutex", "lock", "waiting" */

struct timeline_span {
	uint64_t start, end;                 /* as the timeline's own */
	uint32_t lane, state, count;
	uint32_t by, by_lane, text;          /* who ended it; what it was for: 0 none, else index + 1 */
};

struct timeline {
	uint64_t start, end;
	struct timeline_lane *lanes;
	size_t lane_count, lane_room;
	struct timeline_state *states;
	size_t state_count, state_room;
	char **texts;
	size_t text_count, text_room;
	struct timeline_span *spans;
	size_t span_count, span_room;
	uint64_t joined;                     /* spans that went into others */
	uint64_t left_out;                   /* lanes (threads, and requests) for which there was no room */
};

struct timeline *timeline_new(uint64_t start, uint64_t end);
void timeline_free(struct timeline *timeline);
DEFINE_CLEANUP(timeline)
/* Each appends and returns the index; the caller keeps states and texts distinct. */
uint32_t timeline_lane(struct timeline *timeline, const char *name, enum timeline_lane_kind kind);
uint32_t timeline_state(struct timeline *timeline, const char *name, const char *state, const char *kind);
uint32_t timeline_text(struct timeline *timeline, const char *text);
void timeline_add(struct timeline *timeline, struct timeline_span span);
/* Sorts, and joins until the limit holds. Called once, after the last span. */
void timeline_finish(struct timeline *timeline);
