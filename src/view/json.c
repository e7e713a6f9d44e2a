/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapping that result/document.h defines: sections nest under their keys at each dot, and "sections" at the end
 * says how to draw each. Sections that share a prefix come out together where the first of them stands, so that the
 * order stays the author's as far as JSON allows.
 */
#include "view/json.h"

#include "base/memory.h"
#include "base/output.h"
#include "result/document.h"
#include "view/json_timeline.h"
#include "view/json_writer.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	struct json_writer *json;
	const struct document *document;
	enum json_audience audience;
	bool *done;                  /* per section */
};

static void write_table(const struct walk *walk, const struct table *table);
static void write_record(const struct walk *walk, const struct record *record);

static bool hints_hide(const struct walk *walk, unsigned hints)
{
	return walk->audience == JSON_FOR_MACHINES && (hints & COLUMN_HUMAN);
}

static void write_value(const struct walk *walk, const struct value *value)
{
	switch (value->kind) {
	case VALUE_NONE:
		json_none(walk->json);
		break;
	case VALUE_TEXT:
		json_text(walk->json, value->text);
		break;
	case VALUE_TRUTH:
		json_truth(walk->json, value->truth);
		break;
	case VALUE_INTEGER:
		json_signed(walk->json, value->integer);
		break;
	case VALUE_NUMBER:
		json_number(walk->json, value->number);
		break;
	case VALUE_RECORD:
		write_record(walk, value->record);
		break;
	case VALUE_TABLE:
		write_table(walk, value->table);
		break;
	}
}

static void write_member(const struct walk *walk, const char *key, const struct value *value)
{
	json_key(walk->json, key);
	write_value(walk, value);
	if (value->kind == VALUE_TABLE && value->table->rows_left_out) {
		char *beside = xasprintf("%s_rows_left_out", key);

		json_key(walk->json, beside);
		json_unsigned(walk->json, value->table->rows_left_out);
		free(beside);
	}
}

static void write_record(const struct walk *walk, const struct record *record)
{
	json_object_begin(walk->json);
	for (size_t i = 0; i < record->count; i++) {
		if (!hints_hide(walk, record->fields[i].hints))
			write_member(walk, record->fields[i].key, &record->fields[i].value);
	}
	json_object_end(walk->json);
}

static void write_table(const struct walk *walk, const struct table *table)
{
	json_array_begin(walk->json);
	for (size_t row = 0; row < table->row_count; row++) {
		json_line(walk->json);
		json_object_begin(walk->json);
		for (size_t i = 0; i < table->column_count; i++) {
			if (!hints_hide(walk, table->columns[i].hints))
				write_member(walk, table->columns[i].key,
					     &table->cells[row * table->column_count + i]);
		}
		json_object_end(walk->json);
	}
	json_array_end(walk->json);
}

static void write_indices(struct json_writer *json, const char *key, const uint32_t *indices, size_t count)
{
	json_key(json, key);
	json_array_begin(json);
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, indices[i]);
	json_array_end(json);
}

static void write_numbers(struct json_writer *json, const char *key, const double *numbers, size_t count)
{
	json_key(json, key);
	json_array_begin(json);
	for (size_t i = 0; i < count; i++)
		json_number(json, numbers[i]);
	json_array_end(json);
}

static void write_counts(struct json_writer *json, const struct tree *tree)
{
	bool known = false;

	for (size_t i = 0; i < tree->node_count && !known; i++)
		known = tree->counts[i] > 0;
	if (!known)
		return;
	json_key(json, "count");
	json_array_begin(json);
	for (size_t i = 0; i < tree->node_count; i++)
		json_unsigned(json, tree->counts[i]);
	json_array_end(json);
}

static void write_tree(struct json_writer *json, const struct tree *tree)
{
	json_object_begin(json);
	json_key(json, "unit");
	json_text(json, tree->unit);
	json_key(json, "weighting");
	json_text(json, tree->weighting);
	json_key(json, "total");
	json_number(json, tree->node_count ? tree->values[0] : 0);
	json_key(json, "names");
	json_array_begin(json);
	for (size_t i = 0; i < tree->name_count; i++)
		json_text(json, tree->name_texts[i]);
	json_array_end(json);
	write_indices(json, "depth", tree->depths, tree->node_count);
	write_indices(json, "name", tree->names, tree->node_count);
	write_numbers(json, "value", tree->values, tree->node_count);
	write_numbers(json, "self", tree->selves, tree->node_count);
	write_counts(json, tree);
	if (tree->bases) {
		write_numbers(json, "base", tree->bases, tree->node_count);
		write_numbers(json, "candidate", tree->candidates, tree->node_count);
	}
	json_key(json, "coalesced");
	json_unsigned(json, tree->coalesced);
	json_object_end(json);
}

/* All findings at once, where the first stands. */
static void write_findings(const struct walk *walk)
{
	json_array_begin(walk->json);
	for (size_t i = 0; i < walk->document->section_count; i++) {
		const struct section *section = &walk->document->sections[i];

		if (section->kind != SECTION_FINDING)
			continue;
		walk->done[i] = true;
		json_line(walk->json);
		json_object_begin(walk->json);
		json_key(walk->json, "severity");
		json_text(walk->json, severity_name(section->severity));
		json_key(walk->json, "text");
		json_text(walk->json, section->finding);
		json_object_end(walk->json);
	}
	json_array_end(walk->json);
}

static void write_section(const struct walk *walk, const struct section *section)
{
	if (section->kind == SECTION_RECORD)
		write_record(walk, section->record);
	else if (section->kind == SECTION_TABLE)
		write_table(walk, section->table);
	else if (section->kind == SECTION_TREE)
		write_tree(walk->json, section->tree);
	else if (section->kind == SECTION_TIMELINE)
		json_timeline(walk->json, section->timeline);
	else
		write_findings(walk);
}

/* The members of the object that stands under the first prefix_size bytes of a key ("baseline."). */
static void write_group(const struct walk *walk, const char *prefix, size_t prefix_size)
{
	for (size_t i = 0; i < walk->document->section_count; i++) {
		const struct section *section = &walk->document->sections[i];
		const char *rest = section->key + prefix_size, *dot;

		if (walk->done[i] || strncmp(section->key, prefix, prefix_size) != 0)
			continue;
		json_line(walk->json);
		dot = strchr(rest, '.');
		json_key_size(walk->json, rest, dot ? (size_t)(dot - rest) : strlen(rest));
		if (dot) {
			json_object_begin(walk->json);
			write_group(walk, section->key, (size_t)(dot + 1 - section->key));
			json_object_end(walk->json);
		} else {
			walk->done[i] = true;
			write_section(walk, section);
		}
	}
}

static void write_hints(struct json_writer *json, unsigned hints)
{
	static const char *const names[] = { "bar", "machine", "human", "left", "code" };

	if (!hints)
		return;
	json_key(json, "hints");
	json_array_begin(json);
	for (unsigned i = 0; i < ARRAY_LENGTH(names); i++) {
		if (hints & (1U << i))
			json_text(json, names[i]);
	}
	json_array_end(json);
}

static void write_columns(const struct walk *walk, const struct table *table);
static void write_fields(const struct walk *walk, const struct record *record);

static void write_column(const struct walk *walk, const char *key, const char *title, const char *unit, unsigned hints,
			 const struct value *example)
{
	json_object_begin(walk->json);
	json_key(walk->json, "key");
	json_text(walk->json, key);
	json_key(walk->json, "title");
	json_text(walk->json, title);
	json_key(walk->json, "unit");
	json_text(walk->json, unit);
	write_hints(walk->json, hints);
	if (example && example->kind == VALUE_TABLE)
		write_columns(walk, example->table);
	else if (example && example->kind == VALUE_RECORD)
		write_fields(walk, example->record);
	json_object_end(walk->json);
}

/* What a column nests is described after its first cell that nests something. */
static const struct value *column_example(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++) {
		const struct value *cell = &table->cells[row * table->column_count + column];

		if (cell->kind == VALUE_TABLE || cell->kind == VALUE_RECORD)
			return cell;
	}
	return NULL;
}

static void write_columns(const struct walk *walk, const struct table *table)
{
	json_key(walk->json, "columns");
	json_array_begin(walk->json);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];

		if (!hints_hide(walk, column->hints))
			write_column(walk, column->key, column->title, column->unit, column->hints,
				     column_example(table, i));
	}
	json_array_end(walk->json);
}

static void write_fields(const struct walk *walk, const struct record *record)
{
	json_key(walk->json, "columns");
	json_array_begin(walk->json);
	for (size_t i = 0; i < record->count; i++) {
		const struct field *field = &record->fields[i];

		if (!hints_hide(walk, field->hints))
			write_column(walk, field->key, field->title, field->unit, field->hints, &field->value);
	}
	json_array_end(walk->json);
}

static void describe_section(const struct walk *walk, const struct section *section)
{
	json_line(walk->json);
	json_object_begin(walk->json);
	json_key(walk->json, "key");
	json_text(walk->json, section->key);
	json_key(walk->json, "kind");
	json_text(walk->json, section_kind_name(section->kind));
	json_key(walk->json, "title");
	json_text(walk->json, section->title);
	write_hints(walk->json, section->hints);
	if (section->kind == SECTION_TABLE) {
		write_columns(walk, section->table);
		if (section->table->rows_left_out) {
			json_key(walk->json, "rows_left_out");
			json_unsigned(walk->json, section->table->rows_left_out);
		}
	} else if (section->kind == SECTION_RECORD) {
		write_fields(walk, section->record);
	}
	json_object_end(walk->json);
}

static void describe_sections(const struct walk *walk)
{
	bool findings = false;

	json_line(walk->json);
	json_key(walk->json, "sections");
	json_array_begin(walk->json);
	for (size_t i = 0; i < walk->document->section_count; i++) {
		const struct section *section = &walk->document->sections[i];

		if (section->kind == SECTION_FINDING && findings)
			continue;
		findings |= section->kind == SECTION_FINDING;
		describe_section(walk, section);
	}
	json_array_end(walk->json);
}

void json_document(struct json_writer *json, const struct document *document, enum json_audience audience)
{
	struct walk walk = {
		.json = json,
		.document = document,
		.audience = audience,
		.done = xcalloc(document->section_count, sizeof(bool)),
	};

	json_object_begin(json);
	json_key(json, "schema");
	json_text(json, document->schema);
	json_line(json);
	json_key(json, "title");
	json_text(json, document->title);
	if (document->refused) {
		json_line(json);
		json_key(json, "refused");
		json_truth(json, true);
	}
	write_group(&walk, "", 0);
	describe_sections(&walk);
	json_line(json);
	json_object_end(json);
	free(walk.done);
}

static int json_render(const struct document *document, const struct view_style *style, struct output *to)
{
	struct json_writer json = { .to = to };

	(void)style;
	json_document(&json, document, JSON_FOR_MACHINES);
	output_puts(to, "\n");
	return to->code;
}

extern const struct view view_json;
const struct view view_json = {
	.name = "json",
	.summary = "one JSON object, for programs",
	.suffix = ".json",
	.render = json_render,
};
