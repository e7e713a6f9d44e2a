/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document as Markdown, for a pull request or a ticket: findings as a list, tables as tables, records as lists of two, trees
 * as flame graphs of text in a block that unfolds. Every line fits what GitHub and GitLab draw; nothing is linked from outside.
 *
 *	| | base | candidate | change |
 *	| --- | ---: | ---: | ---: |
 *	| disk | 10 ms | 42 ms | 32 ms |
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/quantity.h"
#include "base/text.h"
#include "result/document.h"
#include "result/timeline.h"
#include "view/ink.h"
#include "view/short_name.h"
#include "view/text_cell.h"
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TREE_LINES_MOST = 40, BAR_WIDTH = 20 };
static const double tree_least = 0.02;       /* thinner nodes are left to the page */

/* A cell may hold no bar, line or tag of its own; a name may hold anything. */
static void write_escaped(struct output *to, const char *text)
{
	for (; *text; text++) {
		if (strchr("|<>`*_\\[]#", *text))
			output_puts(to, "\\");
		output_write(to, *text == '\n' ? " " : text, 1);
	}
}

static const char *number_of(const struct value *value, const char *unit, unsigned hints, char text[QUANTITY_SIZE])
{
	double number = value->kind == VALUE_INTEGER ? (double)value->integer : value->number;

	if (!isfinite(number))
		return "-";
	if (!(hints & COLUMN_LEFT))
		return quantity_print(text, number, unit);
	(void)snprintf(text, QUANTITY_SIZE, "%.10g", number);
	return text;
}

static void write_value(struct output *to, const struct value *value, const char *unit, unsigned hints)
{
	char text[QUANTITY_SIZE];

	switch (value->kind) {
	case VALUE_TEXT:
		write_escaped(to, value->text);
		break;
	case VALUE_TRUTH:
		output_puts(to, value->truth ? "yes" : "no");
		break;
	case VALUE_INTEGER:
	case VALUE_NUMBER:
		output_puts(to, number_of(value, unit, hints, text));
		break;
	case VALUE_RECORD:
		for (size_t i = 0; i < value->record->count; i++) {
			output_puts(to, i ? " · " : "");
			write_escaped(to, value->record->fields[i].title);
			output_puts(to, " ");
			write_value(to, &value->record->fields[i].value, value->record->fields[i].unit, 0);
		}
		break;
	case VALUE_TABLE:
		output_print(to, "%zu rows", value->table->row_count);
		break;
	case VALUE_NONE:
		output_puts(to, "-");
		break;
	}
}

/* --- Tables ------------------------------------------------------------------------------------------------------------------ */

static bool is_number(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++) {
		enum value_kind kind = table->cells[row * table->column_count + column].kind;

		if (kind != VALUE_NONE)
			return (kind == VALUE_INTEGER || kind == VALUE_NUMBER) && !(table->columns[column].hints & COLUMN_LEFT);
	}
	return false;
}

/* Where a table has a column "unit", a number without a unit has its row's. */
static const char *unit_of(const struct table *table, size_t row, size_t column)
{
	if (*table->columns[column].unit)
		return table->columns[column].unit;
	for (size_t i = 0; i < table->column_count; i++) {
		const struct value *cell = &table->cells[row * table->column_count + i];

		if (!strcmp(table->columns[i].key, "unit") && cell->kind == VALUE_TEXT)
			return cell->text;
	}
	return "";
}

static void write_table(struct output *to, const struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!(table->columns[i].hints & COLUMN_MACHINE)) {
			output_puts(to, "| ");
			write_escaped(to, table->columns[i].title);
			output_puts(to, " ");
		}
	output_puts(to, "|\n");
	for (size_t i = 0; i < table->column_count; i++)
		if (!(table->columns[i].hints & COLUMN_MACHINE))
			output_puts(to, is_number(table, i) ? "| ---: " : "| --- ");
	output_puts(to, "|\n");
	for (size_t row = 0; row < table->row_count; row++) {
		for (size_t i = 0; i < table->column_count; i++)
			if (!(table->columns[i].hints & COLUMN_MACHINE)) {
				output_puts(to, "| ");
				write_value(to, &table->cells[row * table->column_count + i], unit_of(table, row, i),
					    table->columns[i].hints);
				output_puts(to, " ");
			}
		output_puts(to, "|\n");
	}
	if (table->rows_left_out)
		output_print(to, "\n%" PRIu64 " more rows are left out.\n", table->rows_left_out);
}

static void write_record(struct output *to, const struct record *record)
{
	for (size_t i = 0; i < record->count; i++) {
		const struct field *field = &record->fields[i];

		if (field->hints & COLUMN_MACHINE)
			continue;
		output_puts(to, "- **");
		write_escaped(to, field->title);
		output_puts(to, "**: ");
		write_value(to, &field->value, field->unit, field->hints);
		output_puts(to, "\n");
	}
}

/* --- Trees ------------------------------------------------------------------------------------------------------------------- */

static void write_bar(struct output *to, double share)
{
	int full = (int)lround(share * BAR_WIDTH);

	for (int i = 0; i < BAR_WIDTH; i++)
		output_puts(to, i < full ? "█" : " ");
}

static void write_node(struct output *to, const struct tree *tree, size_t node)
{
	CLEANUP_TEXT char *name = short_name(tree->name_texts[tree->names[node]]);
	char value[QUANTITY_SIZE], base[QUANTITY_SIZE], candidate[QUANTITY_SIZE];

	write_bar(to, tree->values[node] / tree->values[0]);
	output_print(to, " %10s  %*s%s", quantity_print(value, tree->values[node], tree->unit), (int)tree->depths[node] % 60, "", name);
	if (tree->bases)
		output_print(to, "  %s → %s", quantity_print(base, tree->bases[node], tree->unit),
			     quantity_print(candidate, tree->candidates[node], tree->unit));
	output_puts(to, "\n");
}

/* In preorder, so that what lies below stands below; thin nodes and whatever comes after the limit are counted. */
static void write_tree(struct output *to, const char *title, const struct tree *tree)
{
	size_t written = 0, left_out = 0;

	output_puts(to, "<details><summary>");
	write_escaped(to, title);
	output_puts(to, "</summary>\n\n```text\n");
	for (size_t node = 0; node < tree->node_count; node++) {
		if (tree->values[node] < tree_least * tree->values[0] || written == TREE_LINES_MOST) {
			left_out++;
			continue;
		}
		write_node(to, tree, node);
		written++;
	}
	if (left_out)
		output_print(to, "(%zu nodes are left out)\n", left_out);
	output_puts(to, "```\n\n</details>\n");
}

/* As the text view draws it. */
static void write_timeline(struct output *to, const struct timeline *timeline)
{
	struct ink ink = ink_make(&(struct view_style){ .width = 120 }, to);

	output_puts(to, "```text\n");
	text_draw_timeline(&ink, timeline, 0);
	output_puts(to, "```\n");
}

/* --- Sections ---------------------------------------------------------------------------------------------------------------- */

static void write_finding(struct output *to, const struct section *section)
{
	static const char *const marks[] = { [SEVERITY_NOTE] = "", [SEVERITY_WARNING] = "⚠ ", [SEVERITY_FAILURE] = "✗ " };

	output_print(to, "- %s", marks[section->severity]);
	write_escaped(to, section->finding);
	output_puts(to, "\n");
}

static void write_section(struct output *to, const struct document *document, size_t index)
{
	const struct section *section = &document->sections[index];
	bool follows = index && document->sections[index - 1].kind == section->kind;

	if (section->hints & COLUMN_MACHINE)
		return;
	if (section->kind == SECTION_FINDING) {
		output_puts(to, follows ? "" : "\n");
		write_finding(to, section);
		return;
	}
	output_puts(to, "\n");
	if (section->kind == SECTION_TREE) {
		write_tree(to, section->title, section->tree);
		return;
	}
	output_puts(to, "### ");
	write_escaped(to, section->title);
	output_puts(to, document->refused ? " (refused)\n\n" : "\n\n");
	if (section->kind == SECTION_TIMELINE)
		write_timeline(to, section->timeline);
	else if (section->kind == SECTION_TABLE)
		write_table(to, section->table);
	else
		write_record(to, section->record);
}

static int markdown_render(const struct document *document, const struct view_style *style, struct output *to)
{
	(void)style;
	output_puts(to, "## ");
	write_escaped(to, document->title);
	output_puts(to, "\n");
	if (document->refused)
		output_puts(to, "\n**Refused.** This is shown because `--anyway` was given. Do not decide by it.\n");
	for (size_t i = 0; i < document->section_count; i++)
		write_section(to, document, i);
	return to->code;
}

extern const struct view view_markdown;
const struct view view_markdown = {
	.name = "markdown",
	.summary = "Markdown, for a pull request or a ticket",
	.suffix = ".md",
	.render = markdown_render,
};
