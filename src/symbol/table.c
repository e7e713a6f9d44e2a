/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions may nest and overlap (assembly with inner labels, aliases of different size), so building cuts them into
 * pieces that do not:
 *
 *	outer  |----------------|             |--outer--|-inner-|-outer-|
 *	inner            |------|--|   ──▶
 *
 * One sweep over the functions in order of their start, with a stack of those that are still open, gives the pieces
 * sorted; a question is then one binary search, whatever a hostile file holds.
 */
#include "symbol/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { COMPARED_BYTES = 4096 };                      /* of two names for one stretch: a hostile file has long ones */

struct piece {
	uint64_t start, end;
	const char *name;
};

struct symbol_table {
	struct symbol_function *functions;           /* until the table is built */
	size_t function_count, function_room, added, dropped;
	struct piece *pieces;
	size_t piece_count, piece_room;
	struct symbol_function *labels;              /* functions without a size, by address once built */
	size_t label_count, label_room;
	char *names;                                 /* NULL: they are borrowed */
	size_t name_bytes;
	bool built;
};

struct symbol_table *symbol_table_new(void)
{
	return xcalloc(1, sizeof(struct symbol_table));
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	free(table->functions);
	free(table->pieces);
	free(table->labels);
	free(table->names);
	free(table);
}

void symbol_table_add(struct symbol_table *table, const struct symbol_function *function)
{
	assert(!table->built);
	if (function->end < function->start || !function->name || !function->name[0])
		return;
	if (table->function_count + table->label_count >= SYMBOL_TABLE_LIMIT) {
		table->dropped++;
		return;
	}
	if (function->end == function->start) {
		grow(table->labels, table->label_count, table->label_room);
		table->labels[table->label_count++] = *function;
		return;
	}
	grow(table->functions, table->function_count, table->function_room);
	table->functions[table->function_count++] = *function;
	table->added++;
}

static int compare_names(const struct symbol_function *a, const struct symbol_function *b)
{
	size_t a_size = strnlen(a->name, COMPARED_BYTES), b_size = strnlen(b->name, COMPARED_BYTES);

	if (a->global != b->global)
		return a->global ? -1 : 1;
	if (a_size != b_size)
		return a_size < b_size ? -1 : 1;
	return strncmp(a->name, b->name, COMPARED_BYTES);
}

/* By start; of those, the longer first, so that the inner one is met later; of equals, the preferred name first. */
static int compare_functions(const void *left, const void *right)
{
	const struct symbol_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return compare_names(a, b);
}

static size_t drop_equals(struct symbol_function *functions, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!kept || functions[kept - 1].start != functions[i].start || functions[kept - 1].end != functions[i].end)
			functions[kept++] = functions[i];
	return kept;
}

struct sweep {
	const struct symbol_function **open;         /* the innermost last */
	size_t depth;
	uint64_t at;                                 /* all below is cut */
};

static void cut_piece(struct symbol_table *table, struct sweep *sweep, uint64_t end)
{
	const struct symbol_function *top = sweep->open[sweep->depth - 1];

	if (end <= sweep->at)
		return;
	grow(table->pieces, table->piece_count, table->piece_room);
	table->pieces[table->piece_count++] = (struct piece){ .start = sweep->at, .end = end, .name = top->name };
	sweep->at = end;
}

static void close_until(struct symbol_table *table, struct sweep *sweep, uint64_t address)
{
	while (sweep->depth && sweep->open[sweep->depth - 1]->end <= address) {
		cut_piece(table, sweep, sweep->open[sweep->depth - 1]->end);
		sweep->depth--;
	}
	if (sweep->depth)
		cut_piece(table, sweep, address);
	sweep->at = address;
}

void symbol_table_build(struct symbol_table *table)
{
	struct sweep sweep = { 0 };
	size_t count;

	assert(!table->built);
	table->built = true;
	if (table->label_count)
		qsort(table->labels, table->label_count, sizeof(*table->labels), compare_functions);
	if (!table->function_count)
		return;
	qsort(table->functions, table->function_count, sizeof(*table->functions), compare_functions);
	count = drop_equals(table->functions, table->function_count);
	sweep.open = xreallocarray(NULL, count, sizeof(*sweep.open));
	for (size_t i = 0; i < count; i++) {
		close_until(table, &sweep, table->functions[i].start);
		sweep.open[sweep.depth++] = &table->functions[i];
	}
	close_until(table, &sweep, UINT64_MAX);
	free(sweep.open);
	free(table->functions);
	table->functions = NULL;
	table->function_count = table->function_room = 0;
}

static const char *copy_name(struct symbol_table *table, const char *name, size_t longest)
{
	char *copy = table->names + table->name_bytes;
	size_t size = strnlen(name, longest);

	memcpy(copy, name, size);
	copy[size] = '\0';
	table->name_bytes += size + 1;
	return copy;
}

/* What an inner function cut in two has the same name on both sides: most pieces have one of their own. */
void symbol_table_own_names(struct symbol_table *table, size_t longest)
{
	size_t bytes = 0;

	assert(table->built && !table->names);
	for (size_t i = 0; i < table->piece_count; i++)
		bytes += strnlen(table->pieces[i].name, longest) + 1;
	for (size_t i = 0; i < table->label_count; i++)
		bytes += strnlen(table->labels[i].name, longest) + 1;
	table->names = xmalloc(bytes);
	for (size_t i = 0; i < table->piece_count; i++)
		table->pieces[i].name = copy_name(table, table->pieces[i].name, longest);
	for (size_t i = 0; i < table->label_count; i++)
		table->labels[i].name = copy_name(table, table->labels[i].name, longest);
	table->piece_room = table->piece_count;
	table->pieces = xreallocarray(table->pieces, table->piece_room, sizeof(*table->pieces));
}

static const struct piece *find(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->piece_count;

	assert(table->built);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->pieces[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->piece_count || table->pieces[low].start > address)
		return NULL;
	return &table->pieces[low];
}

const char *symbol_table_name(const struct symbol_table *table, uint64_t address)
{
	const struct piece *piece = find(table, address);

	return piece ? piece->name : NULL;
}

const char *symbol_table_label(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->label_count;

	assert(table->built);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->labels[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->label_count && table->labels[low].start == address ? table->labels[low].name : NULL;
}

bool symbol_table_stretch(const struct symbol_table *table, uint64_t address, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct piece *piece = find(table, address);

	if (!piece)
		return false;
	*ret_start = piece->start;
	*ret_end = piece->end;
	return true;
}

size_t symbol_table_count(const struct symbol_table *table)
{
	return table->added;
}

size_t symbol_table_dropped(const struct symbol_table *table)
{
	return table->dropped;
}

size_t symbol_table_bytes(const struct symbol_table *table)
{
	return (table->function_room + table->label_room) * sizeof(*table->functions) +
	       table->piece_room * sizeof(*table->pieces) + table->name_bytes;
}
