/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slice is one block: the rows of its tables, one after the other, as the profile had them. Dictionaries stay the profile's; a
 * row's ids hold for as long as the capture runs, since who ended is let go only when no kept slice tells of him.
 */
#include "command/flight.h"

#include "base/error.h"
#include "base/memory.h"
#include "analysis/account.h"
#include "format/native.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* Of each kind of fact: its name in the profile's functions. */
#define FACTS(X) X(cell) X(interval) X(link) X(request) X(part) X(completion) X(loss) X(own_cost)

/* What is counted from a capture's beginning on: of a part of it, what came in that. */
static const char *const counts_named[] = { "requests.opened", "requests.abandoned", "requests.responses_unmatched", "requests.decomposed" };
enum { COUNTS = sizeof(counts_named) / sizeof(*counts_named) };

struct kept {
	struct slice_id slice;
	uint64_t start_ns, end_ns, bytes;
	uint64_t counts[COUNTS];             /* until its end */
#define X(noun) struct noun *noun##s; size_t noun##_count;
	FACTS(X)
#undef X
};

struct flight {
	uint64_t keep_ns, bytes_most;
	struct kept *kept;                   /* oldest first */
	size_t count;
	uint64_t bytes, forgotten_for_room;
	uint64_t counts[COUNTS];             /* until the end of what is forgotten */
};

struct flight *flight_new(uint64_t keep_ns, uint64_t bytes_most)
{
	struct flight *flight = xcalloc(1, sizeof(*flight));

	flight->keep_ns = keep_ns;
	flight->bytes_most = bytes_most;
	flight->kept = xcalloc(FLIGHT_SLICES_MOST, sizeof(*flight->kept));
	return flight;
}

static void kept_done(struct kept *kept)
{
#define X(noun) free(kept->noun##s);
	FACTS(X)
#undef X
}

void flight_free(struct flight *flight)
{
	if (!flight)
		return;
	for (size_t i = 0; i < flight->count; i++)
		kept_done(&flight->kept[i]);
	free(flight->kept);
	free(flight);
}

static void forget_oldest(struct flight *flight)
{
	flight->bytes -= flight->kept[0].bytes;
	memcpy(flight->counts, flight->kept[0].counts, sizeof(flight->counts));
	kept_done(&flight->kept[0]);
	memmove(&flight->kept[0], &flight->kept[1], --flight->count * sizeof(flight->kept[0]));
}

/* At least the newest is kept, however large. */
static void make_room(struct flight *flight)
{
	uint64_t end_ns = flight->kept[flight->count - 1].end_ns;

	while (flight->count > 1 && flight->kept[1].start_ns + flight->keep_ns <= end_ns)
		forget_oldest(flight);
	while (flight->count > 1 && flight->bytes > flight->bytes_most) {
		forget_oldest(flight);
		flight->forgotten_for_room++;
	}
}

void flight_keep(struct flight *flight, const struct profile *profile, struct slice_id slice)
{
	const struct slice *row = profile_slice_at(profile, slice.index);
	struct kept *kept;

	if (flight->count == FLIGHT_SLICES_MOST)
		forget_oldest(flight);
	kept = &flight->kept[flight->count++];
	*kept = (struct kept){ .slice = slice, .start_ns = row->start_ns, .end_ns = row->end_ns };
	for (unsigned i = 0; i < COUNTS; i++)
		kept->counts[i] = profile_meta_number(profile, counts_named[i], 0);
#define X(noun)                                                                              \
	kept->noun##_count = profile_##noun##_count(profile);                                \
	kept->noun##s = xcalloc(kept->noun##_count + 1, sizeof(struct noun));                \
	for (size_t i = 0; i < kept->noun##_count; i++)                                      \
		kept->noun##s[i] = *profile_##noun##_at(profile, i);                         \
	kept->bytes += kept->noun##_count * sizeof(struct noun);
	FACTS(X)
#undef X
	flight->bytes += kept->bytes;
	make_room(flight);
}

void flight_state(const struct flight *flight, struct flight_state *ret)
{
	*ret = (struct flight_state){ .slices = flight->count, .bytes = flight->bytes, .forgotten_for_room = flight->forgotten_for_room };
	if (flight->count)
		ret->kept_ns = flight->kept[flight->count - 1].end_ns - flight->kept[0].start_ns;
}

/* --- Who ended before -------------------------------------------------------------------------------------------------- */

static void renumber(struct kept *kept, const struct profile_numbers *numbers)
{
	for (size_t i = 0; i < kept->cell_count; i++) {
		kept->cells[i].thread.index = numbers->threads[kept->cells[i].thread.index];
		kept->cells[i].other.index = numbers->threads[kept->cells[i].other.index];
	}
	for (size_t i = 0; i < kept->interval_count; i++) {
		kept->intervals[i].thread.index = numbers->threads[kept->intervals[i].thread.index];
		kept->intervals[i].waker.index = numbers->threads[kept->intervals[i].waker.index];
	}
	for (size_t i = 0; i < kept->link_count; i++)
		kept->links[i].by.index = numbers->threads[kept->links[i].by.index];
	for (size_t i = 0; i < kept->request_count; i++)
		kept->requests[i].thread.index = numbers->threads[kept->requests[i].thread.index];
	for (size_t i = 0; i < kept->part_count; i++)
		kept->parts[i].other.index = numbers->threads[kept->parts[i].other.index];
	for (size_t i = 0; i < kept->completion_count; i++)
		kept->completions[i].process.index = numbers->processes[kept->completions[i].process.index];
}

/* The profile let them go. */
static void leave_out_ended(struct flight *flight, struct profile *profile)
{
	struct profile_numbers numbers;

	profile_clear_facts(profile);
	profile_close_gaps(profile, &numbers);
	for (size_t i = 0; i < flight->count; i++)
		renumber(&flight->kept[i], &numbers);
	free(numbers.threads);
	free(numbers.processes);
}

/* --- Writing --------------------------------------------------------------------------------------------------------- */

static bool is_time(const struct profile *profile, const struct cell *cell)
{
	struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));

	return profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
	       dimension_is_state(profile_dimension_at(profile, root.index)->kind);
}

/* A thread that is in none of what is kept ended before it, and has no time of its own there. */
static void shorten_lives(const struct flight *flight, struct profile *profile)
{
	uint64_t *sums = xcalloc(profile_thread_count(profile) + 1, sizeof(*sums));
	uint64_t start_ns = flight->kept[0].start_ns;

	for (size_t i = 0; i < flight->count; i++)
		for (size_t k = 0; k < flight->kept[i].cell_count; k++)
			if (is_time(profile, &flight->kept[i].cells[k]))
				sums[flight->kept[i].cells[k].thread.index] += flight->kept[i].cells[k].value;
	for (uint32_t i = 1; i < profile_thread_count(profile); i++) {
		struct thread *thread = profile_thread_edit(profile, (struct thread_id){ i });

		if (thread->outside)
			continue;
		if (thread->born && thread->start_ns < start_ns)
			thread->born = false;
		thread->start_ns = thread->end_ns > sums[i] ? thread->end_ns - sums[i] : thread->end_ns;
		thread->kernel_runtime_ns = 0;          /* it is of the whole capture */
	}
	free(sums);
}

/* Slices that are not kept have no time either: what is kept begins where they end. */
static void shorten_window(const struct flight *flight, struct profile *profile)
{
	uint64_t start_ns = flight->kept[0].start_ns;

	for (uint32_t i = 1; i < flight->kept[0].slice.index; i++)
		*profile_slice_edit(profile, (struct slice_id){ i }) = (struct slice){ start_ns, start_ns };
	profile_set_meta_number(profile, "capture.start_ns", start_ns);
	for (unsigned i = 0; i < COUNTS; i++)
		if (profile_meta(profile, counts_named[i]))
			profile_set_meta_number(profile, counts_named[i], profile_meta_number(profile, counts_named[i], 0) - flight->counts[i]);
	shorten_lives(flight, profile);
}

static void bring_back(const struct kept *kept, struct profile *profile)
{
	profile_clear_facts(profile);
#define X(noun)                                                                              \
	for (size_t i = 0; i < kept->noun##_count; i++)                                      \
		profile_add_##noun(profile, kept->noun##s[i]);
	FACTS(X)
#undef X
}

int flight_write(struct flight *flight, struct profile *profile, struct native *native, struct error *err)
{
	int r = 0;

	if (!flight->count)
		return 0;
	leave_out_ended(flight, profile);
	shorten_window(flight, profile);
	for (size_t i = 0; i < flight->count && !r; i++) {
		bring_back(&flight->kept[i], profile);
		r = native_slice(native, profile, flight->kept[i].slice, err);
	}
	return r;
}
