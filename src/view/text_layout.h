/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How a table fits on lines of a given width: which columns stand in a row, how wide, which go below it as notes, and
 * how much room is left for bars. The text view's table asks here first and then only draws.
 */
#include <stdbool.h>
#include <stddef.h>

struct column;
struct table;
struct value;

enum place {
	PLACE_NOWHERE,               /* for machines, or a unit that the numbers carry already */
	PLACE_ROW,
	PLACE_WRAP,                  /* the last of the row: it wraps below itself */
	PLACE_NOTE,                  /* a line of its own below the row */
	PLACE_PARTS,                 /* a nested table of like columns: its rows stand below, indented */
	PLACE_DROPPED,               /* no room; said below the table */
};

struct layout_column {
	enum place place;
	bool number;                 /* aligned right */
	unsigned width;
};

enum { LAYOUT_COLUMN_LIMIT = 32, LAYOUT_GAP = 2, LAYOUT_PART_INDENT = 2 };

struct layout {
	struct layout_column columns[LAYOUT_COLUMN_LIMIT];       /* as in the table */
	size_t count;
	unsigned bar_width;          /* 0: no bars */
	size_t dropped;
};

/* One row of a table, or of a table nested in it. unit is what an empty unit means here. */
struct layout_row {
	const struct table *table;
	size_t row;
	const char *unit;
	unsigned indent;
};

struct layout layout_make(const struct table *table, unsigned width);
struct layout_row layout_row(const struct table *table, size_t row);
struct layout_row layout_part(const struct layout_row *of, const struct table *table, size_t row);
/* The cell that stands under `column` in this row, or NULL; *ret_unit is the unit to show it in. */
const struct value *layout_cell(const struct layout_row *row, const struct column *column, const char **ret_unit);
