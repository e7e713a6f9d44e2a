/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What always holds in a profile, checked row by row. Readers of files ask after reading, tests and
 * fuzzers after everything. The ledger's closure is not asked here: it is measured, and a gate
 * judges it.
 */
#include "base/memory.h"
#include "profile/storage.h"

#include <stddef.h>
#include <stdlib.h>

#define BROKEN_UNLESS(condition, text) \
	do {                           \
		if (!(condition))      \
			return text;   \
	} while (0)

#define HAS(noun, id) ((id).index < profile_##noun##_count(profile))

static const char *dimensions_broken(const struct profile *profile)
{
	for (size_t i = 1; i < profile->dimension_count; i++) {
		const struct dimension *row = &profile->dimension_rows[i];

		BROKEN_UNLESS(row->name.index, "a dimension has no name");
		BROKEN_UNLESS(row->kind >= DIMENSION_RUNNING && row->kind <= DIMENSION_LEVEL,
			      "a dimension's kind is out of range");
		BROKEN_UNLESS(row->parent.index < i, "a dimension's parent is not above it");
		BROKEN_UNLESS(!profile->dimension_rows[row->parent.index].parent.index,
			      "a dimension's parent is itself a part");
	}
	for (size_t i = 1; i < profile->measure_count; i++) {
		const struct measure *row = &profile->measure_rows[i];

		BROKEN_UNLESS(HAS(dimension, row->dimension),
			      "a measure's dimension does not exist");
		BROKEN_UNLESS(row->role >= ROLE_TOTAL && row->role <= ROLE_DETAIL,
			      "a measure's role is out of range");
		BROKEN_UNLESS(row->weighting >= WEIGHTING_EXACT &&
				      row->weighting <= WEIGHTING_ESTIMATED,
			      "a measure's weighting is out of range");
	}
	return NULL;
}

static const char *population_broken(const struct profile *profile)
{
	for (size_t i = 1; i < profile->slice_count; i++)
		BROKEN_UNLESS(profile->slice_rows[i].start_ns <= profile->slice_rows[i].end_ns,
			      "a slice ends before it starts");
	for (size_t i = 1; i < profile_thread_count(profile); i++)
		BROKEN_UNLESS(HAS(process, profile_thread_at(profile, i)->process),
			      "a thread's process does not exist");
	for (size_t i = profile_mapping_next(profile, 0); i < profile_mapping_count(profile);
	     i = profile_mapping_next(profile, i + 1)) {
		const struct mapping *row = profile_mapping_at(profile, i);

		BROKEN_UNLESS(HAS(process, row->process) && HAS(file, row->file),
			      "a mapping's process or file does not exist");
		BROKEN_UNLESS(row->start < row->end, "a mapping ends before it starts");
	}
	return NULL;
}

static const char *stacks_broken(const struct profile *profile)
{
	for (size_t i = 1; i < profile->frame_count; i++) {
		BROKEN_UNLESS(HAS(file, profile->frame_rows[i].file),
			      "a frame's file does not exist");
		BROKEN_UNLESS(profile->frame_rows[i].method < METHOD_COUNT,
			      "a frame's method is out of range");
	}
	for (size_t i = 1; i < profile_stack_count(profile); i++) {
		const struct stack row = profile_stack_at(profile, i);

		BROKEN_UNLESS(row.parent.index < i, "a stack's parent is not below it");
		BROKEN_UNLESS(HAS(frame, row.frame), "a stack's frame does not exist");
		BROKEN_UNLESS(row.status >= STACK_UNVERIFIED && row.status < STACK_STATUS_COUNT,
			      "a stack's status is out of range");
	}
	for (size_t i = 1; i < profile->evidence_count; i++) {
		const struct evidence *row = &profile->evidence_rows[i];

		BROKEN_UNLESS(HAS(stack, row->seen.kernel_stack),
			      "an evidence's kernel stack does not exist");
		BROKEN_UNLESS(HAS(dimension, row->class), "an evidence's class does not exist");
	}
	for (size_t i = 0; i < profile->symbol_count; i++)
		BROKEN_UNLESS(HAS(frame, profile->symbol_rows[i].frame),
			      "a symbol's frame does not exist");
	return NULL;
}

static const char *cells_broken(const struct profile *profile)
{
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct cell *row = &profile->cell_rows[i];

		BROKEN_UNLESS(HAS(slice, row->slice), "a cell's slice does not exist");
		BROKEN_UNLESS(HAS(thread, row->thread) && HAS(thread, row->other),
			      "a cell's thread does not exist");
		BROKEN_UNLESS(HAS(measure, row->measure) && row->measure.index,
			      "a cell's measure does not exist");
		BROKEN_UNLESS(HAS(evidence, row->evidence), "a cell's evidence does not exist");
		BROKEN_UNLESS(HAS(stack, row->stack) && HAS(stack, row->other_stack),
			      "a cell's stack does not exist");
		BROKEN_UNLESS(HAS(object, row->object), "a cell's object does not exist");
		BROKEN_UNLESS(row->p_log2 < 64, "a cell's inclusion probability is out of range");
		BROKEN_UNLESS(row->length_log2 < 64, "a cell's length is out of range");
		BROKEN_UNLESS(row->evidence.index ||
				      profile->measure_rows[row->measure.index].dimension.index,
			      "a cell has neither an evidence nor a dimension");
	}
	return NULL;
}

static const char *details_broken(const struct profile *profile)
{
	for (size_t i = 0; i < profile->interval_count; i++) {
		const struct interval *row = &profile->interval_rows[i];

		BROKEN_UNLESS(HAS(thread, row->thread) && HAS(thread, row->waker),
			      "an interval's thread does not exist");
		BROKEN_UNLESS(HAS(stack, row->stack) && HAS(stack, row->waker_stack),
			      "an interval's stack does not exist");
		BROKEN_UNLESS(HAS(evidence, row->evidence) && HAS(dimension, row->dimension),
			      "an interval's evidence or dimension does not exist");
		BROKEN_UNLESS(row->start_ns <= row->end_ns, "an interval ends before it starts");
	}
	for (size_t i = 0; i < profile->link_count; i++) {
		const struct link *row = &profile->link_rows[i];

		BROKEN_UNLESS(row->interval < profile->interval_count,
			      "a link's interval does not exist");
		BROKEN_UNLESS(HAS(object, row->object) && HAS(thread, row->by) &&
				      HAS(stack, row->stack),
			      "a link's object, thread or stack does not exist");
	}
	for (size_t i = 0; i < profile->request_count; i++)
		BROKEN_UNLESS(HAS(thread, profile->request_rows[i].thread),
			      "a request's thread does not exist");
	for (size_t i = 0; i < profile->part_count; i++) {
		const struct part *row = &profile->part_rows[i];

		BROKEN_UNLESS(row->request < profile->request_count,
			      "a part's request does not exist");
		BROKEN_UNLESS(HAS(evidence, row->evidence) && HAS(dimension, row->dimension),
			      "a part's evidence or dimension does not exist");
		BROKEN_UNLESS(HAS(stack, row->stack) && HAS(thread, row->other),
			      "a part's stack or thread does not exist");
	}
	return NULL;
}

/* An import may have requests without parts. */
static const char *requests_broken(const struct profile *profile)
{
	const char *broken = NULL;
	uint64_t *sums = profile->part_count ? xcalloc(profile->request_count, sizeof(*sums)) : NULL;

	for (size_t i = 0; i < profile->part_count; i++)
		sums[profile->part_rows[i].request] += profile->part_rows[i].ns;
	for (size_t i = 0; i < profile->request_count && !broken; i++) {
		const struct request *row = &profile->request_rows[i];

		if (row->closed_ns < row->opened_ns)
			broken = "a request closes before it opens";
		else if (sums && sums[i] && sums[i] != row->closed_ns - row->opened_ns)
			broken = "the parts of a request do not sum to its latency";
	}
	free(sums);
	return broken;
}

static const char *counts_broken(const struct profile *profile)
{
	for (size_t i = 0; i < profile->completion_count; i++) {
		const struct completion *row = &profile->completion_rows[i];

		BROKEN_UNLESS(HAS(slice, row->slice) && HAS(process, row->process),
			      "a completion's slice or process does not exist");
		BROKEN_UNLESS(row->outcome >= OUTCOME_CORRECT && row->outcome < OUTCOME_COUNT,
			      "a completion's outcome is out of range");
	}
	for (size_t i = 0; i < profile->loss_count; i++)
		BROKEN_UNLESS(HAS(slice, profile->loss_rows[i].slice),
			      "a loss' slice does not exist");
	for (size_t i = 0; i < profile->own_cost_count; i++)
		BROKEN_UNLESS(HAS(slice, profile->own_cost_rows[i].slice),
			      "a cost's slice does not exist");
	return NULL;
}

const char *profile_broken(const struct profile *profile)
{
	static const char *(*const checks[])(const struct profile *) = {
		dimensions_broken, population_broken, stacks_broken,
		cells_broken,	   details_broken,    requests_broken,
		counts_broken,
	};

	for (size_t i = 0; i < ARRAY_LENGTH(checks); i++) {
		const char *broken = checks[i](profile);

		if (broken)
			return broken;
	}
	return NULL;
}
