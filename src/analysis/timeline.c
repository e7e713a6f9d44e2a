/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What did each thread do when? The intervals of a timeline capture as lanes: the threads that did most, states by their
 * colour, with who ended each wait and what it was for; above them the requests that were decomposed, packed into as few rows
 * as they fit. Nothing is judged here: to look, and to find the instant about which to ask the next question.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/timeline_lanes.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"
#include "result/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256 };

struct drawing {
	const struct question *question;
	const struct profile *profile;
	struct timeline *timeline;
	struct map *text_ids;                /* string to text plus 1 */
	struct map *waker_ids;               /* thread to text plus 1 */
	uint32_t *lanes;                     /* by thread: its lane plus 1 */
	uint32_t *states;                    /* by dimension: its state plus 1 */
	uint32_t *links;                     /* by interval: the object of its last link */
};

/* --- Names ----------------------------------------------------------------------------------------------------- */

static const char *name_of_thread(const struct profile *profile, uint32_t index, char text[NAME_SIZE])
{
	const struct thread *thread = profile_thread_at(profile, index);
	const char *comm = profile_text(profile, thread->comm);

	(void)snprintf(text, NAME_SIZE, "%.200s (%u)", *comm ? comm : "[unknown]", thread->tid);
	return text;
}

static uint32_t text_of_waker(struct drawing *drawing, struct thread_id waker)
{
	uint32_t *at;
	char text[NAME_SIZE];

	if (!waker.index)
		return 0;
	at = map_put(drawing->waker_ids, &waker.index, NULL);
	if (!*at)
		*at = timeline_text(drawing->timeline, name_of_thread(drawing->profile, waker.index, text)) + 1;
	return *at;
}

static uint32_t text_of_string(struct drawing *drawing, struct string_id string)
{
	uint32_t *at;

	if (!string.index)
		return 0;
	at = map_put(drawing->text_ids, &string.index, NULL);
	if (!*at)
		*at = timeline_text(drawing->timeline, profile_text(drawing->profile, string)) + 1;
	return *at;
}

static uint32_t state_of_dimension(struct drawing *drawing, struct dimension_id class)
{
	const struct profile *profile = drawing->profile;
	const struct dimension *root = profile_dimension_at(profile, profile_dimension_root(profile, class).index);
	char path[DIMENSION_PATH_SIZE];

	if (!drawing->states[class.index])
		drawing->states[class.index] = timeline_state(drawing->timeline, dimension_path(profile, class, path),
							      profile_text(profile, root->name), dimension_kind_name(root->kind)) + 1;
	return drawing->states[class.index] - 1;
}

/* --- Threads --------------------------------------------------------------------------------------------------- */

static struct dimension_id class_of(const struct profile *profile, const struct interval *interval)
{
	return interval->evidence.index ? profile_evidence_at(profile, interval->evidence.index)->class : interval->dimension;
}

static void add_interval(struct drawing *drawing, size_t index)
{
	const struct interval *interval = profile_interval_at(drawing->profile, index);
	struct dimension_id class = class_of(drawing->profile, interval);
	struct dimension_id root = profile_dimension_root(drawing->profile, class);
	struct thread_id waker = profile_interval_waker(drawing->profile, interval);
	struct timeline_span span = { .start = interval->start_ns, .end = interval->end_ns, .count = 1 };
	uint32_t lane = drawing->lanes[interval->thread.index];

	if (!lane || !class.index || !dimension_is_state(profile_dimension_at(drawing->profile, root.index)->kind))
		return;
	selection_clip(drawing->question->selection, drawing->profile, &span.start, &span.end);
	if (span.start >= span.end)
		return;
	span.lane = lane - 1;
	span.state = state_of_dimension(drawing, class);
	span.by = text_of_waker(drawing, waker);
	span.by_lane = drawing->lanes[waker.index];
	span.text = text_of_string(drawing, profile_object_at(drawing->profile, drawing->links[index])->name);
	timeline_add(drawing->timeline, span);
}

static void add_threads(struct drawing *drawing)
{
	size_t count = profile_interval_count(drawing->profile);

	drawing->links = xcalloc(count + 1, sizeof(*drawing->links));
	for (size_t i = 0; i < profile_link_count(drawing->profile); i++) {
		const struct link *link = profile_link_at(drawing->profile, i);

		drawing->links[link->interval] = link->object.index;
	}
	for (size_t i = 0; i < count; i++)
		add_interval(drawing, i);
	free(drawing->links);
}

/* --- Requests -------------------------------------------------------------------------------------------------- */

static void add_request(struct drawing *drawing, const struct request *request, uint32_t lane, uint32_t state)
{
	struct timeline_span span = { .start = request->opened_ns, .end = request->closed_ns, .lane = lane, .state = state, .count = 1 };

	selection_clip(drawing->question->selection, drawing->profile, &span.start, &span.end);
	span.by = text_of_waker(drawing, request->thread);
	span.by_lane = drawing->lanes[request->thread.index];
	span.text = text_of_string(drawing, request->class);
	timeline_add(drawing->timeline, span);
}

static uint32_t state_of_outcome(struct drawing *drawing, struct string_id outcome)
{
	const char *name = profile_text(drawing->profile, outcome);
	char text[NAME_SIZE];

	(void)snprintf(text, sizeof(text), "request %.200s", *name ? name : "unjudged");
	for (uint32_t i = 0; i < drawing->timeline->state_count; i++)
		if (!strcmp(drawing->timeline->states[i].name, text))
			return i;
	return timeline_state(drawing->timeline, text, text, "request");
}

static void add_requests(struct drawing *drawing)
{
	struct timeline_rows *rows = timeline_pack_requests(drawing->profile, drawing->question->selection);
	uint32_t first = (uint32_t)drawing->timeline->lane_count;

	for (uint32_t row = 0; row < rows->row_count; row++) {
		char text[NAME_SIZE];

		(void)snprintf(text, sizeof(text), row ? "requests (%u)" : "requests", row + 1);
		(void)timeline_lane(drawing->timeline, text, LANE_REQUEST);
	}
	for (size_t i = 0; i < rows->count; i++) {
		const struct request *request = profile_request_at(drawing->profile, rows->requests[i].request);

		add_request(drawing, request, first + rows->requests[i].row, state_of_outcome(drawing, request->outcome));
	}
	drawing->timeline->left_out += rows->left_out;
	timeline_rows_free(rows);
}

/* --- The answer ------------------------------------------------------------------------------------------------ */

static void add_lanes(struct drawing *drawing)
{
	uint32_t threads[TIMELINE_THREADS_MOST];
	size_t left_out, most = drawing->question->most ? drawing->question->most : TIMELINE_THREADS_MOST;
	size_t count = timeline_choose_threads(drawing->profile, drawing->question->selection,
					       most < TIMELINE_THREADS_MOST ? most : TIMELINE_THREADS_MOST, threads, &left_out);

	for (size_t i = 0; i < count; i++) {
		char text[NAME_SIZE];

		drawing->lanes[threads[i]] =
			timeline_lane(drawing->timeline, name_of_thread(drawing->profile, threads[i], text), LANE_THREAD) + 1;
	}
	drawing->timeline->left_out += left_out;
}

static void add_notes(const struct timeline *timeline, struct document *into)
{
	if (timeline->joined)
		document_add_finding(into, SEVERITY_NOTE, "timeline: %llu short intervals are joined with their neighbours; --from and "
							  "--to show a part of the time whole", (unsigned long long)timeline->joined);
	if (timeline->left_out)
		document_add_finding(into, SEVERITY_NOTE, "timeline: %llu threads or requests have no lane; --where shows others",
				     (unsigned long long)timeline->left_out);
}

/* Lanes are drawn of states; what may overlap, as markers do, has no place in one. */
static bool has_lanes(const struct profile *profile)
{
	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		struct dimension_id root = profile_dimension_root(profile, class_of(profile, profile_interval_at(profile, i)));

		if (dimension_is_state(profile_dimension_at(profile, root.index)->kind))
			return true;
	}
	return profile_request_count(profile) > 0;
}

static int timeline_run(const struct question *question, struct document *into, struct error *err)
{
	struct drawing drawing = { .question = question, .profile = question->profile };
	uint64_t start = 0, end = 0;

	(void)err;
	timeline_window(question->profile, question->selection, &start, &end);
	if (!profile_interval_count(question->profile) || start >= end) {
		if (question->alone)
			document_add_finding(into, SEVERITY_WARNING, "a timeline needs the intervals one by one, and this capture keeps sums "
								     "(crosscut record --timeline)");
		return 0;
	}
	if (!has_lanes(question->profile)) {
		if (question->alone)
			document_add_finding(into, SEVERITY_WARNING, "a timeline needs the states of threads, and the intervals here are "
								     "markers or slices of a trace");
		return 0;
	}
	drawing.timeline = timeline_new(start, end);
	drawing.text_ids = map_new(sizeof(uint32_t));
	drawing.waker_ids = map_new(sizeof(uint32_t));
	drawing.lanes = xcalloc(profile_thread_count(question->profile) + 1, sizeof(*drawing.lanes));
	drawing.states = xcalloc(profile_dimension_count(question->profile) + 1, sizeof(*drawing.states));
	add_requests(&drawing);
	add_lanes(&drawing);
	add_threads(&drawing);
	timeline_finish(drawing.timeline);
	add_notes(drawing.timeline, into);
	(void)document_add_timeline(into, "timeline", "What happened when", drawing.timeline);
	map_free(drawing.text_ids);
	map_free(drawing.waker_ids);
	free(drawing.lanes);
	free(drawing.states);
	return 0;
}

extern const struct analysis analysis_timeline;
const struct analysis analysis_timeline = {
	.name = "timeline",
	.asks = "what did each thread do when, and who ended its waits?",
	.run = timeline_run,
};
