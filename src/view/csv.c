/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as comma-separated values (RFC 4180), for spreadsheets and data frames: numbers whole, in
 * the unit that their header names. Each section has its own header; its first column says which section
 * a row is of, so that one can be picked by it, and an empty line stands between two.
 *
 *	section,state,total (ns),count
 *	ledger,disk,4200000,17
 *
 *	section,depth,function,total (ns),self (ns),count
 *	trees.disk,0,disk,4200000,0,17
 */
#include "base/output.h"
#include "result/document.h"
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(struct output *to, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		output_puts(to, text);
		return;
	}
	output_puts(to, "\"");
	for (; *text; text++)
		output_write(to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	output_puts(to, "\"");
}

static void write_number(struct output *to, double number)
{
	if (isfinite(number))
		output_print(to, "%.17g", number);
}

static void write_value(struct output *to, const struct value *value)
{
	switch (value->kind) {
	case VALUE_TEXT:
		write_text(to, value->text);
		break;
	case VALUE_TRUTH:
		output_puts(to, value->truth ? "true" : "false");
		break;
	case VALUE_INTEGER:
		output_print(to, "%" PRId64, value->integer);
		break;
	case VALUE_NUMBER:
		write_number(to, value->number);
		break;
	case VALUE_TABLE:
		output_print(to, "%zu", value->table->row_count);
		break;
	case VALUE_RECORD:
	case VALUE_NONE:
		break;
	}
}

/* The unit stands in the header, since the cells are bare. */
static void write_title(struct output *to, const char *key, const char *unit)
{
	char title[256];

	if (*unit)
		(void)snprintf(title, sizeof(title), "%s (%s)", key, unit);
	output_puts(to, ",");
	write_text(to, *unit ? title : key);
}

static void write_table(struct output *to, const struct section *section)
{
	const struct table *table = section->table;

	output_puts(to, "section");
	for (size_t i = 0; i < table->column_count; i++)
		if (!(table->columns[i].hints & COLUMN_HUMAN))
			write_title(to, table->columns[i].key, table->columns[i].unit);
	output_puts(to, "\r\n");
	for (size_t row = 0; row < table->row_count; row++) {
		write_text(to, section->key);
		for (size_t i = 0; i < table->column_count; i++) {
			if (table->columns[i].hints & COLUMN_HUMAN)
				continue;
			output_puts(to, ",");
			write_value(to, &table->cells[row * table->column_count + i]);
		}
		output_puts(to, "\r\n");
	}
}

static void write_record(struct output *to, const struct section *section)
{
	const struct record *record = section->record;

	output_puts(to, "section,key,unit,value\r\n");
	for (size_t i = 0; i < record->count; i++) {
		if (record->fields[i].hints & COLUMN_HUMAN)
			continue;
		write_text(to, section->key);
		output_puts(to, ",");
		write_text(to, record->fields[i].key);
		output_puts(to, ",");
		write_text(to, record->fields[i].unit);
		output_puts(to, ",");
		write_value(to, &record->fields[i].value);
		output_puts(to, "\r\n");
	}
}

static void write_tree(struct output *to, const struct section *section)
{
	const struct tree *tree = section->tree;

	output_puts(to, "section,depth,function");
	write_title(to, "total", tree->unit);
	write_title(to, "self", tree->unit);
	if (tree->bases) {
		write_title(to, "base", tree->unit);
		write_title(to, "candidate", tree->unit);
	} else {
		output_puts(to, ",count");
	}
	output_puts(to, "\r\n");
	for (size_t i = 0; i < tree->node_count; i++) {
		write_text(to, section->key);
		output_print(to, ",%" PRIu32 ",", tree->depths[i]);
		write_text(to, tree->name_texts[tree->names[i]]);
		output_puts(to, ",");
		write_number(to, tree->values[i]);
		output_puts(to, ",");
		write_number(to, tree->selves[i]);
		output_puts(to, ",");
		if (tree->bases) {
			write_number(to, tree->bases[i]);
			output_puts(to, ",");
			write_number(to, tree->candidates[i]);
		} else {
			output_print(to, "%" PRIu64, tree->counts ? tree->counts[i] : 0);
		}
		output_puts(to, "\r\n");
	}
}

static void write_finding(struct output *to, const struct section *section)
{
	output_puts(to, "section,severity,text\r\nfindings,");
	output_puts(to, severity_name(section->severity));
	output_puts(to, ",");
	write_text(to, section->finding);
	output_puts(to, "\r\n");
}

static int csv_render(const struct document *document, const struct view_style *style, struct output *to)
{
	(void)style;
	if (document->refused)
		output_puts(to, "refused\r\ntrue\r\n\r\n");
	for (size_t i = 0; i < document->section_count; i++) {
		const struct section *section = &document->sections[i];

		output_puts(to, i ? "\r\n" : "");
		if (section->kind == SECTION_TABLE)
			write_table(to, section);
		else if (section->kind == SECTION_TREE)
			write_tree(to, section);
		else if (section->kind == SECTION_RECORD)
			write_record(to, section);
		else
			write_finding(to, section);
	}
	return 0;
}

extern const struct view view_csv;
const struct view view_csv = {
	.name = "csv",
	.summary = "comma-separated values, a header per section",
	.suffix = ".csv",
	.render = csv_render,
};
