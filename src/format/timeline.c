/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, as both writers of traces see them. */
#include "format/timeline.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/choice.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Numbers for those that have none, or share it; the kernel gives none that large. */
enum { MADE_UP = 1 << 30 };

int timeline_check(const struct profile *profile, struct error *err)
{
	if (profile_interval_count(profile))
		return 0;
	fail(err, FAILURE_USAGE, -ENODATA, "this profile has no timeline, and this format holds one");
	error_because(err, "it has totals and stacks, but no intervals");
	return error_try(err, "record with --timeline, or a format for stacks: crosscut list formats");
}

uint32_t timeline_pid(const struct profile *profile, struct process_id id)
{
	uint32_t pid = profile_process_at(profile, id.index)->pid;

	return pid || !id.index ? pid : MADE_UP + id.index;
}

uint32_t timeline_tid(const struct profile *profile, struct thread_id id)
{
	const struct thread *thread = profile_thread_at(profile, id.index);

	return thread->tid || !id.index ? thread->tid : MADE_UP + id.index;
}

static bool is_state(const struct profile *profile, struct dimension_id id)
{
	enum dimension_kind kind = profile_dimension_at(profile, id.index)->kind;

	return kind == DIMENSION_RUNNING || kind == DIMENSION_READY || kind == DIMENSION_WAITING || kind == DIMENSION_IDLE;
}

static struct dimension_id dimension_of(const struct profile *profile, const struct interval *interval)
{
	struct dimension_id class = profile_evidence_at(profile, interval->evidence.index)->class;

	return class.index ? class : interval->dimension;
}

enum timeline_kind timeline_kind(const struct profile *profile, const struct interval *interval)
{
	struct dimension_id id = dimension_of(profile, interval);
	const char *name = profile_text(profile, profile_dimension_at(profile, id.index)->name);

	if (is_state(profile, id))
		return TIMELINE_STATE;
	return strcmp(name, "time") ? TIMELINE_ASYNCHRONOUS : TIMELINE_SLICE;
}

const char *timeline_name(const struct profile *profile, const struct interval *interval, char *text, size_t size)
{
	struct dimension_id id = dimension_of(profile, interval);
	struct frame_id frame = profile_stack_at(profile, interval->stack.index).frame;

	if (!is_state(profile, id) && frame.index)
		return choice_frame_name(profile, frame, text, size);
	CLEANUP_TEXT char *name = choice_name(profile, id);
	(void)snprintf(text, size, "%s", name);
	return text;
}

struct timeline_count *timeline_counts(const struct profile *profile, uint32_t slice, size_t *ret_count)
{
	struct timeline_count *counts = NULL;

	*ret_count = profile_dimension_count(profile);
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id id = profile_cell_dimension(profile, cell);

		if (cell->slice.index != slice || is_state(profile, id) ||
		    measure->role != ROLE_TOTAL)
			continue;
		if (!counts)
			counts = xcalloc(*ret_count, sizeof(*counts));
		counts[id.index].value += choice_weight(cell);
		counts[id.index].count += cell->count;
		if (counts[id.index].weighting < (int)measure->weighting)
			counts[id.index].weighting = (int)measure->weighting;
	}
	return counts;
}

uint32_t *timeline_by_thread(const struct profile *profile, size_t **ret_starts)
{
	size_t threads = profile_thread_count(profile), count = profile_interval_count(profile);
	size_t *starts = xcalloc(threads + 2, sizeof(*starts));
	uint32_t *order = xcalloc(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		starts[profile_interval_at(profile, i)->thread.index + 2]++;
	for (size_t i = 2; i < threads + 2; i++)
		starts[i] += starts[i - 1];
	for (size_t i = 0; i < count; i++)
		order[starts[profile_interval_at(profile, i)->thread.index + 1]++] = (uint32_t)i;
	*ret_starts = starts;
	return order;
}
