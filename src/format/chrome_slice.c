/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins and ends to nested slices. A trace may hold them in any order, and at one instant ends come before begins, but a
 * begin before its own end. So there are two queues, each ordered by time, and the next event is taken from either; this
 * is how speedscope's src/import/trace-event.ts does it, whose answers the test files hold.
 *
 * An end closes the innermost slice if it has its name (or none itself), else nothing. A complete event knows its own
 * slice: if others are still open in it, they end with it.
 */
#include "format/chrome.h"

#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>

enum { OPEN_LIMIT = 4096, LOOK_AHEAD = 64 };

struct nesting {
	struct chrome_slices *slices;
	struct chrome_track *track;
	struct { uint32_t begin; struct stack_id stack; } open[OPEN_LIMIT];
	size_t depth;
	int64_t last_ns;                             /* up to here all time is accounted for */
	size_t begin, end;                           /* the heads of the queues */
};

static int begin_order(const void *left, const void *right)
{
	const struct chrome_begin *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	/* what lasts longer holds what is shorter; plain begins come first and as they stand in the file */
	if (a->complete != b->complete)
		return a->complete ? 1 : -1;
	if (a->complete && a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int end_order(const void *left, const void *right)
{
	const struct chrome_end *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void queues_make(struct chrome_track *track)
{
	if (track->begin_count)
		qsort(track->begins, track->begin_count, sizeof(*track->begins), begin_order);
	for (size_t i = 0; i < track->begin_count; i++) {
		const struct chrome_begin *begin = &track->begins[i];

		if (!begin->complete)
			continue;
		grow(track->ends, track->end_count, track->end_room);
		track->ends[track->end_count++] = (struct chrome_end){ begin->end_ns, begin->name, begin->order,
								       (uint32_t)i };
	}
	if (track->end_count)
		qsort(track->ends, track->end_count, sizeof(*track->ends), end_order);
}

/* --- Time ----------------------------------------------------------------------------------------- */

static uint64_t time_of(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

static void weight_add(struct nesting *nesting, uint64_t count, uint64_t ns, int64_t at_ns)
{
	struct import_sample sample = { .measure = nesting->slices->measure, .thread = nesting->track->thread,
					.stack = nesting->open[nesting->depth - 1].stack, .count = count, .value = ns,
					.time_ns = time_of(at_ns), .more = !count };

	if (sample.measure.total.index)
		import_sample(nesting->slices->import, &sample);
}

static void time_pass(struct nesting *nesting, int64_t to_ns)
{
	if (nesting->depth && to_ns > nesting->last_ns)
		weight_add(nesting, 0, (uint64_t)to_ns - (uint64_t)nesting->last_ns, to_ns);
	if (to_ns > nesting->last_ns)
		nesting->last_ns = to_ns;
}

static void slice_open(struct nesting *nesting, uint32_t index)
{
	struct chrome_slices *slices = nesting->slices;
	struct chrome_begin *begin = &nesting->track->begins[index];
	struct stack_id above = nesting->depth ? nesting->open[nesting->depth - 1].stack : (struct stack_id){ 0 };
	struct frame frame = { .name = begin->name, .method = METHOD_IMPORTED };
	struct stack_id stack;

	time_pass(nesting, begin->start_ns);         /* also where it is not kept: its thread goes on until here */
	if (nesting->depth == OPEN_LIMIT) {
		import_skipped(slices->import, "a slice lies deeper than is kept", "event", begin->order);
		begin->done = true;
		return;
	}
	stack = import_stack(slices->import, above, profile_frame(import_profile(slices->import), frame));
	begin->open = true;
	nesting->open[nesting->depth].begin = index;
	nesting->open[nesting->depth++].stack = stack;
}

static void slice_close(struct nesting *nesting, int64_t at_ns)
{
	struct chrome_begin *begin;
	struct interval interval = { .thread = nesting->track->thread, .dimension = nesting->slices->dimension };

	time_pass(nesting, at_ns);
	weight_add(nesting, 1, 0, at_ns);            /* how often it was, also where it lasted no time */
	nesting->depth--;
	begin = &nesting->track->begins[nesting->open[nesting->depth].begin];
	begin->done = true;
	interval.stack = nesting->open[nesting->depth].stack;
	interval.start_ns = time_of(begin->start_ns);
	interval.end_ns = time_of(at_ns) > interval.start_ns ? time_of(at_ns) : interval.start_ns;
	if (nesting->slices->measure.total.index)
		profile_add_interval(import_profile(nesting->slices->import), interval);
	else                                         /* it may overlap with others: its time is its own */
		import_interval(nesting->slices->import, interval, "chrome");
}

/* --- Which comes next ----------------------------------------------------------------------------- */

static bool end_is_of(const struct chrome_end *end, const struct chrome_begin *begin, size_t index)
{
	return end->of == CHROME_NONE ? string_is(end->name, begin->name) : end->of == index;
}

static bool begin_is_next(const struct nesting *nesting)
{
	const struct chrome_track *track = nesting->track;
	const struct chrome_end *end;

	if (nesting->begin == track->begin_count || nesting->end == track->end_count)
		return nesting->begin < track->begin_count;
	end = &track->ends[nesting->end];
	if (end->of != CHROME_NONE && end->of >= nesting->begin)
		return true;                         /* it has not begun yet */
	if (track->begins[nesting->begin].start_ns != end->at_ns)
		return track->begins[nesting->begin].start_ns < end->at_ns;
	return end_is_of(end, &track->begins[nesting->begin], nesting->begin);
}

/* Of the ends at this instant the one that fits the innermost slice comes first. */
static void end_choose(struct nesting *nesting)
{
	struct chrome_track *track = nesting->track;
	struct chrome_end *first = &track->ends[nesting->end];
	uint32_t top = nesting->open[nesting->depth - 1].begin;

	for (size_t i = nesting->end; i < track->end_count && i < nesting->end + LOOK_AHEAD; i++) {
		struct chrome_end chosen = track->ends[i];

		if (chosen.at_ns > first->at_ns)
			return;
		if (!end_is_of(&chosen, &track->begins[top], top))
			continue;
		track->ends[i] = *first;
		*first = chosen;
		return;
	}
}

static void end_apply(struct nesting *nesting)
{
	const struct chrome_end *end;
	const struct chrome_begin *begins = nesting->track->begins;

	if (nesting->depth)
		end_choose(nesting);
	end = &nesting->track->ends[nesting->end++];
	if (end->of == CHROME_NONE) {
		uint32_t top = nesting->depth ? nesting->open[nesting->depth - 1].begin : CHROME_NONE;

		if (top != CHROME_NONE && (!end->name.index || string_is(end->name, begins[top].name)) &&
		    !begins[top].complete)
			slice_close(nesting, end->at_ns);
		else
			import_warn(nesting->slices->import, "an end is not that of the innermost slice", "event",
				    end->order);
		return;
	}
	while (!begins[end->of].done) {
		uint32_t top = nesting->open[nesting->depth - 1].begin;

		if (top != end->of)
			import_warn(nesting->slices->import, "a slice is cut: it does not lie within the one around it",
				    "event", begins[top].order);
		slice_close(nesting, end->at_ns);
	}
}

void chrome_track_finish(struct chrome_slices *slices, struct chrome_track *track)
{
	struct nesting *nesting = xcalloc(1, sizeof(*nesting));

	nesting->slices = slices;
	nesting->track = track;
	nesting->last_ns = INT64_MIN;
	queues_make(track);
	while (nesting->begin < track->begin_count || nesting->end < track->end_count) {
		if (begin_is_next(nesting))
			slice_open(nesting, (uint32_t)nesting->begin++);
		else
			end_apply(nesting);
	}
	while (nesting->depth) {
		import_warn(slices->import, "a slice never ends: it is closed where its thread's events end", "event",
			    track->begins[nesting->open[nesting->depth - 1].begin].order);
		slice_close(nesting, nesting->last_ns);
	}
	free(nesting);
	free(track->begins);
	free(track->ends);
	*track = (struct chrome_track){ .thread = track->thread };
}
