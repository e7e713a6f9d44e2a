/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where did the threads' time go? Every state is listed in the order of profile/dimension.c, also
 * those that took none: that a capture saw no lock wait is an answer. Then come states and amounts
 * that only this profile has. The time of parts that only samples tell apart (user and kernel) is
 * the exact total, divided in the samples' ratio.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/groups.h"
#include "analysis/provenance.h"
#include "analysis/request_latency.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct column dimension_columns[] = {
	{ "name", "state", "", 0 },
	{ "kind", "kind", "", COLUMN_MACHINE },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "total", "total", "", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "", 0 },
	{ "count", "count", "count", 0 },
	{ "maximum", "longest", "", 0 },
	{ "measured", "measured", "", 0 },
	{ "parts", "parts", "", 0 },
	{ "histogram", "lengths", "", 0 },
};

static const struct column part_columns[] = {
	{ "name", "part", "", 0 },
	{ "total", "total", "", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "", COLUMN_HUMAN },
	{ "count", "count", "count", 0 },
	{ "measured", "measured", "", 0 },
};

static const struct column histogram_columns[] = {
	{ "below_ns", "below", "ns", 0 },
	{ "count", "count", "count", COLUMN_BAR },
	{ "total", "total", "ns", COLUMN_MACHINE },
};

static double share_of(const struct account *account, enum dimension_kind kind, double total)
{
	double all = account->thread_ns > 0 ? account->thread_ns : account->accounted_ns;

	return dimension_is_state(kind) && all > 0 ? total / all : NAN;
}

static double per_completion(const struct account *account, uint32_t dimension, double total)
{
	bool is_held = dimension && account_is_held(account, (struct dimension_id){ dimension });

	return is_held ? NAN : account_per_completion(account, total);
}

static void add_part(const struct account *account, uint32_t part, struct table *table)
{
	struct tally tally = account_part(account, (struct dimension_id){ part });
	const struct dimension *dimension = profile_dimension_at(account->profile, part);

	if (!tally.weighting)
		return;
	table_add(table, (struct value[]){
		value_text(profile_text(account->profile, dimension->name)),
		figure_whole(tally.total),
		figure(share_of(account, dimension->kind, tally.total)),
		figure(per_completion(account, part, tally.total)),
		tally.count > 0 || tally.total <= 0 ? figure_whole(tally.count) : value_none(),
		value_text(weighting_name(tally.weighting)),
	});
}

/* The parts that took some time, in the order of the rows, then those that only this profile has.
 * */
static struct table *parts_of(const struct account *account, uint32_t state)
{
	struct table *table = table_new(part_columns, ARRAY_LENGTH(part_columns));
	const struct profile *profile = account->profile;
	const char *name = profile_text(profile, profile_dimension_at(profile, state)->name);
	bool *done = xcalloc(account->count, sizeof(bool));

	for (size_t i = 0; i < dimension_row_count && state; i++) {
		const struct dimension_row *row = &dimension_rows[i];
		struct dimension_id id;

		if (!row->parent || strcmp(row->parent, name) != 0)
			continue;
		id = profile_dimension_find(profile, name, row->name);
		if (id.index)
			add_part(account, id.index, table);
		done[id.index] = true;
	}
	for (uint32_t i = 1; i < account->count && state; i++)
		if (!done[i] && profile_dimension_at(profile, i)->parent.index == state)
			add_part(account, i, table);
	free(done);
	return table;
}

/* From the first length seen to the last, with the empty ones between, so that it can be drawn as
 * it is. */
static struct table *histogram_of(const struct account *account, uint32_t state)
{
	struct table *table = table_new(histogram_columns, ARRAY_LENGTH(histogram_columns));
	const struct bucket *buckets = account->lengths[state];
	int first = 0, last = ACCOUNT_BUCKETS - 1;

	while (first < ACCOUNT_BUCKETS && buckets[first].count <= 0)
		first++;
	while (last >= 0 && buckets[last].count <= 0)
		last--;
	for (int i = first; i <= last; i++)
		table_add(table, (struct value[]){
			figure_whole(ldexp(1, i + 1)),
			figure_whole(buckets[i].count),
			figure_whole(buckets[i].total),
		});
	return table;
}

/* State 0 is one that the profile never met. */
static void add_dimension(const struct account *account, uint32_t state, const char *name,
			  const char *unit, enum dimension_kind kind, struct table *table)
{
	struct tally tally = state ? account_state(account, (struct dimension_id){ state })
				   : (struct tally){ 0 };
	bool unknown_maximum = tally.count > 0 && tally.maximum <= 0;

	table_add(table, (struct value[]){
		value_text(name),
		value_text(dimension_kind_name(kind)),
		value_text(unit),
		figure_whole(tally.total),
		figure(share_of(account, kind, tally.total)),
		figure(per_completion(account, state, tally.total)),
		figure_whole(tally.count),
		unknown_maximum ? value_none() : figure_whole(tally.maximum),
		value_text(weighting_name(tally.weighting)),
		value_table(parts_of(account, state)),
		value_table(histogram_of(account, state)),
	});
}

static void add_own_dimensions(const struct account *account, const bool *done, bool states,
			       struct table *table)
{
	for (uint32_t i = 1; i < account->count; i++) {
		const struct dimension *dimension = profile_dimension_at(account->profile, i);
		struct tally tally;

		if (done[i] || dimension->parent.index ||
		    dimension_is_state(dimension->kind) != states)
			continue;
		tally = account_state(account, (struct dimension_id){ i });
		if (!states || tally.weighting)
			add_dimension(account, i, profile_text(account->profile, dimension->name),
				      profile_text(account->profile, dimension->unit),
				      dimension->kind, table);
	}
}

/* An import without a ledger shows what it has: that it has no lock waits would say nothing. */
static struct table *dimensions_of(const struct account *account)
{
	struct table *table = table_new(dimension_columns, ARRAY_LENGTH(dimension_columns));
	bool *done = xcalloc(account->count, sizeof(bool));

	for (size_t i = 0; i < dimension_row_count && account->is_ledger; i++) {
		const struct dimension_row *row = &dimension_rows[i];
		struct dimension_id id = profile_dimension_find(account->profile, NULL, row->name);

		if (row->parent || !dimension_is_state(row->kind))
			continue;
		add_dimension(account, id.index, row->name, row->unit, row->kind, table);
		done[id.index] = true;
	}
	add_own_dimensions(account, done, true, table);
	add_own_dimensions(account, done, false, table);
	free(done);
	return table;
}

static int ledger_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);

	provenance_add(question, account, into);
	(void)document_add_table(into, "dimensions", "Where the time went", dimensions_of(account));
	request_latency_add(question, into);
	return question->by ? groups_add(question, account, into, err) : 0;
}

extern const struct analysis analysis_ledger;
const struct analysis analysis_ledger = {
	.name = "ledger",
	.asks = "where did the threads' time go, in all and per correct completion?",
	.run = ledger_run,
};
