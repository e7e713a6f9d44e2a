/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans are flat rows. The limit is kept by one rule: neighbours of a lane that are all shorter than a grain become one, no
 * longer than a thousandth of the window; the grain doubles until what is left fits. At the coarsest a lane has at most some
 * three thousand spans, so the lanes there can be never exceed the limit.
 */
#include "result/timeline.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct timeline *timeline_new(uint64_t start, uint64_t end)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));

	timeline->start = start;
	timeline->end = end;
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->lane_count; i++)
		free(timeline->lanes[i].name);
	for (size_t i = 0; i < timeline->state_count; i++) {
		free(timeline->states[i].name);
		free(timeline->states[i].state);
		free(timeline->states[i].kind);
	}
	for (size_t i = 0; i < timeline->text_count; i++)
		free(timeline->texts[i]);
	free(timeline->lanes);
	free(timeline->states);
	free(timeline->texts);
	free(timeline->spans);
	free(timeline);
}

uint32_t timeline_lane(struct timeline *timeline, const char *name, enum timeline_lane_kind kind)
{
	grow(timeline->lanes, timeline->lane_count, timeline->lane_room);
	timeline->lanes[timeline->lane_count] = (struct timeline_lane){ xstrdup(name), kind };
	return (uint32_t)timeline->lane_count++;
}

uint32_t timeline_state(struct timeline *timeline, const char *name, const char *state, const char *kind)
{
	grow(timeline->states, timeline->state_count, timeline->state_room);
	timeline->states[timeline->state_count] = (struct timeline_state){ xstrdup(name), xstrdup(state), xstrdup(kind) };
	return (uint32_t)timeline->state_count++;
}

uint32_t timeline_text(struct timeline *timeline, const char *text)
{
	grow(timeline->texts, timeline->text_count, timeline->text_room);
	timeline->texts[timeline->text_count] = xstrdup(text);
	return (uint32_t)timeline->text_count++;
}

void timeline_add(struct timeline *timeline, struct timeline_span span)
{
	if (span.start >= span.end)
		return;
	grow(timeline->spans, timeline->span_count, timeline->span_room);
	timeline->spans[timeline->span_count++] = span;
}

static int compare_spans(const void *left, const void *right)
{
	const struct timeline_span *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static uint64_t length_of(const struct timeline_span *span)
{
	return span->end - span->start;
}

/* The state that lasted longest stands for all; who ended which of them is no longer known. */
static struct timeline_span join(const struct timeline_span *spans, size_t count, uint64_t *lengths)
{
	struct timeline_span joined = spans[0];
	uint64_t longest = 0;

	joined.by = joined.by_lane = joined.text = joined.count = 0;
	for (size_t i = 0; i < count; i++) {
		lengths[spans[i].state] += length_of(&spans[i]);
		joined.count += spans[i].count;
	}
	for (size_t i = 0; i < count; i++)
		if (lengths[spans[i].state] > longest) {
			longest = lengths[spans[i].state];
			joined.state = spans[i].state;
		}
	for (size_t i = 0; i < count; i++)
		lengths[spans[i].state] = 0;
	joined.end = spans[count - 1].end;
	return joined;
}

/* How many from the first on become one: short ones without a hole between them. */
static size_t run_of(const struct timeline *timeline, size_t first, uint64_t grain, uint64_t most)
{
	const struct timeline_span *spans = timeline->spans;
	size_t at = first;

	while (at < timeline->span_count && spans[at].lane == spans[first].lane && length_of(&spans[at]) < grain &&
	       spans[at].end - spans[first].start <= most && (at == first || spans[at].start == spans[at - 1].end))
		at++;
	return at > first ? at - first : 1;
}

static void join_shorter(struct timeline *timeline, uint64_t grain, uint64_t most, uint64_t *lengths)
{
	size_t kept = 0;

	for (size_t at = 0; at < timeline->span_count;) {
		size_t run = run_of(timeline, at, grain, most);

		timeline->spans[kept++] = run > 1 ? join(&timeline->spans[at], run, lengths) : timeline->spans[at];
		timeline->joined += run - 1;
		at += run;
	}
	timeline->span_count = kept;
}

void timeline_finish(struct timeline *timeline)
{
	uint64_t most = (timeline->end - timeline->start) / TIMELINE_GRAINS + 1;
	uint64_t *lengths = xcalloc(timeline->state_count + 1, sizeof(*lengths));

	if (timeline->span_count)
		qsort(timeline->spans, timeline->span_count, sizeof(*timeline->spans), compare_spans);
	for (uint64_t grain = 1000; timeline->span_count > TIMELINE_SPANS_MOST && grain <= 2 * most; grain *= 2)
		join_shorter(timeline, grain < most ? grain : most + 1, most, lengths);
	free(lengths);
	if (timeline->span_count > TIMELINE_SPANS_MOST) {       /* holes between all of them */
		timeline->left_out += timeline->span_count - TIMELINE_SPANS_MOST;
		timeline->span_count = TIMELINE_SPANS_MOST;
	}
}
