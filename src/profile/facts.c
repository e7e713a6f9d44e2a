/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling the facts. Cells, completions, losses and costs with equal keys are added up, so that a
 * slice's memory follows the number of distinct things that happened and not the number of events.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/row_index.h"
#include "profile/storage.h"

#include <assert.h>

static bool cell_ids_exist(const struct profile *profile, const struct cell *cell)
{
	return cell->slice.index < profile->slice_count &&
	       cell->thread.index < profile_thread_count(profile) &&
	       cell->measure.index < profile->measure_count &&
	       cell->evidence.index < profile->evidence_count &&
	       cell->stack.index < profile->stacks.count &&
	       cell->object.index < profile->object_count &&
	       cell->other.index < profile_thread_count(profile) &&
	       cell->other_stack.index < profile->stacks.count;
}

/* The row of a key, or NULL where it is new and was appended, or where there was no room for it. */
#define row_to_add_to(profile, noun, key, row, limit) \
	({ \
		bool room = (profile)->noun##_count < (limit), added = false; \
		uint32_t *known = room ? map_put((profile)->noun##_ids, (key), &added) \
				       : map_find((profile)->noun##_ids, (key)); \
		if (added) \
			*known = append((profile), noun, (row)); \
		else if (!known) \
			profile_count_limit((profile)); \
		known && !added ? &(profile)->noun##_rows[*known] : NULL; \
	})

/* Slices come one after the other, so the index need only know the newest one's cells, which a cache
 * can hold. Where they do not (an importer may add to an older one), it knows all cells from then
 * on. */
static void cells_turn_to(struct profile *profile, uint32_t slice)
{
	bool newer = slice > profile->cell_slice;

	profile->cell_slice = newer ? slice : profile->cell_slice;
	if (profile->cells_mixed)
		return;
	row_index_clear(profile->cell_index);
	profile->cells_mixed = !newer;
	for (size_t i = 0; !newer && i < profile->cell_count; i++)
		row_index_add(profile->cell_index, profile->cell_rows, (uint32_t)i);
}

/* NULL where it is new and was appended, or where there was no room for it. */
static struct cell *cell_to_add_to(struct profile *profile, const struct cell *cell)
{
	struct cell_key key = cell_key_of(cell);
	uint32_t row = row_index_find(profile->cell_index, profile->cell_rows, &key);

	if (row != ROW_NONE)
		return &profile->cell_rows[row];
	if (!profile_has_room(profile, profile->cell_count, PROFILE_CELL_LIMIT))
		return NULL;
	row = append(profile, cell, *cell);
	row_index_add(profile->cell_index, profile->cell_rows, row);
	return NULL;
}

/* A foreign file may claim anything; a sum that wrapped would claim next to nothing. */
static uint64_t sum_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void profile_add_cell(struct profile *profile, struct cell cell)
{
	struct cell *sum;

	assert(!profile->frozen && cell_ids_exist(profile, &cell));
	if (cell.slice.index != profile->cell_slice)
		cells_turn_to(profile, cell.slice.index);
	sum = cell_to_add_to(profile, &cell);
	if (!sum)
		return;
	sum->count = sum_saturated(sum->count, cell.count);
	sum->value = sum_saturated(sum->value, cell.value);
	sum->variance += cell.variance;
	if (sum->maximum < cell.maximum)
		sum->maximum = cell.maximum;
}

void profile_add_completion(struct profile *profile, struct completion completion)
{
	uint32_t key[6] = { completion.slice.index,   completion.source.index,
			    completion.process.index, completion.port,
			    completion.class.index,   completion.outcome };
	struct completion *sum;

	assert(!profile->frozen && completion.slice.index < profile->slice_count &&
	       completion.process.index < profile_process_count(profile));
	sum = row_to_add_to(profile, completion, key, completion, PROFILE_SMALL_FACT_LIMIT);
	if (sum)
		sum->count += completion.count;
}

void profile_add_loss(struct profile *profile, struct loss loss)
{
	uint32_t key[2] = { loss.slice.index, loss.source.index }, *known;

	assert(!profile->frozen && loss.slice.index < profile->slice_count);
	known = map_find(profile->loss_ids, key);
	if (known) {
		profile->loss_rows[*known].seen += loss.seen;
		profile->loss_rows[*known].lost += loss.lost;
	} else if (profile->loss_count < PROFILE_SMALL_FACT_LIMIT) {
		*map_put(profile->loss_ids, key, NULL) = append(profile, loss, loss);
	}
}

void profile_count_limit(struct profile *profile)
{
	struct slice_id newest = { (uint32_t)profile->slice_count - 1 };

	profile_add_loss(
		profile,
		(struct loss){ newest, { intern_put(profile->strings, "profile-limit") }, 0, 1 });
}

void profile_add_own_cost(struct profile *profile, struct own_cost cost)
{
	uint32_t key[2] = { cost.slice.index, cost.source.index };
	struct own_cost *sum;

	assert(!profile->frozen && cost.slice.index < profile->slice_count);
	sum = row_to_add_to(profile, own_cost, key, cost, PROFILE_SMALL_FACT_LIMIT);
	if (!sum)
		return;
	sum->ns += cost.ns;
	sum->events += cost.events;
}

void profile_add_interval(struct profile *profile, struct interval interval)
{
	assert(interval.start_ns <= interval.end_ns);
	assert(interval.thread.index < profile_thread_count(profile) &&
	       interval.waker.index < profile_thread_count(profile) &&
	       interval.stack.index < profile->stacks.count &&
	       interval.waker_stack.index < profile->stacks.count &&
	       interval.evidence.index < profile->evidence_count &&
	       interval.dimension.index < profile->dimension_count);
	if (profile_has_room(profile, profile->interval_count, PROFILE_FACT_LIMIT))
		(void)append(profile, interval, interval);
}

void profile_add_link(struct profile *profile, struct link link)
{
	assert(link.interval < profile->interval_count &&
	       link.object.index < profile->object_count && link.by.index < profile_thread_count(profile) &&
	       link.stack.index < profile->stacks.count);
	if (profile_has_room(profile, profile->link_count, PROFILE_FACT_LIMIT))
		(void)append(profile, link, link);
}

void profile_add_request(struct profile *profile, struct request request)
{
	assert(request.thread.index < profile_thread_count(profile));
	if (profile_has_room(profile, profile->request_count, PROFILE_FACT_LIMIT))
		(void)append(profile, request, request);
}

void profile_add_part(struct profile *profile, struct part part)
{
	assert(part.request < profile->request_count &&
	       part.evidence.index < profile->evidence_count &&
	       part.dimension.index < profile->dimension_count &&
	       part.stack.index < profile->stacks.count && part.other.index < profile_thread_count(profile));
	if (profile_has_room(profile, profile->part_count, PROFILE_FACT_LIMIT))
		(void)append(profile, part, part);
}

void profile_add_guard_step(struct profile *profile, struct guard_step step)
{
	if (profile_has_room(profile, profile->guard_step_count, PROFILE_SMALL_FACT_LIMIT))
		(void)append(profile, guard_step, step);
}

/* Guard steps stay: they belong to the capture and not to a slice. */
void profile_clear_facts(struct profile *profile)
{
	assert(!profile->frozen);
	profile->cell_count = profile->interval_count = profile->link_count = 0;
	profile->request_count = profile->part_count = profile->completion_count = 0;
	profile->loss_count = profile->own_cost_count = 0;
	profile->cells_mixed = false;
	row_index_clear(profile->cell_index);
	map_clear(profile->completion_ids);
	map_clear(profile->loss_ids);
	map_clear(profile->own_cost_ids);
}
