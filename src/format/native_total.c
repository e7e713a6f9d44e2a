/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of the exact measures over the capture: what the file's `total` holds, so that plain SQL answers the ledger. Those of
 * threads that live are kept here; those of a thread that died go to the file while it is recorded, since a machine on which
 * processes come and go would fill memory with them. A fact that comes later still makes a second row, which the views add.
 */
#include "format/native_writer.h"

#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"

enum { LEAVING_LEAST = 256 };

static struct native_total *total_of(struct native *native, const struct cell *cell)
{
	uint32_t key[3] = { cell->thread.index, cell->measure.index, cell->evidence.index };
	bool added;
	uint32_t *index = map_put(native->total_ids, key, &added);

	if (added) {
		*index = (uint32_t)native->total_count;
		grow(native->totals, native->total_count, native->total_room);
		native->totals[native->total_count++] =
			(struct native_total){ key[0], key[1], key[2], 0, 0, 0 };
	}
	return &native->totals[*index];
}

void native_totals_add(struct native *native, const struct profile *profile)
{
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct native_total *total;

		if (profile_measure_at(profile, cell->measure.index)->role != ROLE_TOTAL)
			continue;
		total = total_of(native, cell);
		total->value += cell->value << (cell->p_log2 & 63);
		total->count += cell->count;
		if (total->maximum < cell->maximum)
			total->maximum = cell->maximum;
	}
}

static void total_write(struct native *native, const struct native_total *row)
{
	row_begin(native, TABLE_TOTAL);
	row_number(native, row->thread);
	row_number(native, row->measure);
	row_number(native, row->evidence);
	row_number(native, row->value);
	row_number(native, row->count);
	row_number(native, row->maximum);
	row_end(native);
}

void native_write_totals(struct native *native)
{
	for (size_t i = 0; i < native->total_count; i++)
		total_write(native, &native->totals[i]);
}

static bool is_over(const struct profile *profile, const struct native_total *row, uint64_t before_ns)
{
	const struct thread *thread = profile_thread_at(profile, row->thread);

	return row->thread && thread->died && thread->end_ns < before_ns;
}

/* A thread's last facts may come with the slice after the one that it died in; that one is the last that was stored. */
uint64_t native_write_ended(struct native *native, const struct profile *profile)
{
	uint64_t before_ns = native->written.slice ? profile_slice_at(profile, native->written.slice)->start_ns : 0;
	size_t leaving = 0;

	for (size_t i = 0; i < native->total_count; i++)
		leaving += is_over(profile, &native->totals[i], before_ns);
	if (leaving < LEAVING_LEAST || leaving < native->total_count / 4)
		return 0;                               /* the others are moved: not for a few */
	for (size_t i = 0; i < native->total_count; i++)
		if (is_over(profile, &native->totals[i], before_ns))
			total_write(native, &native->totals[i]);
	return before_ns;
}

void native_totals_forget(struct native *native, const struct profile *profile, uint64_t before_ns)
{
	size_t kept = 0;

	map_clear(native->total_ids);
	for (size_t i = 0; i < native->total_count; i++) {
		struct native_total row = native->totals[i];
		uint32_t key[3] = { row.thread, row.measure, row.evidence };

		if (is_over(profile, &row, before_ns))
			continue;
		*map_put(native->total_ids, key, NULL) = (uint32_t)kept;
		native->totals[kept++] = row;
	}
	native->total_count = kept;
}
