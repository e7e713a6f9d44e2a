/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record as lines of "title  value". Long texts wrap under themselves; code is cut in its middle instead, because a
 * wrapped stack or command line cannot be copied.
 *
 *	Duration    10.0 s
 *	Labels      build candidate · state nominal
 */
#include "base/cleanup.h"
#include "base/text.h"
#include "result/document.h"
#include "view/ink.h"
#include "view/text_cell.h"
#include "view/utf8.h"

#include <stdlib.h>

enum { TITLE_WIDTH_MOST = 28 };

static bool field_shown(const struct field *field)
{
	return !(field->hints & COLUMN_MACHINE);
}

static unsigned titles_width(const struct record *record)
{
	unsigned most = 0;

	for (size_t i = 0; i < record->count; i++) {
		unsigned width = utf8_width(record->fields[i].title);

		if (field_shown(&record->fields[i]) && width > most)
			most = width;
	}
	return most < TITLE_WIDTH_MOST ? most : TITLE_WIDTH_MOST;
}

static void draw_nested(struct ink *ink, const struct field *field, unsigned indent)
{
	ink_line(ink);
	if (field->value.kind == VALUE_TABLE)
		text_draw_table(ink, field->value.table, indent + 2);
	else
		text_draw_record(ink, field->value.record, indent + 2);
}

static bool value_stands_alone(const struct value *value)
{
	if (value->kind == VALUE_TABLE)
		return value->table->row_count > 1 && value->table->column_count > 2;
	return value->kind == VALUE_RECORD && value->record->count > 4;
}

static void draw_field(struct ink *ink, const struct field *field, unsigned indent, unsigned title_width)
{
	CLEANUP_TEXT char *text = NULL;

	ink_blank(ink, indent);
	ink_left(ink, INK_QUIET, field->title, title_width);
	if (value_stands_alone(&field->value)) {
		draw_nested(ink, field, indent);
		return;
	}
	ink_blank(ink, 2);
	text = cell_text(&field->value, field->unit, field->hints);
	if (!*text || (field->hints & COLUMN_CODE)) {
		ink_text(ink, INK_PLAIN, *text ? text : "-");
		ink_line(ink);
	} else {
		ink_wrap(ink, ink_verdict(text), text);
	}
}

void text_draw_record(struct ink *ink, const struct record *record, unsigned indent)
{
	unsigned title_width = titles_width(record);

	for (size_t i = 0; i < record->count; i++) {
		if (field_shown(&record->fields[i]))
			draw_field(ink, &record->fields[i], indent, title_width);
	}
}
