/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of the exact measures over the capture, kept while it runs: what the file's `total`
 * holds, so that plain SQL answers the ledger. Grows with threads and kinds of waits, not with
 * time.
 */
#include "format/native_writer.h"

#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"

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

void native_write_totals(struct native *native)
{
	for (size_t i = 0; i < native->total_count; i++) {
		const struct native_total *row = &native->totals[i];

		row_begin(native, TABLE_TOTAL);
		row_number(native, row->thread);
		row_number(native, row->measure);
		row_number(native, row->evidence);
		row_number(native, row->value);
		row_number(native, row->count);
		row_number(native, row->maximum);
		row_end(native);
	}
}
