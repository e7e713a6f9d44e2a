/* SPDX-License-Identifier: Apache-2.0 */
/* Columns out of both layouts. What a column costs is its numbers: the text of each has at least two bytes. */
#include "format/json_table.h"

#include "base/memory.h"

#include <stdlib.h>

static bool is_by_rows(struct json_value table)
{
	return json_get(table, "data").kind == JSON_ARRAY && json_get(table, "schema").kind == JSON_OBJECT;
}

size_t table_rows(struct json_value table)
{
	size_t rows = 0;

	if (is_by_rows(table))
		return json_count(json_get(table, "data"));
	for (struct json_items items = json_items(table); table.kind == JSON_OBJECT && json_next(&items);)
		if (json_count(items.value) > rows && items.value.kind == JSON_ARRAY)
			rows = json_count(items.value);
	return rows;
}

struct column column_read(struct json_value table, const char *name)
{
	bool by_rows = is_by_rows(table);
	int64_t index = by_rows ? json_whole(json_path(table, "schema", name, NULL), -1) : 0;
	struct json_value values = json_get(table, by_rows ? "data" : name);
	struct json_items items = json_items(values);
	struct column column = { 0 };

	if (values.kind != JSON_ARRAY || index < 0)
		return column;
	column.values = xcalloc(json_count(values) + 1, sizeof(*column.values));
	while (json_next(&items))
		column.values[column.count++] =
			json_double(by_rows ? json_at(items.value, (size_t)index) : items.value, NAN);
	return column;
}

void column_done(struct column *column)
{
	free(column->values);
	*column = (struct column){ 0 };
}

size_t column_index(const struct column *column, size_t row)
{
	double value = column_at(column, row);

	return value >= 0 && value < UINT32_MAX && value == floor(value) ? (size_t)value : SIZE_MAX;
}

struct string_table string_table_read(struct json_value array)
{
	struct json_items items = json_items(array);
	struct string_table table = { .json = array.json };

	if (array.kind != JSON_ARRAY)
		return table;
	table.offsets = xcalloc(json_count(array) + 1, sizeof(*table.offsets));
	while (json_next(&items))
		table.offsets[table.count++] = items.value.kind == JSON_STRING ? items.value.offset : SIZE_MAX;
	return table;
}

void string_table_done(struct string_table *table)
{
	free(table->offsets);
	*table = (struct string_table){ 0 };
}

struct json_value string_table_at(const struct string_table *table, size_t index)
{
	if (index >= table->count || table->offsets[index] == SIZE_MAX)
		return (struct json_value){ 0 };
	return (struct json_value){ table->json, table->offsets[index], JSON_NO_NODE, JSON_STRING };
}
