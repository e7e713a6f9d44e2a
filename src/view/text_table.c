/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as aligned columns. Numbers stand right, names left; what is too long or nested goes below its row.
 *
 *	dimension  kind       total    share                per completion
 *	oncpu      running  12.3 s   41.0 %  ████████▏             7.40 ms
 *	  user               9.1 s   30.3 %  ██████                5.47 ms
 *	    histogram  1.02 us ▁▃█▅▂▁ 33.6 ms
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/output.h"
#include "result/document.h"
#include "view/ink.h"
#include "view/text_cell.h"
#include "view/text_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_LIMIT = 16, NOTE_INDENT = 4 };

/* The largest value of all bar columns of one unit, so that bars side by side can be compared. */
struct scale {
	const char *unit;
	double most;
};

struct drawing {
	struct ink *ink;
	const struct table *table;
	struct layout layout;
	unsigned indent;
	struct scale scales[SCALE_LIMIT];
	size_t scale_count;
};

static struct scale *scale_of(struct drawing *drawing, const char *unit)
{
	for (size_t i = 0; i < drawing->scale_count; i++) {
		if (!strcmp(drawing->scales[i].unit, unit))
			return &drawing->scales[i];
	}
	if (drawing->scale_count == SCALE_LIMIT)
		return NULL;
	drawing->scales[drawing->scale_count] = (struct scale){ .unit = unit };
	return &drawing->scales[drawing->scale_count++];
}

static void scales_fill(struct drawing *drawing)
{
	for (size_t row = 0; row < drawing->table->row_count; row++) {
		struct layout_row above = layout_row(drawing->table, row);

		for (size_t i = 0; i < drawing->layout.count; i++) {
			const char *unit;
			const struct value *cell = layout_cell(&above, &drawing->table->columns[i], &unit);
			struct scale *scale;

			if (!(drawing->table->columns[i].hints & COLUMN_BAR) || !value_is_number(cell))
				continue;
			scale = scale_of(drawing, unit);
			if (scale)
				scale->most = fmax(scale->most, fabs(value_as_number(cell)));
		}
	}
}

static void draw_bar(struct drawing *drawing, const struct value *cell, const char *unit)
{
	struct scale *scale = scale_of(drawing, unit);
	double value = cell && value_is_number(cell) ? fabs(value_as_number(cell)) : 0;

	ink_blank(drawing->ink, 1);
	ink_bar(drawing->ink, scale && scale->most > 0 ? value / scale->most : 0, drawing->layout.bar_width);
}

static enum ink_style cell_style(const struct column *column, const char *text)
{
	if (!strcmp(column->key, "verdict") || !strcmp(column->key, "outcome") || !strcmp(column->key, "severity"))
		return ink_verdict(text);
	return INK_PLAIN;
}

static void draw_cell(struct drawing *drawing, const struct layout_row *row, size_t index)
{
	const struct layout_column *place = &drawing->layout.columns[index];
	const struct column *column = &drawing->table->columns[index];
	unsigned indent = index == 0 ? row->indent : 0;
	const char *unit;
	const struct value *cell = layout_cell(row, column, &unit);
	CLEANUP_TEXT char *text = cell ? cell_text(cell, unit, column->hints) : xstrdup("");
	enum ink_style style = cell_style(column, text);

	ink_blank(drawing->ink, indent);
	if (place->place == PLACE_WRAP)
		ink_wrap(drawing->ink, style, text);
	else if (place->number)
		ink_right(drawing->ink, style, text, place->width - indent);
	else
		ink_left(drawing->ink, style, text, place->width - indent);
	if (place->place == PLACE_ROW && place->number && drawing->layout.bar_width && (column->hints & COLUMN_BAR))
		draw_bar(drawing, cell, unit);
}

static void draw_row(struct drawing *drawing, const struct layout_row *row)
{
	bool first = true;

	ink_blank(drawing->ink, drawing->indent);
	for (size_t i = 0; i < drawing->layout.count; i++) {
		enum place place = drawing->layout.columns[i].place;

		if (place != PLACE_ROW && place != PLACE_WRAP)
			continue;
		if (!first)
			ink_blank(drawing->ink, LAYOUT_GAP);
		draw_cell(drawing, row, i);
		first = false;
	}
	if (drawing->ink->column)
		ink_line(drawing->ink);
}

static void draw_header(struct drawing *drawing)
{
	struct ink *ink = drawing->ink;
	bool first = true;

	ink_blank(ink, drawing->indent);
	for (size_t i = 0; i < drawing->layout.count; i++) {
		const struct layout_column *place = &drawing->layout.columns[i];
		const struct column *column = &drawing->table->columns[i];

		if (place->place != PLACE_ROW && place->place != PLACE_WRAP)
			continue;
		if (!first)
			ink_blank(ink, LAYOUT_GAP);
		if (place->number)
			ink_right(ink, INK_QUIET, column->title, place->width);
		else
			ink_left(ink, INK_QUIET, column->title, place->place == PLACE_WRAP ? 40 : place->width);
		if (place->number && drawing->layout.bar_width && (column->hints & COLUMN_BAR))
			ink_blank(ink, drawing->layout.bar_width + 1);
		first = false;
	}
	ink_line(ink);
}

/* Code keeps its lines; each is cut to the width. */
static void draw_code(struct drawing *drawing, const char *text)
{
	unsigned start = drawing->ink->column;

	for (;;) {
		size_t size = strcspn(text, "\n");
		CLEANUP_TEXT char *line = xstrndup(text, size);

		ink_text(drawing->ink, INK_PLAIN, line);
		ink_line(drawing->ink);
		if (!text[size] || !text[size + 1])
			return;
		text += size + 1;
		ink_blank(drawing->ink, start);
	}
}

static bool note_empty(const struct value *cell)
{
	return cell->kind == VALUE_NONE || (cell->kind == VALUE_TEXT && !*cell->text) ||
	       (cell->kind == VALUE_TABLE && !cell->table->row_count) ||
	       (cell->kind == VALUE_RECORD && !cell->record->count);
}

static void draw_note(struct drawing *drawing, const struct column *column, const struct value *cell)
{
	CLEANUP_TEXT char *text = cell_text(cell, column->unit, column->hints);

	ink_blank(drawing->ink, drawing->indent + NOTE_INDENT);
	ink_text(drawing->ink, INK_QUIET, column->title);
	ink_blank(drawing->ink, LAYOUT_GAP);
	if (column->hints & COLUMN_CODE)
		draw_code(drawing, text);
	else
		ink_wrap(drawing->ink, INK_PLAIN, text);
}

static void draw_parts(struct drawing *drawing, const struct layout_row *row, const struct table *parts)
{
	for (size_t part = 0; part < parts->row_count; part++) {
		struct layout_row below = layout_part(row, parts, part);

		draw_row(drawing, &below);
	}
}

/* Parts first: they are rows like the one above them. */
static void draw_below(struct drawing *drawing, const struct layout_row *row)
{
	const struct value *cells = &row->table->cells[row->row * row->table->column_count];

	for (size_t i = 0; i < drawing->layout.count; i++) {
		if (drawing->layout.columns[i].place == PLACE_PARTS && cells[i].kind == VALUE_TABLE)
			draw_parts(drawing, row, cells[i].table);
	}
	for (size_t i = 0; i < drawing->layout.count; i++) {
		if (drawing->layout.columns[i].place == PLACE_NOTE && !note_empty(&cells[i]))
			draw_note(drawing, &drawing->table->columns[i], &cells[i]);
	}
}

static void draw_left_out(struct drawing *drawing)
{
	struct ink *ink = drawing->ink;
	CLEANUP_TEXT char *rows = NULL;
	CLEANUP_TEXT char *columns = NULL;

	if (drawing->table->rows_left_out) {
		rows = xasprintf("(%" PRIu64 " more left out)", drawing->table->rows_left_out);
		ink_blank(ink, drawing->indent);
		ink_wrap(ink, INK_WARNING, rows);
	}
	if (drawing->layout.dropped) {
		columns = xasprintf("(%zu more %s a wider terminal, or --json)", drawing->layout.dropped,
				    drawing->layout.dropped == 1 ? "column needs" : "columns need");
		ink_blank(ink, drawing->indent);
		ink_wrap(ink, INK_QUIET, columns);
	}
}

void text_draw_table(struct ink *ink, const struct table *table, unsigned indent)
{
	unsigned width = ink->width > indent + 20 ? ink->width - indent : 20;
	struct drawing drawing = { .ink = ink, .table = table, .indent = indent };

	if (!table->row_count) {
		ink_blank(ink, indent);
		ink_text(ink, INK_QUIET, "(none)");
		ink_line(ink);
		return;
	}
	drawing.layout = layout_make(table, width);
	scales_fill(&drawing);
	draw_header(&drawing);
	for (size_t row = 0; row < table->row_count; row++) {
		struct layout_row above = layout_row(table, row);

		draw_row(&drawing, &above);
		draw_below(&drawing, &above);
	}
	draw_left_out(&drawing);
}
