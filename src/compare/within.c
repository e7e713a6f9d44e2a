/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one pair of captures can say: how much the slices within each run, or the number of samples, let its ratio vary. How runs
 * differ from each other is not in it, so it is a lower bound of the uncertainty, and decides nothing.
 */
#include "compare/state.h"

#include <math.h>
#include <string.h>

#include "statistics/rate.h"

static void take_interval(struct compared *row, const struct statistics_interval *ratio)
{
	double base = row->judged.base;

	row->judged.ratio.low = ratio->low;
	row->judged.ratio.high = ratio->high;
	row->judged.delta.low = base * ratio->low;
	row->judged.delta.high = base * ratio->high;
}

/* What one sample of a dimension stands for, so that a side without any sample of a stack still has an exposure. */
static double weight_of_sample(const struct comparison *comparison, const char *dimension, enum side side)
{
	double weight = 0, samples = 0;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];

		if (row->kind != ROW_STACK || strcmp(row->dimension, dimension) != 0)
			continue;
		weight += row->totals[side];
		samples += row->events[side];
	}
	return samples > 0 ? weight / samples : NAN;
}

static void describe_stack(const struct comparison *comparison, struct compared *row, double level)
{
	struct rate rates[2];
	struct rate_change change;
	struct statistics_interval ratio = { 0 };

	for (size_t side = 0; side < 2; side++) {
		const struct arm *arm = comparison_arm(comparison, (enum side)side, 0);
		double stands_for = weight_of_sample(comparison, row->dimension, (enum side)side);

		rates[side] = (struct rate){ .count = row->events[side], .exposure = 1 / (arm->scale * stands_for) };
	}
	if (rate_compare(rates[SIDE_BASE], rates[SIDE_CANDIDATE], level, &change) < 0 || change.insufficient)
		return;
	ratio.low = change.low - 1;
	ratio.high = change.high - 1;
	take_interval(row, &ratio);
	row->judged.p = change.p;
	if (!isfinite(change.high))
		row->judged.delta.low = row->judged.delta.high = NAN;
}

void comparison_describe_pair(struct comparison *comparison)
{
	double level = comparison->options.judge.level;

	for (size_t i = 0; i < comparison->row_count; i++) {
		struct compared *row = comparison->rows[i];
		struct statistics_interval ratio;

		if (row->judged.change == CHANGE_UNMEASURED)
			continue;
		if (row->kind == ROW_STACK) {
			describe_stack(comparison, row, level);
		} else if (row->slices[SIDE_BASE].count && row->slices[SIDE_CANDIDATE].count) {
			slices_compare(&row->slices[SIDE_BASE], &row->slices[SIDE_CANDIDATE], level, &ratio);
			take_interval(row, &ratio);
		}
	}
}
