/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `investigate --scale workers=1,2,4,8`: one arm over numbers of workers. What each wait per completion does as they are added
 * is said as the exponent of a power law: 0 is level, 1 grows as the workers do. Skew is the largest thread's share of a wait
 * over the mean thread's: 1 is even.
 */
#include "command/investigation.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "command/arm_block.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MOST = 16, STATES_MOST = 32 };
#define STEP_NS 4000000000ull

struct step {
	unsigned workers;
	double throughput, p99_ns;
	double per_completion[STATES_MOST], skew[STATES_MOST];
};

struct scaling {
	const struct dimension_row *states[STATES_MOST];
	size_t state_count, step_count;
	struct step steps[STEPS_MOST];
};

static int parse_counts(const char *text, struct scaling *scaling, struct error *err)
{
	const char *at = !strncmp(text, "workers=", 8) ? text + 8 : NULL;

	while (at && *at) {
		CLEANUP_TEXT char *one = xstrndup(at, strcspn(at, ","));
		uint64_t number = 0;

		if (quantity_parse_count(one, &number, err) < 0 || !number || number > 4096 || scaling->step_count == STEPS_MOST)
			at = NULL;
		else
			scaling->steps[scaling->step_count++].workers = (unsigned)number;
		at += at ? strlen(one) + (at[strlen(one)] == ',') : 0;
	}
	if (at && scaling->step_count >= 2)
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, "'%.100s' is no scale", text);
	error_because(err, "it takes two to %d numbers of workers, each at most 4096", STEPS_MOST);
	return error_try(err, "--scale workers=1,2,4,8");
}

/* The largest thread's share of a state over the mean of the threads that were in it at all. */
static double skew_of(const struct profile *profile, const char *state)
{
	double *sums = xcalloc(profile_thread_count(profile), sizeof(*sums)), total = 0, largest = 0, threads = 0;
	struct dimension_id wanted = profile_dimension_find(profile, NULL, state);

	for (size_t i = 0; i < profile_cell_count(profile) && wanted.index; i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id id = profile_dimension_root(profile, profile_cell_dimension(profile, cell));

		if (id.index == wanted.index && profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL)
			sums[cell->thread.index] += cell_weight(cell);
	}
	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		total += sums[i];
		threads += sums[i] > 0;
		largest = fmax(largest, sums[i]);
	}
	free(sums);
	return total > 0 ? largest / (total / threads) : NAN;
}

static int read_step(const struct block *block, struct scaling *scaling, struct step *step, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(account) struct account *account = NULL;
	struct question question = { .selection = selection };
	int r = format_read(block->capture, &profile, err);

	if (r < 0)
		return r;
	question.profile = profile;
	account = account_new(&question);
	step->p99_ns = block->objective.p99_ns;
	step->throughput = account->correct / (account->elapsed_ns / 1e9);
	for (size_t i = 0; i < scaling->state_count; i++) {
		struct dimension_id id = profile_dimension_find(profile, NULL, scaling->states[i]->name);

		step->per_completion[i] = account_per_completion(account, id.index ? account_state(account, id).total : 0);
		step->skew[i] = skew_of(profile, scaling->states[i]->name);
	}
	return 0;
}

/* Slope of log(wait) over log(workers) by least squares; NAN where some step had none. */
static double exponent_of(const struct scaling *scaling, size_t state)
{
	double x = 0, y = 0, xx = 0, xy = 0, n = (double)scaling->step_count;

	for (size_t i = 0; i < scaling->step_count; i++) {
		double workers = log(scaling->steps[i].workers), wait = log(scaling->steps[i].per_completion[state]);

		x += workers;
		y += wait;
		xx += workers * workers;
		xy += workers * wait;
	}
	return n * xx - x * x > 0 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

static const struct column step_columns[] = {
	{ "workers", "workers", "", COLUMN_LEFT }, { "throughput", "correct per second", "", 0 }, { "p99_ns", "p99", "ns", 0 },
};
static const struct column state_columns[] = {
	{ "name", "per correct completion", "", 0 }, { "first", "with fewest workers", "ns", 0 }, { "last", "with most", "ns", 0 },
	{ "exponent", "exponent", "", 0 },           { "skew", "skew over threads", "", 0 },
	{ "per_completion", "by workers", "", COLUMN_MACHINE },
};
static const struct column point_columns[] = {
	{ "workers", "workers", "", 0 }, { "value", "per completion", "ns", 0 }, { "skew", "skew", "", 0 },
};

static struct table *points_of(const struct scaling *scaling, size_t state)
{
	struct table *table = table_new(point_columns, ARRAY_LENGTH(point_columns));

	for (size_t i = 0; i < scaling->step_count; i++)
		table_add(table, (struct value[]){ value_integer(scaling->steps[i].workers),
						   value_number(scaling->steps[i].per_completion[state]),
						   value_number(scaling->steps[i].skew[state]) });
	return table;
}

static void add_answer(const struct scaling *scaling, struct document *into)
{
	struct table *steps = table_new(step_columns, ARRAY_LENGTH(step_columns));
	struct table *states = table_new(state_columns, ARRAY_LENGTH(state_columns));
	const struct step *first = &scaling->steps[0], *last = &scaling->steps[scaling->step_count - 1];

	for (size_t i = 0; i < scaling->step_count; i++)
		table_add(steps, (struct value[]){ value_integer(scaling->steps[i].workers), value_number(scaling->steps[i].throughput),
						   value_number(scaling->steps[i].p99_ns) });
	for (size_t i = 0; i < scaling->state_count; i++)
		if (first->per_completion[i] > 0 || last->per_completion[i] > 0)
			table_add(states, (struct value[]){
				value_text(scaling->states[i]->name), value_number(first->per_completion[i]),
				value_number(last->per_completion[i]), value_number(exponent_of(scaling, i)), value_number(last->skew[i]),
				value_table(points_of(scaling, i)) });
	document_add_table(into, "steps", "Throughput as workers are added", steps);
	document_add_table(into, "scaling", "How each state scales: exponent 0 is level, 1 grows as the workers do", states);
}

int investigation_scale(const struct investigation *investigation, const char *arm, const char *counts, struct document *into,
			struct error *err)
{
	struct block_config config = { .runbook = investigation->runbook, .directory = investigation->directory,
				       .programs = investigation->programs, .progress = investigation->progress, .cheap = true,
				       .duration_ns = investigation->block_ns ? investigation->block_ns : STEP_NS };
	struct scaling scaling = { 0 };
	int r = parse_counts(counts, &scaling, err);

	if (!r)
		r = runbook_require(investigation->runbook, "arms", (const char *const[]){ arm, "load", "objective", NULL }, err);
	for (size_t i = 0; i < dimension_row_count && scaling.state_count < STATES_MOST; i++)
		if (!dimension_rows[i].parent && dimension_rows[i].kind <= DIMENSION_WAITING && dimension_rows[i].kind >= DIMENSION_RUNNING)
			scaling.states[scaling.state_count++] = &dimension_rows[i];
	if (!r && directory_make(investigation->directory) < 0)
		r = fail(err, FAILURE_WORK, -errno, "cannot make '%.200s'", investigation->directory);
	for (size_t i = 0; i < scaling.step_count && !r; i++) {
		CLEANUP_TEXT char *workers = xasprintf("%u", scaling.steps[i].workers), *name = xasprintf("%s-workers-%s", arm, workers);
		struct block block;

		if (investigation->progress)
			fprintf(stderr, "crosscut: %s with %s workers\n", arm, workers);
		config.workers = workers;
		r = block_run(&config, arm, 1, name, &block, err);
		if (r < 0)
			break;
		r = read_step(&block, &scaling, &scaling.steps[i], err);
		block_done(&block);
	}
	if (r < 0)
		return r;
	add_answer(&scaling, into);
	return 0;
}
