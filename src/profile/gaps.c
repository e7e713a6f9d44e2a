/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers anew, without those of rows that are over. */
#include "base/map.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/row_index.h"
#include "profile/storage.h"

#include <stdlib.h>

static uint32_t *processes_move(struct profile *profile, const struct pages *before)
{
	uint32_t *numbers = xcalloc(pages_count(before), sizeof(*numbers));

	row_index_clear(profile->process_index);
	for (size_t i = pages_next(before, 1); i < pages_count(before); i = pages_next(before, i + 1)) {
		if (pages_is_over(before, i))
			continue;
		numbers[i] = pages_add(profile->process_pages, pages_at(before, i));
		row_index_add(profile->process_index, profile->process_pages, numbers[i]);
	}
	return numbers;
}

static uint32_t *threads_move(struct profile *profile, const struct pages *before, const uint32_t *processes)
{
	uint32_t *numbers = xcalloc(pages_count(before), sizeof(*numbers));

	for (size_t i = pages_next(before, 1); i < pages_count(before); i = pages_next(before, i + 1)) {
		struct thread row = *(const struct thread *)pages_at(before, i);

		if (pages_is_over(before, i))
			continue;
		row.process.index = processes[row.process.index];
		numbers[i] = pages_add(profile->thread_pages, &row);
	}
	return numbers;
}

static void mappings_move(struct profile *profile, const struct pages *before, const uint32_t *processes)
{
	for (size_t i = 0; i < profile->space_count; i++)
		free(profile->spaces[i].stretches);
	profile->space_count = 0;
	map_clear(profile->space_ids);
	for (size_t i = pages_next(before, 0); i < pages_count(before); i = pages_next(before, i + 1)) {
		struct mapping row = *(const struct mapping *)pages_at(before, i);

		row.process.index = processes[row.process.index];
		if (!pages_is_over(before, i) && row.process.index)
			address_space_map(profile, row.process, pages_add(profile->mapping_pages, &row));
	}
}

void profile_close_gaps(struct profile *profile, struct profile_numbers *ret)
{
	struct pages *processes = profile->process_pages, *threads = profile->thread_pages, *mappings = profile->mapping_pages;

	profile_make_pages(profile);
	ret->processes = processes_move(profile, processes);
	ret->threads = threads_move(profile, threads, ret->processes);
	mappings_move(profile, mappings, ret->processes);
	pages_free(processes);
	pages_free(threads);
	pages_free(mappings);
}
