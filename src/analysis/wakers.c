/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who made whom runnable? Of each wait whose stack was taken it is known who ended it and in which context: a thread, or an
 * interrupt, under which whoever ran is a bystander and is not named. Where stacks of wakers were captured, waits of one waker
 * are told apart by where it was; they were taken of the same waits, so one probability holds for both.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 20, STACK_NAMES_MOST = 32, CONTEXTS = 4 };

struct waking { uint32_t waker, context, woken, class, stack; double wakes, wait_ns; };

struct wakings {
	const struct question *question;
	struct naming *naming;
	struct map *index;                   /* the first five of struct waking to row plus 1 */
	struct waking *rows;
	size_t count, room;
	struct dimension_id only;
	double wait_ns, context_ns[CONTEXTS], context_wakes[CONTEXTS];
	bool has_stacks;
};

static const char *const contexts[CONTEXTS] = {
	[WAKE_UNSEEN] = "unseen", [WAKE_TASK] = "task", [WAKE_SOFTIRQ] = "softirq", [WAKE_HARDIRQ] = "interrupt",
};

static bool is_wanted(const struct wakings *wakings, const struct cell *cell)
{
	const struct profile *profile = wakings->question->profile;
	struct dimension_id class = profile_cell_dimension(profile, cell);
	enum dimension_kind kind = profile_dimension_at(profile, profile_dimension_root(profile, class).index)->kind;

	if (profile_measure_at(profile, cell->measure.index)->role != ROLE_SPLIT || !cell->evidence.index)
		return false;
	if (kind != DIMENSION_WAITING && !(wakings->question->dimension && kind == DIMENSION_IDLE))
		return false;
	return (!wakings->only.index || dimension_is_below(profile, class, wakings->only)) &&
	       selection_has_cell(wakings->question->selection, profile, cell);
}

static const char *waker_of(const struct profile *profile, const struct cell *cell, uint32_t context)
{
	if (context != WAKE_TASK)
		return context == WAKE_UNSEEN ? "[unseen]" : context == WAKE_SOFTIRQ ? "[softirq]" : "[interrupt]";
	return cell->other.index ? profile_text(profile, profile_thread_at(profile, cell->other.index)->comm) : "[unknown]";
}

static void add(struct wakings *wakings, const struct cell *cell)
{
	const struct profile *profile = wakings->question->profile;
	uint32_t context = profile_evidence_at(profile, cell->evidence.index)->seen.wake_context % CONTEXTS;
	char class[DIMENSION_PATH_SIZE];
	uint32_t key[5] = {
		naming_put(wakings->naming, waker_of(profile, cell, context)), context,
		naming_put(wakings->naming, profile_text(profile, profile_thread_at(profile, cell->thread.index)->comm)),
		naming_put(wakings->naming, dimension_path(profile, profile_cell_dimension(profile, cell), class)),
		cell->other_stack.index };
	uint32_t *at = map_put(wakings->index, key, NULL);
	double wakes = (double)cell->count * (double)(1ull << (cell->p_log2 & 63));
	struct waking *row;

	if (!*at) {
		grow(wakings->rows, wakings->count, wakings->room);
		wakings->rows[wakings->count++] = (struct waking){ key[0], key[1], key[2], key[3], key[4], 0, 0 };
		*at = (uint32_t)wakings->count;
	}
	row = &wakings->rows[*at - 1];
	row->wakes += wakes;
	row->wait_ns += cell_weight(cell);
	wakings->wait_ns += cell_weight(cell);
	wakings->context_ns[context] += cell_weight(cell);
	wakings->context_wakes[context] += wakes;
	wakings->has_stacks |= cell->other_stack.index != 0;
}

static int compare(const void *left, const void *right)
{
	const struct waking *a = left, *b = right;

	return a->wait_ns != b->wait_ns ? (a->wait_ns > b->wait_ns ? -1 : 1) : 0;
}

static const struct column context_columns[] = {
	{ "context", "context", "", COLUMN_LEFT },
	{ "wakes", "wakes", "count", 0 },
	{ "wait", "wait ended", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_BAR },
};

static struct table *contexts_of(const struct wakings *wakings)
{
	struct table *table = table_new(context_columns, ARRAY_LENGTH(context_columns));

	for (unsigned i = 0; i < CONTEXTS; i++)
		if (wakings->context_wakes[i] > 0)
			table_add(table, (struct value[]){
				value_text(contexts[i]), figure_whole(wakings->context_wakes[i]), figure(wakings->context_ns[i]),
				figure(wakings->wait_ns > 0 ? wakings->context_ns[i] / wakings->wait_ns : NAN) });
	return table;
}

static const struct column waking_columns[] = {
	{ "waker", "waker", "", COLUMN_LEFT },
	{ "context", "context", "", COLUMN_LEFT },
	{ "woken", "woken", "", COLUMN_LEFT },
	{ "class", "from", "", COLUMN_LEFT },
	{ "wakes", "wakes", "count", 0 },
	{ "wait", "wait ended", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_BAR },
	{ "measured", "measured", "", 0 },
	{ "stack", "waker's stack", "", COLUMN_CODE },
};

static void add_row(const struct wakings *wakings, const struct waking *row, struct table *table)
{
	CLEANUP_TEXT char *stack =
		row->stack ? naming_line(wakings->naming, (struct stack_id){ row->stack }, STACK_NAMES_MOST) : NULL;

	table_add(table, (struct value[]){
		value_text(naming_text(wakings->naming, row->waker)), value_text(contexts[row->context]),
		value_text(naming_text(wakings->naming, row->woken)), value_text(naming_text(wakings->naming, row->class)),
		figure_whole(row->wakes), figure(row->wait_ns),
		figure(wakings->wait_ns > 0 ? row->wait_ns / wakings->wait_ns : NAN), value_text("sampled"),
		stack ? value_text(stack) : value_none() });
}

static int wakers_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(naming) struct naming *naming = naming_new(question->profile);
	CLEANUP(map) struct map *index = map_new(5 * sizeof(uint32_t));
	struct wakings wakings = { .question = question, .naming = naming, .index = index };
	struct table *table;
	size_t most = question->most ? question->most : ROWS_MOST;
	int r = question->dimension ? dimension_named(question->profile, question->dimension, &wakings.only, err) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < profile_cell_count(question->profile); i++)
		if (is_wanted(&wakings, profile_cell_at(question->profile, i)))
			add(&wakings, profile_cell_at(question->profile, i));
	if (wakings.count)
		qsort(wakings.rows, wakings.count, sizeof(*wakings.rows), compare);
	table = table_new(waking_columns, ARRAY_LENGTH(waking_columns));
	for (size_t i = 0; i < wakings.count && i < most; i++)
		add_row(&wakings, &wakings.rows[i], table);
	table->rows_left_out += wakings.count > most ? wakings.count - most : 0;
	(void)document_add_table(into, "contexts", "Wake-ups by context: sampled", contexts_of(&wakings));
	(void)document_add_table(into, "wakers", "Who made whom runnable: sampled", table);
	if (wakings.count && !wakings.has_stacks)
		document_add_finding(into, SEVERITY_NOTE, "stacks of wakers were not captured (crosscut record --with wakers)");
	free(wakings.rows);
	return 0;
}

extern const struct analysis analysis_wakers;
const struct analysis analysis_wakers = {
	.name = "wakers",
	.asks = "who made whom runnable, in which context, and on which stack?",
	.run = wakers_run,
};
