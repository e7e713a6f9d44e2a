/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups are rows and states are columns, in the order of profile/dimension.c. A column that would
 * be zero throughout is kept for machines and left out for people. What no state of that table
 * holds (an import's own) is summed as "other". Classes are states themselves, so they get a table
 * of their own.
 */
#include "analysis/groups.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/grouping.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 50, STATE_LIMIT = 48, FIXED_COLUMNS = 4 };

struct group {
	uint32_t id;
	double threads, thread_ns;
	double busy_ns;                          /* all but idle: what the rows are sorted by */
	struct tally all;                        /* of every state */
	double states[STATE_LIMIT + 1];          /* by column; the last is "other" */
};

struct groups {
	const struct account *account;
	const struct grouping *by;
	const struct dimension_row *states[STATE_LIMIT];
	size_t state_count;
	size_t *column_of;                       /* by dimension: its state's column */
	struct group *rows;
	size_t count, room;
	struct map *index;
};

static void find_columns(struct groups *groups)
{
	const struct profile *profile = groups->account->profile;

	for (size_t i = 0; i < dimension_row_count && groups->state_count < STATE_LIMIT; i++)
		if (!dimension_rows[i].parent && dimension_is_state(dimension_rows[i].kind))
			groups->states[groups->state_count++] = &dimension_rows[i];
	groups->column_of = xcalloc(groups->account->count, sizeof(size_t));
	for (uint32_t i = 0; i < groups->account->count; i++) {
		struct dimension_id root =
			profile_dimension_root(profile, (struct dimension_id){ i });
		const char *name =
			profile_text(profile, profile_dimension_at(profile, root.index)->name);
		size_t column = 0;

		while (column < groups->state_count &&
		       strcmp(groups->states[column]->name, name) != 0)
			column++;
		groups->column_of[i] = column;
	}
}

static struct group *group_of(struct groups *groups, uint32_t id)
{
	bool added;
	uint32_t *at = map_put(groups->index, &id, &added);

	if (added) {
		*at = (uint32_t)groups->count;
		grow(groups->rows, groups->count, groups->room);
		groups->rows[groups->count++] = (struct group){ .id = id };
	}
	return &groups->rows[*at];
}

static void add_cell(struct groups *groups, const struct cell *cell)
{
	const struct profile *profile = groups->account->profile;
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct dimension_id id = profile_cell_dimension(profile, cell);
	struct dimension_id root = profile_dimension_root(profile, id);
	const struct dimension *state = profile_dimension_at(profile, root.index);
	double weight = cell_weight(cell);
	struct group *group;

	if (!id.index || !dimension_is_state(state->kind) ||
	    measure->role != account_role(groups->account, root))
		return;
	if (profile_thread_at(profile, cell->thread.index)->outside ||
	    !selection_has_cell(groups->account->question->selection, profile, cell))
		return;
	group = group_of(groups, groups->by->of_cell(profile, cell));
	group->states[groups->column_of[id.index]] += weight;
	group->busy_ns += state->kind == DIMENSION_IDLE ? 0 : weight;
	group->all.total += weight;
	group->all.count += (double)cell->count * (double)(1ull << (cell->p_log2 & 63));
	group->all.maximum = fmax(group->all.maximum, (double)cell->maximum);
	group->all.weighting = measure->weighting > group->all.weighting ? measure->weighting
									 : group->all.weighting;
}

static void add_threads(struct groups *groups)
{
	const struct profile *profile = groups->account->profile;
	const struct selection *selection = groups->account->question->selection;

	for (uint32_t i = 1; i < profile_thread_count(profile) && groups->by->of_thread; i++) {
		const struct thread *thread = profile_thread_at(profile, i);
		struct group *group;

		if (thread->outside || !selection_has_thread(selection, profile, thread))
			continue;
		group = group_of(groups, groups->by->of_thread(profile, i));
		group->threads++;
		group->thread_ns += (double)selection_lifetime_ns(selection, profile, thread);
	}
}

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->busy_ns != b->busy_ns)
		return a->busy_ns > b->busy_ns ? -1 : 1;
	if (a->all.total != b->all.total)
		return a->all.total > b->all.total ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

/* Columns must outlive the document: one set per combination of states that are all zero, made
 * once and kept. */
struct column_set {
	uint64_t empty;
	struct column columns[FIXED_COLUMNS + STATE_LIMIT + 1];
	struct column_set *next;
};

static const struct column *columns_for(const struct groups *groups, uint64_t empty)
{
	static struct column_set *sets;
	struct column_set *set;

	for (set = sets; set; set = set->next)
		if (set->empty == empty)
			return set->columns;
	set = xcalloc(1, sizeof(*set));
	set->empty = empty;
	set->columns[0] = (struct column){ "group", "group", "", COLUMN_LEFT };
	set->columns[1] = (struct column){ "threads", "threads", "count", 0 };
	set->columns[2] = (struct column){ "thread_ns", "thread time", "ns", 0 };
	set->columns[3] =
		(struct column){ "busy_per_completion_ns", "per completion", "ns", 0 };
	for (size_t i = 0; i <= groups->state_count; i++) {
		const char *name = i < groups->state_count ? groups->states[i]->name : "other";

		set->columns[FIXED_COLUMNS + i] =
			(struct column){ name, name, "ns",
					 empty & (1ull << i) ? COLUMN_MACHINE : 0 };
	}
	set->next = sets;
	sets = set;
	return set->columns;
}

static uint64_t empty_columns(const struct groups *groups)
{
	uint64_t empty = 0;

	for (size_t column = 0; column <= groups->state_count; column++) {
		bool any = false;

		for (size_t i = 0; i < groups->count; i++)
			any |= groups->rows[i].states[column] > 0;
		empty |= any ? 0 : 1ull << column;
	}
	return empty;
}

static struct table *states_table(const struct groups *groups, size_t most)
{
	size_t column_count = FIXED_COLUMNS + groups->state_count + 1;
	struct table *table = table_new(columns_for(groups, empty_columns(groups)), column_count);
	struct value values[FIXED_COLUMNS + STATE_LIMIT + 1];
	char name[GROUPING_NAME_SIZE];

	for (size_t i = 0; i < groups->count && i < most; i++) {
		const struct group *group = &groups->rows[i];

		groups->by->print(groups->account->profile, group->id, name, sizeof(name));
		values[0] = value_text(name);
		values[1] = figure_whole(group->threads);
		values[2] = group->thread_ns > 0 ? figure_whole(group->thread_ns) : value_none();
		values[3] = figure(account_per_completion(groups->account, group->busy_ns));
		for (size_t column = 0; column <= groups->state_count; column++)
			values[FIXED_COLUMNS + column] = figure_whole(group->states[column]);
		table_add(table, values);
	}
	return table;
}

static const struct column class_columns[] = {
	{ "group", "class", "", COLUMN_LEFT },
	{ "kind", "kind", "", COLUMN_MACHINE },
	{ "total", "total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "count", "count", "count", 0 },
	{ "mean", "mean", "ns", 0 },
	{ "maximum", "longest", "ns", 0 },
	{ "measured", "measured", "", 0 },
};

static struct table *classes_table(const struct groups *groups, size_t most)
{
	struct table *table = table_new(class_columns, ARRAY_LENGTH(class_columns));
	const struct account *account = groups->account;
	double all = account->thread_ns > 0 ? account->thread_ns : account->accounted_ns;
	char name[GROUPING_NAME_SIZE];

	for (size_t i = 0; i < groups->count && i < most; i++) {
		const struct group *group = &groups->rows[i];
		const struct tally *tally = &group->all;

		groups->by->print(account->profile, group->id, name, sizeof(name));
		table_add(
			table,
			(struct value[]){
				value_text(name),
				value_text(dimension_kind_name(
					profile_dimension_at(account->profile, group->id)->kind)),
				figure_whole(tally->total),
				figure(all > 0 ? tally->total / all : NAN),
				figure(account_per_completion(account, tally->total)),
				figure_whole(tally->count),
				figure(tally->count > 0 ? tally->total / tally->count : NAN),
				tally->maximum > 0 ? figure_whole(tally->maximum) : value_none(),
				value_text(weighting_name(tally->weighting)),
			});
	}
	return table;
}

int groups_add(const struct question *question, const struct account *account,
	       struct document *into, struct error *err)
{
	struct groups groups = { .account = account, .by = grouping_find(question->by, err) };
	size_t most = question->most ? question->most : ROWS_MOST;
	CLEANUP_TEXT char *title = NULL;

	if (!groups.by)
		return err->code;
	groups.index = map_new(sizeof(uint32_t));
	find_columns(&groups);
	for (size_t i = 0; i < profile_cell_count(question->profile); i++)
		add_cell(&groups, profile_cell_at(question->profile, i));
	add_threads(&groups);
	if (groups.count)
		qsort(groups.rows, groups.count, sizeof(*groups.rows), compare_groups);
	title = groups.count > most ? xasprintf("By %s: the busiest %zu of %zu", groups.by->title,
						most, groups.count)
				    : xasprintf("By %s", groups.by->title);
	(void)document_add_table(into, "groups", title,
				 groups.by->of_thread ? states_table(&groups, most)
						      : classes_table(&groups, most));
	free(groups.column_of);
	free(groups.rows);
	map_free(groups.index);
	return 0;
}
