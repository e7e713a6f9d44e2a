/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Truth against amounts: who handed a lock to whom, how many pages were touched, which function kept how much. What is counted by samples
 * has their variance with it, and the truth must lie within so many of its roots.
 */
#include "command/calibrate_judge.h"

#include "profile/lock.h"
#include "profile/profile.h"
#include "profile/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct amount { double seen, variance; };

static bool is_thread(const struct profile *profile, struct thread_id id, pid_t tid)
{
	return id.index && profile_thread_at(profile, id.index)->tid == (uint32_t)tid;
}

static bool is_named(const struct profile *profile, struct frame_id frame, const char *name)
{
	size_t count = 0;
	const struct symbol *symbols = profile_frame_symbols(profile, frame, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(profile_text(profile, symbols[i].name), name))
			return true;
	return !strcmp(profile_text(profile, profile_frame_at(profile, frame.index)->name), name);
}

static bool has_frame(const struct profile *profile, struct stack_id stack, const char *name)
{
	for (; stack.index; stack = profile_stack_at(profile, stack.index).parent)
		if (is_named(profile, profile_stack_at(profile, stack.index).frame, name))
			return true;
	return false;
}

/* Whether the cell counts the amount, and by what. */
static double part_of(const struct profile *profile, const struct truth *row, const struct truth_amount *amount, const struct cell *cell)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);

	if (row->measure == TRUTH_HOLDERS)
		return !strcmp(profile_text(profile, measure->source), LOCK_HAND_OFFS) && is_thread(profile, cell->thread, amount->tid) &&
		       is_thread(profile, cell->other, amount->other) ? (double)cell->count : 0;
	if (profile_cell_dimension(profile, cell).index !=
	    profile_dimension_find(profile, row->part ? row->state : NULL, row->part ? row->part : row->state).index)
		return 0;
	if (row->measure == TRUTH_FAULTS)
		return measure->role == ROLE_TOTAL && is_thread(profile, cell->thread, amount->tid) ? cell_weight(cell) : 0;
	return measure->role == ROLE_SPLIT && has_frame(profile, cell->stack, amount->name) ? cell_weight(cell) : 0;
}

static struct amount see(const struct profile *profile, const struct truth *row, const struct truth_amount *amount)
{
	struct amount sum = { 0 };

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		double part = part_of(profile, row, amount, cell);

		sum.seen += part;
		sum.variance += part > 0 ? cell->variance : 0;
	}
	return sum;
}

static void outside(struct calibration *ret, const struct truth_amount *amount, double error)
{
	if (ret->verdict == CALIBRATION_OUTSIDE)
		return;
	ret->verdict = CALIBRATION_OUTSIDE;
	(void)snprintf(ret->why, sizeof(ret->why), "%s%s: off by %+.0f of %.0f %s, allowed are %.0f", *amount->name ? "at " : "its thread",
		       amount->name, error, (double)amount->value, ret->row->unit, ret->allowed_amount);
}

static void judge_amount(const struct truth_amount *amount, struct amount seen, struct calibration *ret)
{
	double truth = (double)amount->value, error = seen.seen - truth;
	double allowed = CALIBRATION_AMOUNT_ERROR * truth + CALIBRATION_AMOUNT_Z * sqrt(seen.variance);

	ret->truth_amount += truth;
	ret->seen_amount += seen.seen;
	if (fabs(error) * (ret->allowed_amount + 1) >= fabs(ret->error_amount) * (allowed + 1)) {
		ret->error_amount = error;
		ret->allowed_amount = allowed;
	}
	if (fabs(error) > allowed)
		outside(ret, amount, error);
}

/* Of each pair as many as both know of; a wait that was too short to be certain of one is none of the truth. */
static void judge_holder(const struct truth_amount *amount, struct amount seen, struct calibration *ret)
{
	ret->truth_amount += (double)amount->value;
	ret->seen_amount += fmin(seen.seen, (double)amount->value);
}

static void judge_holders(struct calibration *ret)
{
	ret->error_amount = ret->seen_amount - ret->truth_amount;
	ret->allowed_amount = (1 - CALIBRATION_HOLDERS) * ret->truth_amount;
	if (ret->verdict == CALIBRATION_OUTSIDE || ret->seen_amount >= CALIBRATION_HOLDERS * ret->truth_amount)
		return;
	ret->verdict = CALIBRATION_OUTSIDE;
	(void)snprintf(ret->why, sizeof(ret->why), "of %.0f hand-offs %.0f are from whom they were", ret->truth_amount, ret->seen_amount);
}

void calibration_judge_amounts(const struct truth_report *report, const struct profile *profile, struct calibration *ret)
{
	struct summary summary;

	summary_of(profile, &summary);
	*ret = (struct calibration){ .row = ret->row, .untimed = ret->untimed, .attempts = ret->attempts, .verdict = CALIBRATION_WITHIN,
				     .conservation_ns = summary.conservation_error_ns, .threads = report->thread_count };
	for (unsigned i = 0; i < report->amount_count && i < TRUTH_AMOUNTS; i++) {
		const struct truth_amount *amount = &report->amounts[i];
		struct amount seen = see(profile, ret->row, amount);

		if (ret->row->measure == TRUTH_HOLDERS)
			judge_holder(amount, seen, ret);
		else
			judge_amount(amount, seen, ret);
	}
	if (ret->row->measure == TRUTH_HOLDERS)
		judge_holders(ret);
	if (ret->truth_amount > 0)
		return;
	ret->verdict = CALIBRATION_OUTSIDE;
	(void)snprintf(ret->why, sizeof(ret->why), "the program reported nothing that happened");
}
