/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests are packed first-fit in the order of their start, which needs the fewest rows there can be; what finds none among
 * the rows is counted.
 */
#include "analysis/timeline_lanes.h"

#include "analysis/account.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

#include <stdbool.h>
#include <stdlib.h>

void timeline_window(const struct profile *profile, const struct selection *selection, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);

		start = interval->start_ns < start ? interval->start_ns : start;
		end = interval->end_ns > end ? interval->end_ns : end;
	}
	if (start < end)
		selection_clip(selection, profile, &start, &end);
	*ret_start = start < end ? start : 0;
	*ret_end = start < end ? end : 0;
}

/* --- Threads --------------------------------------------------------------------------------------------------- */

struct busy { uint32_t thread, process; uint64_t start_ns, ns; };

static int compare_busy(const void *left, const void *right)
{
	const struct busy *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int compare_place(const void *left, const void *right)
{
	const struct busy *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static bool is_idle(const struct profile *profile, const struct interval *interval)
{
	struct dimension_id class = interval->evidence.index ? profile_evidence_at(profile, interval->evidence.index)->class
							     : interval->dimension;
	struct dimension_id root = profile_dimension_root(profile, class);

	return !dimension_is_state(profile_dimension_at(profile, root.index)->kind) ||
	       profile_dimension_at(profile, root.index)->kind == DIMENSION_IDLE;
}

static void weigh(const struct profile *profile, const struct selection *selection, struct busy *rows)
{
	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);
		uint64_t start = interval->start_ns, end = interval->end_ns;

		selection_clip(selection, profile, &start, &end);
		if (start < end)                        /* who only ever idled still comes last, not never */
			rows[interval->thread.index].ns += is_idle(profile, interval) ? 1 : end - start;
	}
}

size_t timeline_choose_threads(const struct profile *profile, const struct selection *selection, size_t most,
			       uint32_t threads[TIMELINE_THREADS_MOST], size_t *ret_left_out)
{
	size_t count = profile_thread_count(profile), chosen = 0;
	struct busy *rows = xcalloc(count + 1, sizeof(*rows));

	*ret_left_out = 0;
	for (uint32_t i = 0; i < count; i++)
		rows[i] = (struct busy){ i, profile_thread_at(profile, i)->process.index, profile_thread_at(profile, i)->start_ns, 0 };
	weigh(profile, selection, rows);
	qsort(rows, count, sizeof(*rows), compare_busy);
	for (size_t i = 0; i < count && rows[i].ns; i++) {
		const struct thread *thread = profile_thread_at(profile, rows[i].thread);

		if (!rows[i].thread || thread->outside || !selection_has_thread(selection, profile, thread))
			continue;
		if (chosen < most)
			rows[chosen++] = rows[i];
		else
			++*ret_left_out;
	}
	qsort(rows, chosen, sizeof(*rows), compare_place);
	for (size_t i = 0; i < chosen; i++)
		threads[i] = rows[i].thread;
	free(rows);
	return chosen;
}

/* --- Requests -------------------------------------------------------------------------------------------------- */

struct opening { uint64_t opened_ns, closed_ns; uint32_t request; };

static int compare_openings(const void *left, const void *right)
{
	const struct opening *a = left, *b = right;

	if (a->opened_ns != b->opened_ns)
		return a->opened_ns < b->opened_ns ? -1 : 1;
	return a->request < b->request ? -1 : a->request > b->request;
}

static struct opening *openings_of(const struct profile *profile, const struct selection *selection, size_t *ret_count)
{
	struct opening *openings = xcalloc(profile_request_count(profile) + 1, sizeof(*openings));

	*ret_count = 0;
	for (uint32_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);
		uint64_t from = request->opened_ns, to = request->closed_ns;

		selection_clip(selection, profile, &from, &to);
		if (from < to && selection_has_thread(selection, profile, profile_thread_at(profile, request->thread.index)))
			openings[(*ret_count)++] = (struct opening){ from, to, i };
	}
	qsort(openings, *ret_count, sizeof(*openings), compare_openings);
	return openings;
}

struct timeline_rows *timeline_pack_requests(const struct profile *profile, const struct selection *selection)
{
	struct timeline_rows *rows = xcalloc(1, sizeof(*rows));
	uint64_t free_from[TIMELINE_ROWS_MOST] = { 0 };
	size_t count;
	struct opening *openings = openings_of(profile, selection, &count);

	rows->requests = xcalloc(count < TIMELINE_REQUESTS_MOST ? count + 1 : TIMELINE_REQUESTS_MOST, sizeof(*rows->requests));
	for (size_t i = 0; i < count; i++) {
		uint32_t row = 0;

		while (row < TIMELINE_ROWS_MOST && free_from[row] > openings[i].opened_ns)
			row++;
		if (row == TIMELINE_ROWS_MOST || rows->count == TIMELINE_REQUESTS_MOST) {
			rows->left_out++;
			continue;
		}
		free_from[row] = openings[i].closed_ns;
		rows->requests[rows->count++] = (struct timeline_row){ openings[i].request, row };
		rows->row_count = row + 1 > rows->row_count ? row + 1 : rows->row_count;
	}
	free(openings);
	return rows;
}

void timeline_rows_free(struct timeline_rows *rows)
{
	if (rows)
		free(rows->requests);
	free(rows);
}
