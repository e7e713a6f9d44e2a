/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything is measured first, so that columns are as narrow as their widest cell. When that is still too wide, texts
 * give way before numbers: long ones go below their row, the first column is cut, and only then columns are dropped,
 * from the right, and counted.
 */
#include "view/text_layout.h"

#include "base/cleanup.h"
#include "result/document.h"
#include "view/text_cell.h"
#include "view/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { TALL_WIDTH = 36, WRAP_WIDTH_LEAST = 24, FIRST_WIDTH_LEAST = 16, BAR_WIDTH_LEAST = 5, BAR_WIDTH_MOST = 20 };

static size_t column_find(const struct table *table, const char *key)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (!strcmp(table->columns[i].key, key))
			return i;
	}
	return SIZE_MAX;
}

static const char *row_unit(const struct table *table, size_t row)
{
	size_t column = column_find(table, "unit");
	const struct value *cell = column == SIZE_MAX ? NULL : &table->cells[row * table->column_count + column];

	return cell && cell->kind == VALUE_TEXT ? cell->text : "";
}

struct layout_row layout_row(const struct table *table, size_t row)
{
	return (struct layout_row){ .table = table, .row = row, .unit = row_unit(table, row) };
}

struct layout_row layout_part(const struct layout_row *of, const struct table *table, size_t row)
{
	const char *unit = row_unit(table, row);

	return (struct layout_row){
		.table = table,
		.row = row,
		.unit = *unit ? unit : of->unit,
		.indent = of->indent + LAYOUT_PART_INDENT,
	};
}

const struct value *layout_cell(const struct layout_row *row, const struct column *column, const char **ret_unit)
{
	size_t at = column_find(row->table, column->key);
	const struct column *own;

	*ret_unit = "";
	if (at == SIZE_MAX)
		return NULL;
	own = &row->table->columns[at];
	*ret_unit = *own->unit || (own->hints & COLUMN_LEFT) ? own->unit : row->unit;
	return &row->table->cells[row->row * row->table->column_count + at];
}

/* What the cells of a column are: the first that holds anything says it. */
static enum value_kind column_kind(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++) {
		enum value_kind kind = table->cells[row * table->column_count + column].kind;

		if (kind != VALUE_NONE)
			return kind;
	}
	return VALUE_NONE;
}

/* Numbers take their unit from the row, so that the column "unit" would only repeat it. */
static bool rows_scale(const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		enum value_kind kind = column_kind(table, i);

		if (!*column->unit && !(column->hints & (COLUMN_LEFT | COLUMN_CODE)) &&
		    (kind == VALUE_INTEGER || kind == VALUE_NUMBER))
			return true;
	}
	return false;
}

static bool table_nested_alike(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++) {
		const struct value *cell = &table->cells[row * table->column_count + column];

		if (cell->kind == VALUE_TABLE && cell->table->row_count)
			return !strcmp(cell->table->columns[0].key, table->columns[0].key);
	}
	return false;
}

static enum place first_place(const struct table *table, size_t column)
{
	enum value_kind kind = column_kind(table, column);

	if (table->columns[column].hints & COLUMN_MACHINE)
		return PLACE_NOWHERE;
	if (!strcmp(table->columns[column].key, "unit") && rows_scale(table))
		return PLACE_NOWHERE;
	if (kind == VALUE_NONE && column > 0)
		return PLACE_NOWHERE;        /* nothing is known of it in any row */
	if (kind == VALUE_TABLE && table_nested_alike(table, column))
		return PLACE_PARTS;
	return kind == VALUE_TABLE || kind == VALUE_RECORD ? PLACE_NOTE : PLACE_ROW;
}

static void measure_row(struct layout *layout, const struct table *table, const struct layout_row *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		struct layout_column *column = &layout->columns[i];
		const char *unit;
		const struct value *cell = layout_cell(row, &table->columns[i], &unit);
		unsigned width;

		if (column->place != PLACE_ROW || !cell)
			continue;
		CLEANUP_TEXT char *text = cell_text(cell, unit, table->columns[i].hints);

		width = utf8_width(text) + (i == 0 ? row->indent : 0);
		if (width > column->width)
			column->width = width;
		if (value_is_number(cell) && !(table->columns[i].hints & COLUMN_LEFT))
			column->number = true;
	}
}

static void measure_parts(struct layout *layout, const struct table *table, const struct layout_row *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct value *cell = &table->cells[row->row * table->column_count + i];

		if (layout->columns[i].place != PLACE_PARTS || cell->kind != VALUE_TABLE)
			continue;
		for (size_t part = 0; part < cell->table->row_count; part++) {
			struct layout_row below = layout_part(row, cell->table, part);

			measure_row(layout, table, &below);
		}
	}
}

static void measure(struct layout *layout, const struct table *table)
{
	for (size_t i = 0; i < layout->count; i++) {
		layout->columns[i].place = first_place(table, i);
		layout->columns[i].width = utf8_width(table->columns[i].title);
	}
	for (size_t row = 0; row < table->row_count; row++) {
		struct layout_row above = layout_row(table, row);

		measure_row(layout, table, &above);
		measure_parts(layout, table, &above);
	}
}

/* Width of all columns but the one that wraps. */
static unsigned fixed_width(const struct layout *layout)
{
	unsigned width = 0;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout->columns[i].place == PLACE_ROW)
			width += layout->columns[i].width + LAYOUT_GAP;
	}
	return width;
}

static size_t last_in_row(const struct layout *layout)
{
	for (size_t i = layout->count; i-- > 1;) {
		if (layout->columns[i].place == PLACE_ROW)
			return i;
	}
	return 0;
}

/* Long texts leave the row; the last one may wrap in place instead. */
static void place_tall(struct layout *layout, const struct table *table, unsigned width)
{
	size_t last = last_in_row(layout);

	for (size_t i = 1; i < layout->count; i++) {
		struct layout_column *column = &layout->columns[i];
		bool wraps = i == last && !(table->columns[i].hints & COLUMN_CODE);

		if (column->place == PLACE_ROW && !column->number && !wraps && column->width > TALL_WIDTH)
			column->place = PLACE_NOTE;
	}
	if (last && !layout->columns[last].number && layout->columns[last].place == PLACE_ROW &&
	    fixed_width(layout) > width && !(table->columns[last].hints & COLUMN_CODE)) {
		layout->columns[last].place = PLACE_WRAP;
		if (fixed_width(layout) + WRAP_WIDTH_LEAST > width)
			layout->columns[last].place = PLACE_NOTE;
	}
}

/* Code goes below its row before anything is cut or dropped. */
static void place_code(struct layout *layout, const struct table *table, unsigned width)
{
	for (size_t i = layout->count; i-- > 1 && fixed_width(layout) > width + LAYOUT_GAP;) {
		if (layout->columns[i].place == PLACE_ROW && (table->columns[i].hints & COLUMN_CODE))
			layout->columns[i].place = PLACE_NOTE;
	}
}

static void fit(struct layout *layout, unsigned width)
{
	unsigned used = fixed_width(layout) - LAYOUT_GAP;
	struct layout_column *first = &layout->columns[0];

	if (used > width && first->place == PLACE_ROW && first->width > FIRST_WIDTH_LEAST) {
		unsigned excess = used - width, spare = first->width - FIRST_WIDTH_LEAST;

		first->width -= excess < spare ? excess : spare;
	}
	while (fixed_width(layout) > width + LAYOUT_GAP && last_in_row(layout)) {
		layout->columns[last_in_row(layout)].place = PLACE_DROPPED;
		layout->dropped++;
	}
}

static unsigned bar_room(const struct layout *layout, const struct table *table, unsigned width)
{
	unsigned used = fixed_width(layout), bars = 0, room;

	for (size_t i = 0; i < layout->count; i++) {
		const struct layout_column *column = &layout->columns[i];

		bars += column->place == PLACE_ROW && column->number && (table->columns[i].hints & COLUMN_BAR);
		if (column->place == PLACE_WRAP)
			used += column->width < TALL_WIDTH ? column->width : TALL_WIDTH;
	}
	if (!bars || used >= width)
		return 0;
	room = (width - used) / bars;
	room = room > 1 ? room - 1 : 0;
	return room < BAR_WIDTH_LEAST ? 0 : room < BAR_WIDTH_MOST ? room : BAR_WIDTH_MOST;
}

struct layout layout_make(const struct table *table, unsigned width)
{
	struct layout layout = { .count = table->column_count };

	if (layout.count > LAYOUT_COLUMN_LIMIT) {
		layout.dropped = layout.count - LAYOUT_COLUMN_LIMIT;
		layout.count = LAYOUT_COLUMN_LIMIT;
	}
	measure(&layout, table);
	place_tall(&layout, table, width);
	place_code(&layout, table, width);
	fit(&layout, width);
	layout.bar_width = bar_room(&layout, table, width);
	return layout;
}
