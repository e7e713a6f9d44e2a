/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was waited for, where, and who ended it? Exact totals stand per class; the split of a class
 * by stack was sampled, so each row says so and the classes' table sets both sums side by side
 * with their difference. Idle waits cost nothing and are listed only when they are asked for by
 * --dimension.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/call_tree.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 10, STACK_NAMES_MOST = 32, WAKERS_MOST = 5 };

/* One class of waits of threads of one name on one stack. */
struct wait {
	uint32_t node;                       /* its number in the tree of paths */
	struct dimension_id class;
	struct string_id comm;
	struct stack_id stack;
	struct tally tally;
};

struct waker { uint32_t node, name; double weight; };

struct waiting {
	const struct question *question;
	const struct account *account;
	struct dimension_id only;            /* of --dimension; none: every class that is waiting */
	struct naming *naming;
	struct call_tree *paths;
	struct map *index;                   /* node to row plus 1 */
	struct wait *rows;
	size_t count, room;
	struct map *waker_index;             /* (node, name) to row plus 1 */
	struct waker *wakers;
	size_t waker_count, waker_room;
};

static bool is_wanted(const struct waiting *waiting, struct dimension_id class)
{
	const struct profile *profile = waiting->question->profile;
	struct dimension_id root = profile_dimension_root(profile, class);
	enum dimension_kind kind = profile_dimension_at(profile, root.index)->kind;

	if (!class.index)
		return false;
	if (!waiting->question->dimension)
		return kind == DIMENSION_WAITING;
	return waiting->only.index && dimension_is_below(profile, class, waiting->only) &&
	       (kind == DIMENSION_WAITING || kind == DIMENSION_IDLE);
}

static uint32_t node_of(struct waiting *waiting, struct dimension_id class, struct string_id comm,
			struct stack_id stack)
{
	const struct profile *profile = waiting->question->profile;
	char name[DIMENSION_PATH_SIZE];
	uint32_t node = call_tree_child(
		waiting->paths, CALL_TREE_ROOT,
		naming_put(waiting->naming, dimension_path(profile, class, name)));

	node = call_tree_child(waiting->paths, node,
			       naming_put(waiting->naming, profile_text(profile, comm)));
	return call_tree_stack(waiting->paths, node, waiting->naming, stack);
}

static struct wait *wait_of(struct waiting *waiting, uint32_t node, struct dimension_id class,
			    struct string_id comm, struct stack_id stack)
{
	uint32_t *at = map_put(waiting->index, &node, NULL);

	if (!*at) {
		grow(waiting->rows, waiting->count, waiting->room);
		waiting->rows[waiting->count++] =
			(struct wait){ .node = node, .class = class, .comm = comm, .stack = stack };
		*at = (uint32_t)waiting->count;
	}
	return &waiting->rows[*at - 1];
}

/* Whoever ran when an interrupt woke the thread is a bystander: then the interrupt is named. */
static const char *waker_name(const struct profile *profile, const struct cell *cell)
{
	const struct wait_evidence *seen =
		&profile_evidence_at(profile, cell->evidence.index)->seen;

	if (seen->wake_context == WAKE_SOFTIRQ)
		return "[softirq]";
	if (seen->wake_context == WAKE_HARDIRQ)
		return "[interrupt]";
	if (cell->other.index)
		return profile_text(profile, profile_thread_at(profile, cell->other.index)->comm);
	return "[unseen]";
}

static void add_waker(struct waiting *waiting, uint32_t node, const struct cell *cell)
{
	uint32_t key[2] = { node, naming_put(waiting->naming,
					     waker_name(waiting->question->profile, cell)) };
	uint32_t *at = map_put(waiting->waker_index, key, NULL);

	if (!*at) {
		grow(waiting->wakers, waiting->waker_count, waiting->waker_room);
		waiting->wakers[waiting->waker_count++] =
			(struct waker){ .node = node, .name = key[1] };
		*at = (uint32_t)waiting->waker_count;
	}
	waiting->wakers[*at - 1].weight += cell_weight(cell);
}

static void add_wait(struct waiting *waiting, const struct cell *cell, enum weighting weighting)
{
	const struct profile *profile = waiting->question->profile;
	struct dimension_id class = profile_cell_dimension(profile, cell);
	struct string_id comm = profile_thread_at(profile, cell->thread.index)->comm;
	struct stack_id stack = cell_stack(profile, cell);
	uint32_t node = node_of(waiting, class, comm, stack);
	struct tally *tally = &wait_of(waiting, node, class, comm, stack)->tally;

	tally->total += cell_weight(cell);
	tally->count += (double)cell->count * (double)(1ull << (cell->p_log2 & 63));
	tally->maximum = fmax(tally->maximum, (double)cell->maximum);
	tally->weighting = weighting > tally->weighting ? weighting : tally->weighting;
	add_waker(waiting, node, cell);
}

static void add_cells(struct waiting *waiting)
{
	const struct profile *profile = waiting->question->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id class = profile_cell_dimension(profile, cell);
		struct dimension_id root = profile_dimension_root(profile, class);
		enum measure_role role =
			waiting->account->has_splits[root.index] ? ROLE_SPLIT : ROLE_TOTAL;

		if (measure->role == role && is_wanted(waiting, class) &&
		    !profile_thread_at(profile, cell->thread.index)->outside &&
		    selection_has_cell(waiting->question->selection, profile, cell))
			add_wait(waiting, cell, measure->weighting);
	}
}

/* --- Classes ---------------------------------------------------------------------------------- */

static const struct column class_columns[] = {
	{ "class", "class", "", COLUMN_LEFT },
	{ "exact", "exact total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "count", "count", "count", 0 },
	{ "maximum", "longest", "ns", 0 },
	{ "sampled", "by stacks", "ns", 0 },
	{ "difference", "difference", "ns", 0 },
};

static double share_of(const struct waiting *waiting, double weight)
{
	double all = waiting->account->thread_ns > 0 ? waiting->account->thread_ns
						     : waiting->account->accounted_ns;

	return all > 0 ? weight / all : NAN;
}

static int compare_classes(const void *left, const void *right, void *context)
{
	const struct account *account = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double x = fmax(account->totals[a].total, account->splits[a].total);
	double y = fmax(account->totals[b].total, account->splits[b].total);

	if (x != y)
		return x > y ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void add_class(const struct waiting *waiting, uint32_t class, struct table *table)
{
	const struct account *account = waiting->account;
	const struct tally *exact = &account->totals[class], *split = &account->splits[class];
	bool has_split = account->has_splits[profile_dimension_root(account->profile,
								    (struct dimension_id){ class })
						     .index];
	bool has_exact = exact->weighting == WEIGHTING_EXACT;
	double total = has_exact ? exact->total : NAN;
	char name[DIMENSION_PATH_SIZE];

	table_add(table, (struct value[]){
		value_text(dimension_path(account->profile, (struct dimension_id){ class }, name)),
		figure(total),
		figure(share_of(waiting, total)),
		figure(account_per_completion(account, total)),
		figure(has_exact ? exact->count : NAN),
		figure(exact->maximum > 0 ? exact->maximum : NAN),
		figure(has_split ? split->total : NAN),
		figure(has_split ? split->total - total : NAN),
	});
}

static struct table *classes_of(const struct waiting *waiting)
{
	struct table *table = table_new(class_columns, ARRAY_LENGTH(class_columns));
	const struct account *account = waiting->account;
	uint32_t *classes = xcalloc(account->count, sizeof(*classes));
	size_t count = 0;

	for (uint32_t i = 1; i < account->count; i++)
		if ((account->totals[i].weighting || account->splits[i].weighting) &&
		    is_wanted(waiting, (struct dimension_id){ i }))
			classes[count++] = i;
	qsort_r(classes, count, sizeof(*classes), compare_classes, (void *)(uintptr_t)account);
	for (size_t i = 0; i < count; i++)
		add_class(waiting, classes[i], table);
	free(classes);
	return table;
}

/* --- Waits ------------------------------------------------------------------------------------ */

static const struct column wait_columns[] = {
	{ "class", "class", "", COLUMN_LEFT },
	{ "thread", "thread", "", COLUMN_LEFT },
	{ "total", "total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "count", "count", "count", 0 },
	{ "mean", "mean", "ns", 0 },
	{ "maximum", "longest", "ns", 0 },
	{ "measured", "measured", "", 0 },
	{ "stack", "stack", "", COLUMN_CODE | COLUMN_LEFT },
	{ "wakers", "woken by", "", 0 },
};

static const struct column waker_columns[] = {
	{ "comm", "waker", "", COLUMN_LEFT },
	{ "share", "share", "fraction", 0 },
};

static int compare_waits(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	if (a->tally.total != b->tally.total)
		return a->tally.total > b->tally.total ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* By wait, then the heaviest first. */
static int compare_wakers(const void *left, const void *right)
{
	const struct waker *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static size_t first_waker(const struct waiting *waiting, uint32_t node)
{
	size_t low = 0, high = waiting->waker_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (waiting->wakers[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct table *wakers_of(const struct waiting *waiting, const struct wait *wait)
{
	struct table *table = table_new(waker_columns, ARRAY_LENGTH(waker_columns));
	size_t first = first_waker(waiting, wait->node);

	for (size_t i = first; i < waiting->waker_count && waiting->wakers[i].node == wait->node;
	     i++) {
		const struct waker *waker = &waiting->wakers[i];

		if (i - first < WAKERS_MOST && wait->tally.total > 0)
			table_add(table, (struct value[]){
				value_text(naming_text(waiting->naming, waker->name)),
				figure(waker->weight / wait->tally.total),
			});
		else
			table->rows_left_out++;
	}
	return table;
}

static void add_row(const struct waiting *waiting, const struct wait *wait, struct table *table)
{
	const struct profile *profile = waiting->question->profile;
	CLEANUP_TEXT char *stack = naming_line(waiting->naming, wait->stack, STACK_NAMES_MOST);
	char class[DIMENSION_PATH_SIZE];

	table_add(table, (struct value[]){
		value_text(dimension_path(profile, wait->class, class)),
		value_text(profile_text(profile, wait->comm)),
		figure(wait->tally.total),
		figure(share_of(waiting, wait->tally.total)),
		figure(account_per_completion(waiting->account, wait->tally.total)),
		figure(wait->tally.count),
		figure(wait->tally.count > 0 ? wait->tally.total / wait->tally.count : NAN),
		figure(wait->tally.maximum > 0 ? wait->tally.maximum : NAN),
		value_text(weighting_name(wait->tally.weighting)),
		value_text(stack),
		value_table(wakers_of(waiting, wait)),
	});
}

static void add_sections(struct waiting *waiting, struct document *into)
{
	struct table *table = table_new(wait_columns, ARRAY_LENGTH(wait_columns));
	size_t most = waiting->question->most ? waiting->question->most : ROWS_MOST;
	size_t shown = waiting->count < most ? waiting->count : most;
	CLEANUP_TEXT char *title =
		xasprintf("Largest waits by stack (%zu of %zu)", shown, waiting->count);

	if (waiting->count)
		qsort(waiting->rows, waiting->count, sizeof(*waiting->rows), compare_waits);
	if (waiting->waker_count)
		qsort(waiting->wakers, waiting->waker_count, sizeof(*waiting->wakers),
		      compare_wakers);
	for (size_t i = 0; i < shown; i++)
		add_row(waiting, &waiting->rows[i], table);
	(void)document_add_table(into, "classes",
				 "Waits by class: exact, and as sampled with stacks",
				 classes_of(waiting));
	(void)document_add_table(into, "waits", title, table);
}

static int waits_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = NULL;
	CLEANUP(naming) struct naming *naming = NULL;
	CLEANUP(call_tree) struct call_tree *paths = NULL;
	CLEANUP(map) struct map *index = NULL;
	CLEANUP(map) struct map *waker_index = NULL;
	struct waiting waiting = { .question = question };
	int r = question->dimension ? dimension_named(question->profile, question->dimension,
						      &waiting.only, err)
				    : 0;

	if (r < 0)
		return r;
	waiting.account = account = account_new(question);
	waiting.naming = naming = naming_new(question->profile);
	waiting.paths = paths = call_tree_new();
	waiting.index = index = map_new(sizeof(uint32_t));
	waiting.waker_index = waker_index = map_new(2 * sizeof(uint32_t));
	add_cells(&waiting);
	add_sections(&waiting, into);
	free(waiting.rows);
	free(waiting.wakers);
	return 0;
}

extern const struct analysis analysis_waits;
const struct analysis analysis_waits = {
	.name = "waits",
	.asks = "what was waited for longest, on which stack, and who ended it?",
	.run = waits_run,
};
