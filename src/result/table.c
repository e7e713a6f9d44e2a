/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of equal shape. Cells lie row by row in one array. A table stops growing at its limit and counts what it turned
 * away, so that every view can say so.
 */
#include "base/memory.h"
#include "result/document.h"
#include "result/value.h"

#include <assert.h>
#include <stdlib.h>

struct table *table_new(const struct column *columns, size_t column_count)
{
	struct table *table = xcalloc(1, sizeof(*table));

	assert(column_count > 0);
	table->columns = columns;
	table->column_count = column_count;
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		value_done(&table->cells[i]);
	free(table->cells);
	free(table);
}

static void row_free(const struct value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct value value = values[i];

		value_done(&value);
	}
}

void table_add(struct table *table, const struct value *values)
{
	struct value *row;

	if (table->row_count >= DOCUMENT_ROW_LIMIT) {
		row_free(values, table->column_count);
		table->rows_left_out++;
		return;
	}
	if (table->row_count == table->row_room) {
		table->row_room = table->row_room ? table->row_room * 2 : 8;
		table->cells = xreallocarray(table->cells, table->row_room, table->column_count * sizeof(*row));
	}
	row = table->cells + table->row_count++ * table->column_count;
	for (size_t i = 0; i < table->column_count; i++)
		row[i] = values[i];
}
