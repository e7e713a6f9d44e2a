/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call tree of one dimension, of running and waiting together ("wall"), or of each dimension
 * that has stacks. Weights stand as they were sampled; the table "weights" sets each tree's sum
 * beside the exact total, so that a difference is seen and never scaled away.
 *
 *	wall                 thread name            state             stack
 *	└ mercury-worker     ├ [oncpu/user]         └ main › serve › parse
 *	                     ├ [runnable/woken]
 *	                     └ [disk/read]          └ main › serve › lookup › pread64
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/call_tree.h"
#include "analysis/figure.h"
#include "analysis/functions.h"
#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "profile/selection.h"
#include "result/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MOST = 20, NODES_MOST = DOCUMENT_NODE_LIMIT };

/* Functions are counted per stack at the end, not per cell. */
struct stack_sum {
	struct stack_id stack;
	double weight;
	uint64_t events;
};

/* One tree in the making. */
struct growth {
	const struct question *question;
	const struct account *account;
	struct naming *naming;
	bool wall;                           /* by thread name and state first; all but idle */
	struct dimension_id only;            /* else this dimension and its parts */
	bool nothing;                        /* known, but the profile has none of it */
	struct call_tree *tree;
	struct map *index;                   /* stack to its sum's row plus 1 */
	struct stack_sum *sums;
	size_t sum_count, sum_room;
	double untried;                      /* weight of which no stack was ever to be taken */
	bool *measures;                      /* by measure: some of it is in the tree */
	enum weighting weighting;
};

static const struct column weight_columns[] = {
	{ "dimension", "dimension", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "total", "in the tree", "", 0 },
	{ "exact", "exact", "", 0 },
	{ "difference", "difference", "", 0 },
	{ "weighting", "weighting", "", 0 },
};

static enum dimension_kind kind_of(const struct profile *profile, struct dimension_id id)
{
	return profile_dimension_at(profile, profile_dimension_root(profile, id).index)->kind;
}

static bool is_wanted(const struct growth *growth, struct dimension_id id)
{
	enum dimension_kind kind = kind_of(growth->question->profile, id);

	if (!id.index || growth->nothing)
		return false;
	if (growth->wall)
		return kind == DIMENSION_RUNNING || kind == DIMENSION_READY ||
		       kind == DIMENSION_WAITING;
	return dimension_is_below(growth->question->profile, id, growth->only);
}

static uint32_t wall_node(struct growth *growth, const struct cell *cell, struct dimension_id id)
{
	const struct profile *profile = growth->question->profile;
	struct string_id comm = profile_thread_at(profile, cell->thread.index)->comm;
	char path[DIMENSION_PATH_SIZE], name[DIMENSION_PATH_SIZE + 2];
	uint32_t node = call_tree_child(growth->tree, CALL_TREE_ROOT,
					naming_put(growth->naming, profile_text(profile, comm)));

	(void)snprintf(name, sizeof(name), "[%s]", dimension_path(profile, id, path));
	return call_tree_child(growth->tree, node, naming_put(growth->naming, name));
}

static struct stack_sum *sum_of(struct growth *growth, struct stack_id stack)
{
	uint32_t *at = map_put(growth->index, &stack.index, NULL);

	if (!*at) {
		grow(growth->sums, growth->sum_count, growth->sum_room);
		growth->sums[growth->sum_count++] = (struct stack_sum){ .stack = stack };
		*at = (uint32_t)growth->sum_count;
	}
	return &growth->sums[*at - 1];
}

static void add_cell(struct growth *growth, const struct cell *cell, const struct measure *measure,
		     struct dimension_id id)
{
	struct stack_id stack = cell_stack(growth->question->profile, cell);
	uint64_t events = cell->count << (cell->p_log2 & 63);
	uint32_t node = growth->wall ? wall_node(growth, cell, id) : CALL_TREE_ROOT;
	bool untried = growth->wall && !stack.index && measure->role == ROLE_TOTAL;

	growth->untried += untried ? cell_weight(cell) : 0;
	if (!untried) {
		struct stack_sum *sum = sum_of(growth, stack);

		sum->weight += cell_weight(cell);
		sum->events += events;
		node = call_tree_stack(growth->tree, node, growth->naming, stack);
	}
	call_tree_weigh(growth->tree, node, cell_weight(cell), events);
	growth->measures[cell->measure.index] = true;
	growth->weighting =
		measure->weighting > growth->weighting ? measure->weighting : growth->weighting;
}

static void add_cells(struct growth *growth)
{
	const struct profile *profile = growth->question->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id id = profile_cell_dimension(profile, cell);
		struct dimension_id root = profile_dimension_root(profile, id);
		enum measure_role role =
			growth->account->has_splits[root.index] ? ROLE_SPLIT : ROLE_TOTAL;

		if (measure->role == role && is_wanted(growth, id) &&
		    !profile_thread_at(profile, cell->thread.index)->outside &&
		    selection_has_cell(growth->question->selection, profile, cell))
			add_cell(growth, cell, measure, id);
	}
}

/* --- What the weights are --------------------------------------------------------------------- */

static void print_weighting(struct text *line, const struct profile *profile,
			    const struct measure *measure, const char *unit)
{
	char period[QUANTITY_SIZE];
	const char *source = profile_text(profile, measure->source);

	if (measure->weighting != WEIGHTING_SAMPLED)
		text_print(line, "%s", weighting_name(measure->weighting));
	else if (measure->period)
		text_print(line, "sampled, one per %s",
			   quantity_print(period, (double)measure->period, unit));
	else if (!measure->dimension.index)
		text_print(line, "sampled, 1 in 2^k by expected length");
	else
		text_print(line, "sampled, one per unknown period");
	if (*source)
		text_print(line, " (%s)", source);
}

/* Measures of parts differ only by their dimension: each way of weighting is named once. */
static char *weighting_text(const struct growth *growth, const char *unit)
{
	const struct profile *profile = growth->question->profile;
	struct text all = TEXT(4096);

	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		struct text one = TEXT(1024);

		if (!growth->measures[i])
			continue;
		print_weighting(&one, profile, profile_measure_at(profile, i), unit);
		if (!strstr(text_string(&all), text_string(&one)))
			text_print(&all, "%s%s", all.size ? "; " : "", text_string(&one));
		text_done(&one);
	}
	return text_take(&all);
}

/* NAN where a question about stacks leaves no exact cell to compare with. */
static double exact_of(const struct growth *growth)
{
	const struct account *account = growth->account;
	double sum = 0;

	if (selection_by_stack(growth->question->selection))
		return NAN;
	if (!growth->wall &&
	    profile_dimension_at(account->profile, growth->only.index)->parent.index) {
		struct tally part = account_part(account, growth->only);

		return part.weighting == WEIGHTING_EXACT || !part.weighting ? part.total : NAN;
	}
	for (uint32_t i = 1; i < account->count; i++) {
		struct dimension_id id = { i };

		if (!is_wanted(growth, id) ||
		    profile_dimension_at(account->profile, i)->parent.index)
			continue;
		sum += account_exact(account, id);
	}
	return sum;
}

/* A document's units are static texts; a tree's are copied. */
static const char *unit_of(const struct growth *growth)
{
	const struct profile *profile = growth->question->profile;
	const char *unit =
		profile_text(profile, profile_dimension_at(profile, growth->only.index)->unit);

	return growth->wall || !*unit ? "ns" : unit;
}

static void draw(struct growth *growth, const char *name, struct table *weights,
		 struct document *into)
{
	CLEANUP_TEXT char *weighting = weighting_text(growth, unit_of(growth));
	CLEANUP_TEXT char *key = xasprintf("trees.%s", name);
	CLEANUP_TEXT char *title = xasprintf("Call tree: %s", name);
	double total = call_tree_total(growth->tree), exact = exact_of(growth);

	for (char *dot = strchr(key + strlen("trees."), '.'); dot; dot = strchr(dot, '.'))
		*dot = '_';              /* a dot would nest */
	(void)document_add_tree(into, key, title,
				call_tree_draw(growth->tree, growth->naming, name, unit_of(growth),
					       weighting, NODES_MOST));
	table_add(weights, (struct value[]){
		value_text(name),
		value_text(unit_of(growth)),
		figure(total),
		figure(exact),
		figure(total - exact),
		value_text(weighting),
	});
}

static void add_functions(struct growth *growth, const char *name, struct document *into)
{
	static const char *const units[] = { "ns", "bytes", "count" };
	CLEANUP(functions) struct functions *functions = functions_new();
	bool exclusive = growth->question->sort && !strcmp(growth->question->sort, "exclusive");
	size_t most = growth->question->most ? growth->question->most : FUNCTIONS_MOST, count;
	CLEANUP_TEXT char *title = NULL;
	const char *unit = "count";

	for (size_t i = 0; i < growth->sum_count; i++) {
		const struct stack_sum *sum = &growth->sums[i];
		const uint32_t *path = naming_path(growth->naming, sum->stack, &count);

		functions_add(functions, path, count, sum->weight, sum->events);
	}
	functions_add(functions, NULL, 0, growth->untried, 0);
	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (!strcmp(units[i], unit_of(growth)))
			unit = units[i];
	count = functions_count(functions);
	most = count < most ? count : most;
	title = xasprintf("Functions of %s by %s weight (%zu of %zu)", name,
			  exclusive ? "exclusive" : "inclusive", most, count);
	(void)document_add_table(into, "functions", title,
				 functions_table(functions, growth->naming, growth->account, unit,
						 weighting_name(growth->weighting), exclusive,
						 most));
}

static void grow_tree(struct growth *growth, const char *name, bool functions,
		      struct table *weights, struct document *into)
{
	CLEANUP(call_tree) struct call_tree *tree = call_tree_new();
	CLEANUP(map) struct map *index = map_new(sizeof(uint32_t));

	growth->tree = tree;
	growth->index = index;
	growth->sum_count = 0;
	growth->untried = 0;
	growth->measures = xcalloc(profile_measure_count(growth->question->profile), sizeof(bool));
	growth->weighting = 0;
	add_cells(growth);
	draw(growth, name, weights, into);
	if (functions)
		add_functions(growth, name, into);
	free(growth->measures);
}

/* --- Which trees ------------------------------------------------------------------------------ */

static bool *stacked_dimensions(const struct growth *growth)
{
	const struct profile *profile = growth->question->profile;
	bool *stacked = xcalloc(profile_dimension_count(profile), sizeof(bool));

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id id = profile_cell_dimension(profile, cell);

		if (cell->stack.index)
			stacked[profile_dimension_root(profile, id).index] = true;
	}
	return stacked;
}

static void grow_all(struct growth *growth, struct table *weights, struct document *into)
{
	const struct profile *profile = growth->question->profile;
	bool *stacked = stacked_dimensions(growth);
	char name[DIMENSION_PATH_SIZE];

	growth->wall = true;
	if (growth->account->is_ledger)
		grow_tree(growth, "wall", false, weights, into);
	growth->wall = false;
	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		if (!stacked[i])
			continue;
		growth->only = (struct dimension_id){ i };
		grow_tree(growth, dimension_path(profile, growth->only, name), false, weights,
			  into);
	}
	free(stacked);
}

static int grow_named(struct growth *growth, struct table *weights, struct document *into,
		      struct error *err)
{
	const char *name = growth->question->dimension;
	int r = 0;

	growth->wall = !strcmp(name, "wall");
	if (!growth->wall)
		r = dimension_named(growth->question->profile, name, &growth->only, err);
	if (r < 0)
		return r;
	growth->nothing = !growth->wall && !growth->only.index;
	grow_tree(growth, name, true, weights, into);
	return 0;
}

static int answer(struct growth *growth, struct table *weights, struct document *into,
		  struct error *err)
{
	if (growth->question->dimension)
		return grow_named(growth, weights, into, err);
	grow_all(growth, weights, into);
	return 0;
}

static int tree_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	CLEANUP(naming) struct naming *naming = naming_new(question->profile);
	CLEANUP(table)
	struct table *weights = table_new(weight_columns, ARRAY_LENGTH(weight_columns));
	struct growth growth = { .question = question, .account = account, .naming = naming };

	int r = answer(&growth, weights, into, err);

	free(growth.sums);
	if (r < 0)
		return r;
	(void)document_add_table(into, "weights", "Weights of the trees beside the exact totals",
				 take(weights));
	return 0;
}

extern const struct analysis analysis_tree;
const struct analysis analysis_tree = {
	.name = "tree",
	.asks = "which calls led to it, in one dimension or running and waiting?",
	.run = tree_run,
};
