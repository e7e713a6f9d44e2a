/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Tables as profilers write them into JSON, read column by column. Two layouts are told apart by what is there:
 *
 *	{"stack": [1, 2], "time": [0.1, 0.2]}                             one array a column
 *	{"schema": {"stack": 0, "time": 1}, "data": [[1, 0.1], [2, 0.2]]} one array a row
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "format/json.h"

struct column { double *values; size_t count; };     /* NaN where there is no number */

struct column column_read(struct json_value table, const char *name);
void column_done(struct column *column);
static inline double column_at(const struct column *column, size_t row)
{
	return row < column->count ? column->values[row] : NAN;
}
/* As an index into a table; SIZE_MAX where it is none: absent, null, negative or a fraction. */
size_t column_index(const struct column *column, size_t row);

/* The longest column. */
size_t table_rows(struct json_value table);

/* Strings by index, decoded when asked for. */
struct string_table { const struct json *json; size_t *offsets; size_t count; };

struct string_table string_table_read(struct json_value array);
void string_table_done(struct string_table *table);
/* Absent beyond the end and where the element is no string. */
struct json_value string_table_at(const struct string_table *table, size_t index);
