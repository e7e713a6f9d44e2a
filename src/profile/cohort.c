/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts are the ledger of a request, so that as cells they are a ledger of many: per thread they sum to the requests' latency
 * where the capture's own sum to the thread's life. The meta "cohort.requests" says that a profile is narrowed.
 */
#include "profile/cohort.h"

#include "base/error.h"
#include "base/memory.h"
#include "profile/latency.h"
#include "profile/lock.h"
#include "profile/selection.h"
#include "profile/storage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 32 };

/* Marks the requests of a cohort of the latency; false where there is none of that name. */
static bool mark_cohort(const struct profile *profile, const char *name, bool *chosen)
{
	CLEANUP(latencies) struct latencies *latencies = NULL;
	size_t first, end;

	for (size_t i = 0; i < LATENCY_COHORTS; i++) {
		if (strcmp(latency_cohorts[i].name, name) != 0)
			continue;
		latencies = latencies_new(profile, NULL, LATENCY_SERVED);
		latencies_cohort(latencies, &latency_cohorts[i], &first, &end);
		for (size_t row = first; row < end; row++)
			chosen[latencies->rows[row].request] = true;
		return true;
	}
	return false;
}

static bool is_named(const struct profile *profile, const struct request *request, const char *value)
{
	char status[16];

	(void)snprintf(status, sizeof(status), "%u", request->status);
	return !strcmp(profile_text(profile, request->class), value) || !strcmp(profile_text(profile, request->outcome), value) ||
	       !strcmp(status, value) || !strcmp(profile_text(profile, request->trace_id), value) || (request->overlap && !strcmp(value, "overlap"));
}

static size_t choose(const struct profile *profile, const char *const *values, size_t count, bool *chosen)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (mark_cohort(profile, values[i], chosen))
			continue;
		for (size_t j = 0; j < profile->request_count; j++)
			chosen[j] |= is_named(profile, &profile->request_rows[j], values[i]);
	}
	for (size_t i = 0; i < profile->request_count; i++)
		sum += chosen[i];
	return sum;
}

static struct slice_id slice_of(const struct profile *profile, uint64_t at_ns)
{
	for (size_t i = 1; i < profile->slice_count; i++)
		if (at_ns < profile->slice_rows[i].end_ns)
			return (struct slice_id){ (uint32_t)i };
	return (struct slice_id){ (uint32_t)profile->slice_count - 1 };
}

static void add_cell(struct profile *profile, const struct request *request, const struct part *part, enum measure_role role)
{
	struct string_id source = profile_string(profile, "requests");
	uint32_t one_in = request->one_in ? request->one_in : 1;
	struct measure_id measure = profile_measure(profile, (struct measure){
		.dimension = part->evidence.index ? (struct dimension_id){ 0 } : part->dimension, .role = role,
		.weighting = one_in > 1 ? WEIGHTING_SAMPLED : WEIGHTING_EXACT, .source = source });

	if (!measure.index || profile->cell_count >= PROFILE_CELL_LIMIT)
		return;
	(void)append(profile, cell, ((struct cell){
		.slice = slice_of(profile, request->closed_ns), .thread = request->thread, .measure = measure,
		.evidence = part->evidence, .stack = role == ROLE_SPLIT ? part->stack : (struct stack_id){ 0 },
		.other = role == ROLE_SPLIT ? part->other : (struct thread_id){ 0 },
		.count = one_in, .value = part->ns * one_in, .maximum = part->ns }));
}

/* --- Locks, where the intervals were kept ------------------------------------------------------------------------- */

/* Requests by thread and by when they opened; latest: when the last of those so far closed. */
struct served { uint32_t thread; size_t request; uint64_t opened_ns, latest_ns; };

static int compare_served(const void *left, const void *right)
{
	const struct served *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->opened_ns != b->opened_ns ? (a->opened_ns < b->opened_ns ? -1 : 1) : 0;
}

static struct served *served_new(const struct profile *profile, const bool *chosen, size_t *ret_count)
{
	struct served *served = xcalloc(profile->request_count + 1, sizeof(*served));
	size_t count = 0;

	for (size_t i = 0; i < profile->request_count; i++)
		if (chosen[i])
			served[count++] = (struct served){ profile->request_rows[i].thread.index, i, profile->request_rows[i].opened_ns,
							   profile->request_rows[i].closed_ns };
	qsort(served, count, sizeof(*served), compare_served);
	for (size_t i = 1; i < count; i++)
		if (served[i].thread == served[i - 1].thread && served[i - 1].latest_ns > served[i].latest_ns)
			served[i].latest_ns = served[i - 1].latest_ns;
	*ret_count = count;
	return served;
}

/* Behind the last that opened on this thread before an instant. */
static size_t served_until(const struct served *served, size_t count, uint32_t thread, uint64_t at_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (served[middle].thread < thread || (served[middle].thread == thread && served[middle].opened_ns < at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_lock_cell(struct profile *profile, struct cell cell, const char *source, enum weighting weighting)
{
	cell.measure = profile_measure(profile, (struct measure){ .role = ROLE_DETAIL, .weighting = weighting,
								  .source = profile_string(profile, source) });
	if (cell.measure.index && profile->cell_count < PROFILE_CELL_LIMIT)
		(void)append(profile, cell, cell);
}

static void add_lock(struct profile *profile, const struct request *request, const struct link *link)
{
	const struct interval *wait = &profile->interval_rows[link->interval];
	uint64_t one_in = request->one_in ? request->one_in : 1, ns = link->end_ns - link->start_ns;
	struct cell cell = { .slice = slice_of(profile, request->closed_ns), .thread = wait->thread, .evidence = wait->evidence,
			     .object = link->object, .other = link->by, .count = one_in, .value = ns * one_in, .maximum = ns };

	add_lock_cell(profile, cell, LOCK_SEGMENTS, WEIGHTING_EXACT);
	if (link->end_ns == wait->end_ns)
		add_lock_cell(profile, cell, LOCK_HAND_OFFS, WEIGHTING_EXACT);
	cell.stack = wait->stack;
	cell.other_stack = link->stack;
	if (cell.stack.index)
		add_lock_cell(profile, cell, LOCK_SEGMENTS, WEIGHTING_SAMPLED);
}

/* While it waited to be handed the request a thread may have waited for locks of other work: such waits are no part of it. */
static bool has_wait(const struct profile *profile, size_t first, size_t request, const struct interval *wait)
{
	for (size_t i = first; i < profile->part_count && profile->part_rows[i].request == request; i++)
		if (profile->part_rows[i].evidence.index == wait->evidence.index && profile->part_rows[i].other.index == wait->waker.index)
			return true;
	return false;
}

/* Before the parts are moved: a request's lie together. */
static void add_locks(struct profile *profile, const bool *chosen)
{
	size_t *firsts = xcalloc(profile->request_count + 1, sizeof(*firsts)), count;
	struct served *served = served_new(profile, chosen, &count);

	for (size_t i = profile->part_count; i-- > 0;)
		firsts[profile->part_rows[i].request] = i;
	for (size_t i = 0; i < profile->link_count; i++) {
		const struct link *link = &profile->link_rows[i];
		const struct interval *wait = &profile->interval_rows[link->interval];
		size_t at = served_until(served, count, wait->thread.index, link->end_ns);

		if (strcmp(profile_text(profile, link->kind), LOCK_LINK) != 0)
			continue;
		while (at-- > 0 && served[at].thread == wait->thread.index && served[at].latest_ns > link->start_ns) {
			const struct request *request = &profile->request_rows[served[at].request];

			if (request->opened_ns <= link->start_ns && request->closed_ns >= link->end_ns &&
			    has_wait(profile, firsts[served[at].request], served[at].request, wait))
				add_lock(profile, request, link);
		}
	}
	free(served);
	free(firsts);
}

/* --- All of it ----------------------------------------------------------------------------------------------------- */

static enum outcome outcome_of(const struct profile *profile, const struct request *request)
{
	const char *name = profile_text(profile, request->outcome);

	for (enum outcome outcome = OUTCOME_CORRECT; outcome < OUTCOME_COUNT; outcome++)
		if (!strcmp(name, outcome_name(outcome)))
			return outcome;
	return OUTCOME_UNJUDGED;
}

static void add_completion(struct profile *profile, const struct request *request)
{
	const char *work = profile_meta(profile, "work.source");
	char status[16];

	(void)snprintf(status, sizeof(status), "%u", request->status);
	(void)append(profile, completion, ((struct completion){
		.slice = slice_of(profile, request->closed_ns),
		.source = profile_string_size(profile, work ? work : "", strcspn(work ? work : "", ":")),
		.process = profile_thread_at(profile, request->thread.index)->process, .class = profile_string(profile, status),
		.outcome = outcome_of(profile, request), .count = request->one_in ? request->one_in : 1 }));
}

static void replace_facts(struct profile *profile, const bool *chosen)
{
	uint32_t *numbers = xcalloc(profile->request_count + 1, sizeof(*numbers));
	size_t requests = 0, parts = 0;

	profile->cell_count = profile->completion_count = 0;
	add_locks(profile, chosen);
	for (size_t i = 0; i < profile->part_count; i++) {
		const struct part part = profile->part_rows[i];
		const struct request *request = &profile->request_rows[part.request];

		if (!chosen[part.request])
			continue;
		add_cell(profile, request, &part, ROLE_TOTAL);
		if (part.stack.index)
			add_cell(profile, request, &part, ROLE_SPLIT);
		profile->part_rows[parts++] = part;
	}
	for (size_t i = 0; i < profile->request_count; i++) {
		if (!chosen[i])
			continue;
		add_completion(profile, &profile->request_rows[i]);
		numbers[i] = (uint32_t)requests;
		profile->request_rows[requests++] = profile->request_rows[i];
	}
	for (size_t i = 0; i < parts; i++)
		profile->part_rows[i].request = numbers[profile->part_rows[i].request];
	profile->request_count = requests;
	profile->part_count = parts;
	free(numbers);
}

int cohort_narrow(struct profile *profile, const char *const *values, size_t count, struct error *err)
{
	bool *chosen = xcalloc(profile->request_count + 1, sizeof(*chosen));
	size_t found = choose(profile, values, count, chosen);

	if (found) {
		bool frozen = profile->frozen;

		profile->frozen = false;
		replace_facts(profile, chosen);
		profile_set_meta(profile, "cohort.requests", values[0]);
		profile->frozen = frozen;
	}
	free(chosen);
	if (!found) {
		(void)fail(err, FAILURE_USAGE, -ENOENT, "no request is '%.96s'", values[0]);
		(void)error_because(err, profile->request_count ? "it names a class, an outcome, a status, overlap, p50, p90, p99 or p99.9"
								 : "this capture has no requests: record --work http follows them");
		return error_try(err, "crosscut report --question requests FILE");
	}
	return 0;
}

int cohort_narrow_to(struct profile *profile, const struct selection *selection, struct error *err)
{
	const char *values[VALUES_MOST];
	size_t count = selection_values(selection, "request", values, VALUES_MOST);

	return count ? cohort_narrow(profile, values, count, err) : 0;
}

bool cohort_is(const struct profile *profile)
{
	return profile_meta(profile, "cohort.requests") != NULL;
}
