/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are small numbers, so a row per name is an array. A recursive function counts once per
 * stack: each row remembers the stack that it was counted for last.
 */
#include "analysis/functions.h"

#include "analysis/account.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/memory.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct function {
	double exclusive, inclusive, compiled;      /* compiled: exclusive, with what was inlined */
	uint64_t events, last;
	uint32_t name;
};

struct functions {
	struct function *rows;               /* by name */
	size_t room;
	uint64_t stacks;                     /* added so far */
	double total;
};

struct functions *functions_new(void)
{
	return xcalloc(1, sizeof(struct functions));
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	free(functions->rows);
	free(functions);
}

static struct function *function_of(struct functions *functions, uint32_t name)
{
	size_t room = functions->room ? functions->room : 256;

	while (room <= name)
		room *= 2;
	if (room > functions->room) {
		functions->rows = xreallocarray(functions->rows, room, sizeof(*functions->rows));
		memset(functions->rows + functions->room, 0,
		       (room - functions->room) * sizeof(*functions->rows));
		functions->room = room;
	}
	functions->rows[name].name = name;
	return &functions->rows[name];
}

void functions_add(struct functions *functions, const uint32_t *path, size_t count, double weight,
		   uint64_t events)
{
	functions->stacks++;
	functions->total += weight;
	for (size_t i = 0; i < count; i++) {
		struct function *function = function_of(functions, path[i]);

		if (function->last != functions->stacks) {
			function->inclusive += weight;
			function->events += events;
		}
		function->last = functions->stacks;
		function->exclusive += i == count - 1 ? weight : 0;
	}
}

void functions_add_compiled(struct functions *functions, uint32_t name, double weight)
{
	function_of(functions, name)->compiled += weight;
}

size_t functions_count(const struct functions *functions)
{
	size_t count = 0;

	for (size_t i = 0; i < functions->room; i++)
		count += functions->rows[i].last != 0;
	return count;
}

static int compare_functions(const struct function *a, const struct function *b, bool by_exclusive)
{
	double left = by_exclusive ? a->exclusive : a->inclusive,
	       right = by_exclusive ? b->exclusive : b->inclusive;

	if (left != right)
		return left > right ? -1 : 1;
	left = by_exclusive ? a->inclusive : a->exclusive;
	right = by_exclusive ? b->inclusive : b->exclusive;
	if (left != right)
		return left > right ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int compare_exclusive(const void *left, const void *right)
{
	return compare_functions(*(const struct function *const *)left,
				 *(const struct function *const *)right, true);
}

static int compare_inclusive(const void *left, const void *right)
{
	return compare_functions(*(const struct function *const *)left,
				 *(const struct function *const *)right, false);
}

static const struct column function_columns[] = {
	{ "function", "function", "", COLUMN_LEFT },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "exclusive", "exclusive", "", 0 },
	{ "exclusive_share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "inclusive", "inclusive", "", 0 },
	{ "inclusive_share", "share", "fraction", COLUMN_HUMAN },
	{ "exclusive_per_completion", "exclusive per completion", "", 0 },
	{ "per_completion", "per completion", "", COLUMN_MACHINE },
	{ "count", "samples", "count", 0 },
	{ "measured", "measured", "", COLUMN_MACHINE },
};

static void add_row(const struct functions *functions, const struct function *function,
		    const struct naming *naming, const struct account *account, const char *unit,
		    const char *measured, struct table *table)
{
	table_add(table, (struct value[]){
		value_text(naming_text(naming, function->name)),
		value_text(unit),
		figure(function->exclusive),
		figure(function->exclusive / functions->total),
		figure(function->inclusive),
		figure(function->inclusive / functions->total),
		figure(account_per_completion(account, function->exclusive)),
		figure(account_per_completion(account, function->inclusive)),
		value_integer((int64_t)function->events),
		value_text(measured),
	});
}

struct table *functions_table(struct functions *functions, const struct naming *naming,
			      const struct account *account, const char *unit, const char *measured,
			      bool by_exclusive, size_t most)
{
	struct table *table = table_new(function_columns, ARRAY_LENGTH(function_columns));
	const struct function **sorted = xcalloc(functions->room + 1, sizeof(*sorted));
	size_t count = 0;

	for (size_t i = 0; i < functions->room; i++)
		if (functions->rows[i].last)
			sorted[count++] = &functions->rows[i];
	qsort(sorted, count, sizeof(*sorted), by_exclusive ? compare_exclusive : compare_inclusive);
	for (size_t i = 0; i < count && i < most; i++)
		add_row(functions, sorted[i], naming, account, unit, measured, table);
	free(sorted);
	return table;
}

struct record *functions_widest(const struct functions *functions, const struct naming *naming,
				const struct account *account, const char *unit)
{
	const struct function *widest = NULL;
	struct record *record;

	for (size_t i = 0; i < functions->room; i++) {
		const struct function *row = &functions->rows[i];

		if (row->last && row->compiled >= 0.1 * row->inclusive &&
		    naming_text(naming, row->name)[0] != '[' &&
		    (!widest || compare_functions(row, widest, false) < 0))
			widest = row;
	}
	if (!widest)
		return NULL;
	record = record_new();
	record_add_hinted(record, "function", "function", "", COLUMN_CODE,
			  value_text(naming_text(naming, widest->name)));
	record_add(record, "inclusive", "inclusive", unit, figure(widest->inclusive));
	record_add(record, "exclusive", "exclusive", unit, figure(widest->compiled));
	record_add(record, "per_completion", "per completion", unit,
		   figure(account_per_completion(account, widest->inclusive)));
	return record;
}
