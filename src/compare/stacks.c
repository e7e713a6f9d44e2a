/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stacks are worth a test: those that hold a share of their dimension's weight, both sides pooled, so that the choice is
 * blind to what changed (R. Bourgon, R. Gentleman and W. Huber, PNAS 107, 2010). Of a chain of callers that hand everything down
 * only the last is tested: it is one fact, however deep the chain. Each capture's inclusive weights are summed once more, when
 * it is known which nodes they are wanted of.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/naming.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

enum { LABEL_NAMES_MOST = 6 };
static const double same = 1e-9;             /* weights that differ by less are one */

void comparison_add_stacks(struct comparison *comparison, struct arm *arm, const struct profile *profile,
			   const struct account *account, double period_ns)
{
	struct forest_walk *walk = forest_walk_new(comparison->forest, profile);

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		const struct dimension *state = profile_dimension_at(profile, root.index);
		double factor = period_ns > 0 && !measure->period && !dimension_is_state(state->kind) ? period_ns : 1;

		if (!root.index || measure->role != ROLE_SPLIT || !account->has_splits[root.index] ||
		    profile_thread_at(profile, cell->thread.index)->outside ||
		    !selection_has_cell(comparison->options.selection, profile, cell))
			continue;
		forest_walk_add(walk, profile_text(profile, state->name), cell_stack(profile, cell), factor * cell_weight(cell),
				(double)cell->count);
	}
	forest_walk_end(walk, &arm->weights);
}

/* --- Which ------------------------------------------------------------------------------------------------------------------ */

static void pool(struct comparison *comparison)
{
	size_t count = forest_count(comparison->forest);

	for (size_t side = 0; side < SIDE_COUNT; side++)
		comparison->pooled[side] = xcalloc(count, sizeof(double));
	for (size_t i = 0; i < comparison->arm_count; i++) {
		const struct arm *arm = &comparison->arms[i];
		double *pooled = comparison->pooled[arm->capture.side];

		for (size_t k = 0; k < arm->weights.count; k++)
			pooled[arm->weights.rows[k].node] += arm->scale * arm->weights.rows[k].weight / (double)comparison->pairs;
	}
	for (size_t side = 0; side < SIDE_COUNT; side++)     /* pages of a side without captures are never written */
		for (size_t node = comparison_arm(comparison, (enum side)side, 0) ? count : 0; node-- > 1;)
			comparison->pooled[side][forest_parent(comparison->forest, (uint32_t)node)] += comparison->pooled[side][node];
}

static double pooled_weight(const struct comparison *comparison, uint32_t node)
{
	return comparison->pooled[SIDE_BASE][node] + comparison->pooled[SIDE_CANDIDATE][node] + comparison->pooled[SIDE_RESTORED][node];
}

const struct compared *comparison_row_of_root(const struct comparison *comparison, uint32_t node)
{
	const char *name = forest_text(comparison->forest, forest_name(comparison->forest, forest_root(comparison->forest, node)));

	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->kind != ROW_STACK && !strcmp(comparison->rows[i]->name, name))
			return comparison->rows[i];
	return NULL;
}

static bool is_same(double one, double other)
{
	return fabs(one - other) <= same * fmax(fabs(one), fabs(other));
}

/* Everything that reaches the parent goes on to this child. */
static bool is_handed_down(const struct comparison *comparison, uint32_t parent, uint32_t child)
{
	for (size_t side = 0; side < SIDE_COUNT; side++)
		if (!is_same(comparison->pooled[side][parent], comparison->pooled[side][child]))
			return false;
	return true;
}

static bool *find_kept(const struct comparison *comparison)
{
	const struct forest *forest = comparison->forest;
	size_t count = forest_count(forest);
	bool *kept = xcalloc(count, sizeof(bool));

	for (uint32_t node = 1; node < count; node++) {
		uint32_t parent = forest_parent(forest, node);

		if (!parent)
			continue;
		kept[node] = pooled_weight(comparison, node) > 0 &&
			     pooled_weight(comparison, node) >=
				     comparison->options.weight_share * pooled_weight(comparison, forest_root(forest, node));
		if (kept[node] && is_handed_down(comparison, parent, node))
			kept[parent] = false;
	}
	return kept;
}

/* --- Rows of them ------------------------------------------------------------------------------------------------------------ */

static struct compared *make_row(struct comparison *comparison, uint32_t node)
{
	const struct forest *forest = comparison->forest;
	const struct compared *state = comparison_row_of_root(comparison, node);
	const char *dimension = forest_text(forest, forest_name(forest, forest_root(forest, node)));
	char name[1400];
	struct compared *row;

	if (!state)
		return NULL;
	(void)snprintf(name, sizeof(name), "%s:%s", dimension, forest_text(forest, forest_name(forest, node)));
	row = comparison_row_new(comparison, ROW_STACK, name, dimension, state->unit, state->dimension_kind);
	row->label = forest_line(forest, node, LABEL_NAMES_MOST);
	row->node = node;
	row->measured = "sampled";
	return row;
}

static void fill_rows(struct comparison *comparison, size_t first, const struct arm *arm)
{
	size_t count = forest_count(comparison->forest);
	double *sums = xcalloc(count, sizeof(double));
	enum side side = arm->capture.side;

	forest_sum(comparison->forest, &arm->weights, 1, sums);
	for (size_t i = first; i < comparison->row_count; i++) {
		struct compared *row = comparison->rows[i];

		row->values[side][arm->capture.pair] = sums[row->node] * arm->scale;
		row->totals[side] += sums[row->node];
	}
	memset(sums, 0, count * sizeof(double));
	forest_sum_events(comparison->forest, &arm->weights, sums);
	for (size_t i = first; i < comparison->row_count; i++)
		comparison->rows[i]->events[side] += sums[comparison->rows[i]->node];
	free(sums);
}

void comparison_find_stacks(struct comparison *comparison)
{
	size_t first = comparison->row_count;
	bool *kept;

	pool(comparison);
	comparison->matched_share = comparison_match(comparison);
	kept = find_kept(comparison);
	for (uint32_t node = 1; node < forest_count(comparison->forest); node++)
		if (kept[node])
			(void)make_row(comparison, node);
	for (size_t i = 0; i < comparison->arm_count && first < comparison->row_count; i++)
		fill_rows(comparison, first, &comparison->arms[i]);
	free(kept);
}

/* --- Cost shifts ------------------------------------------------------------------------------------------------------------- */

static double change_of(const struct comparison *comparison, uint32_t node)
{
	return comparison->pooled[SIDE_CANDIDATE][node] - comparison->pooled[SIDE_BASE][node];
}

/* FBDetect's check (SOSP 2024): what grew by as much as the rest below the same caller shrank has moved, not grown. */
static bool is_shift(const struct comparison *comparison, uint32_t node)
{
	const struct forest *forest = comparison->forest;
	uint32_t parent = forest_parent(forest, node);
	double rise = change_of(comparison, node), whole;

	while (forest_parent(forest, parent) && is_handed_down(comparison, parent, node)) {
		node = parent;
		parent = forest_parent(forest, parent);
	}
	whole = change_of(comparison, parent);
	return forest_parent(forest, parent) && rise > 0 && whole - rise <= -0.75 * rise && fabs(whole) <= 0.25 * rise;
}

void comparison_mark_shifts(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		struct compared *row = comparison->rows[i];

		row->shift = row->kind == ROW_STACK && row->judged.change == CHANGE_GREW && is_shift(comparison, row->node);
	}
}
