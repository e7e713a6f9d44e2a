/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value in few words. Nested records and tables become "name value · name value"; a nested table with a column that
 * people like to see as bars (a histogram) becomes "first ▁▃█▂ last".
 */
#include "view/text_cell.h"

#include "base/memory.h"
#include "base/cleanup.h"
#include "base/quantity.h"
#include "base/text.h"
#include "result/document.h"
#include "view/short_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_TEXT_LIMIT = 64 * 1024, SHORT_ROWS = 12, SPARK_ROWS = 64 };

bool value_is_number(const struct value *value)
{
	return value->kind == VALUE_INTEGER || value->kind == VALUE_NUMBER;
}

double value_as_number(const struct value *value)
{
	if (value->kind == VALUE_INTEGER)
		return (double)value->integer;
	return value->kind == VALUE_NUMBER ? value->number : NAN;
}

static void append_number(struct text *to, const struct value *value, const char *unit, unsigned hints)
{
	char quantity[QUANTITY_SIZE];
	bool raw = hints & (COLUMN_LEFT | COLUMN_CODE);

	if (value->kind == VALUE_INTEGER && (raw || !*unit))
		text_print(to, "%" PRId64, value->integer);
	else if (raw)
		text_print(to, "%.15g", value->number);
	else
		text_print(to, "%s", quantity_print(quantity, value_as_number(value), unit));
}

static void append_value(struct text *to, const struct value *value, const char *unit, unsigned hints);

static void append_record(struct text *to, const struct record *record)
{
	bool first = true;

	for (size_t i = 0; i < record->count; i++) {
		const struct field *field = &record->fields[i];

		if (field->hints & COLUMN_MACHINE)
			continue;
		text_print(to, "%s%s ", first ? "" : " · ", field->title);
		append_value(to, &field->value, field->unit, field->hints);
		first = false;
	}
}

/* "read 1.2 s"; of a histogram too short to draw, "below 1.05 ms: 320". */
static void append_row(struct text *to, const struct table *table, size_t row, bool histogram)
{
	bool first = true;

	for (size_t i = 0; i < table->column_count; i++) {
		const struct value *cell = &table->cells[row * table->column_count + i];

		if ((table->columns[i].hints & COLUMN_MACHINE) || cell->kind == VALUE_NONE)
			continue;
		if (histogram && first)
			text_print(to, "%s ", table->columns[i].title);
		else if (!first)
			text_print(to, histogram ? ": " : " ");
		append_value(to, cell, table->columns[i].unit, table->columns[i].hints);
		first = false;
	}
}

static const struct value *table_cell(const struct table *table, size_t row, size_t column)
{
	return &table->cells[row * table->column_count + column];
}

static void append_spark(struct text *to, const struct table *table, size_t column)
{
	static const char *const steps[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t last = table->row_count - 1;
	double most = 0;

	for (size_t row = 0; row < table->row_count; row++)
		most = fmax(most, value_as_number(table_cell(table, row, column)));
	append_value(to, table_cell(table, 0, 0), table->columns[0].unit, table->columns[0].hints);
	text_print(to, " ");
	for (size_t row = 0; row < table->row_count && row < SPARK_ROWS; row++) {
		double value = value_as_number(table_cell(table, row, column));

		text_print(to, "%s", value > 0 ? steps[1 + (int)(value / most * 7)] : steps[0]);
	}
	if (last && table_cell(table, last, 0)->kind == VALUE_NONE)
		last--;                  /* an open end says less than the last bound */
	text_print(to, " ");
	append_value(to, table_cell(table, last, 0), table->columns[0].unit, table->columns[0].hints);
}

static void append_table(struct text *to, const struct table *table)
{
	bool histogram = false;

	for (size_t i = 1; i < table->column_count && !histogram; i++) {
		histogram = (table->columns[i].hints & COLUMN_BAR) && !(table->columns[i].hints & COLUMN_HUMAN);
		if (histogram && table->row_count > 2) {
			append_spark(to, table, i);
			return;
		}
	}
	for (size_t row = 0; row < table->row_count && row < SHORT_ROWS; row++) {
		if (row)
			text_print(to, " · ");
		append_row(to, table, row, histogram);
	}
	if (table->row_count > SHORT_ROWS || table->rows_left_out)
		text_print(to, " · %" PRIu64 " more",
			   table->row_count - (table->row_count < SHORT_ROWS ? table->row_count : SHORT_ROWS) +
				   table->rows_left_out);
}

/* What stands left is a name, perhaps a function's. */
static void append_text(struct text *to, const char *text, unsigned hints)
{
	CLEANUP_TEXT char *name = hints & COLUMN_LEFT ? short_name(text) : NULL;

	text_append(to, name ? name : text, strlen(name ? name : text));
}

static void append_value(struct text *to, const struct value *value, const char *unit, unsigned hints)
{
	switch (value->kind) {
	case VALUE_NONE:
		text_print(to, "-");
		break;
	case VALUE_TEXT:
		append_text(to, value->text, hints);
		break;
	case VALUE_TRUTH:
		text_print(to, "%s", value->truth ? "yes" : "no");
		break;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
		append_number(to, value, unit, hints);
		break;
	case VALUE_RECORD:
		append_record(to, value->record);
		break;
	case VALUE_TABLE:
		append_table(to, value->table);
		break;
	}
}

char *cell_text(const struct value *value, const char *unit, unsigned hints)
{
	struct text text = TEXT(CELL_TEXT_LIMIT);

	append_value(&text, value, unit, hints);
	return text_take(&text);
}
