/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ran? The largest stacks and functions by sampled time, which is shown as it was sampled: it
 * is never scaled to the exact on-CPU time of the ledger, which stands beside it with the
 * difference.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/call_tree.h"
#include "analysis/figure.h"
#include "analysis/functions.h"
#include "analysis/naming.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 10, STACK_NAMES_MOST = 32 };

/* One stack by its names: two call sites in one function are the same to a reader. */
struct hot {
	struct stack_id stack;
	double weight;
	uint64_t count;
};

struct running {
	const struct question *question;
	const struct account *account;
	struct naming *naming;
	struct functions *functions;
	struct call_tree *paths;             /* gives equal paths one number */
	struct hot *hots;                    /* by that number */
	size_t hot_room;
	const char *unit;                    /* static text: "ns", or what an import counts */
	uint64_t period;
	enum weighting weighting;
	double sampled, count, exact;
};

static struct hot *hot_of(struct running *running, uint32_t node)
{
	size_t room = running->hot_room ? running->hot_room : 256;

	while (room <= node)
		room *= 2;
	if (room > running->hot_room) {
		running->hots = xreallocarray(running->hots, room, sizeof(*running->hots));
		memset(running->hots + running->hot_room, 0,
		       (room - running->hot_room) * sizeof(*running->hots));
		running->hot_room = room;
	}
	return &running->hots[node];
}

static void add_sample(struct running *running, const struct cell *cell,
		       const struct measure *measure)
{
	uint64_t events = cell->count << (cell->p_log2 & 63);
	uint32_t node =
		call_tree_stack(running->paths, CALL_TREE_ROOT, running->naming, cell->stack);
	struct hot *hot = hot_of(running, node);

	hot->stack = cell->stack;
	hot->weight += cell_weight(cell);
	hot->count += events;
	running->sampled += cell_weight(cell);
	running->count += (double)events;
	running->period = measure->period > running->period ? measure->period : running->period;
	running->weighting =
		measure->weighting > running->weighting ? measure->weighting : running->weighting;
}

/* A document's units are static texts. */
static const char *static_unit(const char *unit)
{
	return !strcmp(unit, "ns") ? "ns" : !strcmp(unit, "bytes") ? "bytes" : "count";
}

static void add_cells(struct running *running)
{
	const struct profile *profile = running->question->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id root =
			profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		bool stacked = running->account->has_splits[root.index]
				       ? measure->role == ROLE_SPLIT
				       : measure->role == ROLE_TOTAL && cell->stack.index;

		if (stacked &&
		    profile_dimension_at(profile, root.index)->kind == DIMENSION_RUNNING &&
		    !profile_thread_at(profile, cell->thread.index)->outside &&
		    selection_has_cell(running->question->selection, profile, cell)) {
			running->unit = static_unit(profile_text(
				profile, profile_dimension_at(profile, root.index)->unit));
			add_sample(running, cell, measure);
		}
	}
}

/* The exact time of the running states; NAN where a question about stacks leaves none. */
static double exact_time(const struct account *account)
{
	double sum = 0;

	for (uint32_t i = 1; i < account->count; i++) {
		const struct dimension *dimension = profile_dimension_at(account->profile, i);
		struct dimension_id id = { i };

		if (dimension->kind != DIMENSION_RUNNING || dimension->parent.index)
			continue;
		sum += account_exact(account, id);
	}
	return sum;
}

static const struct column stack_columns[] = {
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "total", "total", "", 0 },
	{ "share", "share of on-CPU", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "", 0 },
	{ "count", "samples", "count", 0 },
	{ "measured", "measured", "", 0 },
	{ "stack", "stack", "", COLUMN_CODE | COLUMN_LEFT },
};

static int compare_hots(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->stack.index < b->stack.index ? -1 : a->stack.index > b->stack.index;
}

static void add_functions(struct running *running, size_t hots)
{
	for (size_t i = 0; i < hots; i++) {
		const struct hot *hot = &running->hots[i];
		size_t count;
		const uint32_t *path = naming_path(running->naming, hot->stack, &count);

		functions_add(running->functions, path, count, hot->weight, hot->count);
		if (hot->stack.index)
			functions_add_compiled(running->functions, naming_compiled(running->naming, hot->stack),
					       hot->weight);
	}
}

static size_t rank(struct running *running)
{
	size_t count = 0;

	for (size_t i = 0; i < running->hot_room; i++)
		if (running->hots[i].count || running->hots[i].weight > 0)
			running->hots[count++] = running->hots[i];
	if (count)
		qsort(running->hots, count, sizeof(*running->hots), compare_hots);
	add_functions(running, count);
	return count;
}

static struct table *stacks_of(struct running *running, size_t count)
{
	struct table *table = table_new(stack_columns, ARRAY_LENGTH(stack_columns));

	for (size_t i = 0; i < count; i++) {
		const struct hot *hot = &running->hots[i];
		CLEANUP_TEXT char *line =
			naming_line(running->naming, hot->stack, STACK_NAMES_MOST);

		table_add(table, (struct value[]){
			value_text(running->unit),
			figure(hot->weight),
			figure(hot->weight / running->sampled),
			figure(account_per_completion(running->account, hot->weight)),
			value_integer((int64_t)hot->count),
			value_text(weighting_name(running->weighting)),
			value_text(line),
		});
	}
	return table;
}

static struct record *head_of(const struct running *running)
{
	struct record *record = record_new();
	struct record *widest = functions_widest(running->functions, running->naming,
						 running->account, running->unit);

	record_add(record, "sampled", "sampled", running->unit, figure(running->sampled));
	record_add(record, "exact", "exact", running->unit, figure(running->exact));
	record_add(record, "difference", "difference", running->unit,
		   figure(running->sampled - running->exact));
	record_add(record, "samples", "samples", "count", figure(running->count));
	record_add(record, "period", "one sample per", running->unit,
		   running->period ? value_integer((int64_t)running->period) : value_none());
	record_add(record, "widest", "widest function", "",
		   widest ? value_record(widest) : value_none());
	return record;
}

static void add_sections(struct running *running, struct document *into)
{
	bool inclusive = running->question->sort && !strcmp(running->question->sort, "inclusive");
	size_t most = running->question->most ? running->question->most : ROWS_MOST;
	size_t stacks = rank(running), functions = functions_count(running->functions);
	size_t stacks_shown = stacks < most ? stacks : most,
	       functions_shown = functions < most ? functions : most;
	CLEANUP_TEXT char *title = NULL;

	if (running->sampled <= 0) {
		document_add_finding(into, SEVERITY_NOTE,
				     "no on-CPU sample with a stack is in this selection");
		return;
	}
	(void)document_add_record(into, "oncpu", "On-CPU time", head_of(running));
	title = xasprintf("Largest on-CPU stacks (%zu of %zu)", stacks_shown, stacks);
	(void)document_add_table(into, "stacks", title, stacks_of(running, stacks_shown));
	free(title);
	title = xasprintf("On-CPU functions by %s time (%zu of %zu)",
			  inclusive ? "inclusive" : "exclusive", functions_shown, functions);
	(void)document_add_table(into, "functions", title,
				 functions_table(running->functions, running->naming,
						 running->account, running->unit,
						 weighting_name(running->weighting), !inclusive,
						 functions_shown));
}

static int oncpu_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	CLEANUP(naming) struct naming *naming = naming_new(question->profile);
	CLEANUP(functions) struct functions *functions = functions_new();
	CLEANUP(call_tree) struct call_tree *paths = call_tree_new();
	struct running running = {
		.question = question,
		.account = account,
		.naming = naming,
		.functions = functions,
		.paths = paths,
		.unit = "ns",
	};

	(void)err;
	running.exact = exact_time(account);
	add_cells(&running);
	add_sections(&running, into);
	free(running.hots);
	return 0;
}

extern const struct analysis analysis_oncpu;
const struct analysis analysis_oncpu = {
	.name = "oncpu",
	.asks = "which stacks and functions ran, and how long per correct completion?",
	.run = oncpu_run,
	.not_by_request = "running time of requests has no stacks: --question ledger has how long these requests ran",
};
