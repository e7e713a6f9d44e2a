/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Asks an analysis about a profile that a test built, and looks into the answer by key. */
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "profile/selection.h"
#include "result/document.h"
#include "test.h"
#include "unit/profile_builder.h"

/* cmocka's fail_msg() calls fail(), which is base/error.h's here. */
#define broken(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

struct asking {
	struct profile *profile;
	struct selection *selection;
	struct document *document;
	struct question question;
	struct error err;
};

/* Takes the profile. The test narrows it.selection or changes it.question, then asks. */
UNUSED_HELPER struct asking asking(struct profile *profile)
{
	struct asking it = { .profile = profile, .selection = selection_new() };

	profile_freeze(profile);
	assert_null(profile_broken(profile));
	it.question = (struct question){ .profile = profile, .selection = it.selection };
	it.document = document_new("crosscut.test/1", "test");
	return it;
}

UNUSED_HELPER int ask(struct asking *it, const char *name)
{
	return analysis_find(name)->run(&it->question, it->document, &it->err);
}

UNUSED_HELPER void asked(struct asking *it)
{
	document_free(it->document);
	selection_free(it->selection);
	profile_free(it->profile);
}

UNUSED_HELPER const struct table *table_at(const struct asking *it, const char *key)
{
	const struct section *section = document_find(it->document, key);

	assert_non_null(section);
	assert_int_equal(section->kind, SECTION_TABLE);
	return section->table;
}

UNUSED_HELPER const struct record *record_at(const struct asking *it, const char *key)
{
	const struct section *section = document_find(it->document, key);

	assert_non_null(section);
	assert_int_equal(section->kind, SECTION_RECORD);
	return section->record;
}

UNUSED_HELPER const struct tree *tree_at(const struct asking *it, const char *key)
{
	const struct section *section = document_find(it->document, key);

	assert_non_null(section);
	assert_int_equal(section->kind, SECTION_TREE);
	return section->tree;
}

UNUSED_HELPER const struct value *cell_at(const struct table *table, size_t row, const char *key)
{
	assert_true(row < table->row_count);
	for (size_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].key, key))
			return &table->cells[row * table->column_count + i];
	broken("no column '%s'", key);
	return NULL;
}

/* The row whose first column is a name. */
UNUSED_HELPER size_t row_of(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (!strcmp(table->cells[i * table->column_count].text, name))
			return i;
	broken("no row '%s'", name);
	return 0;
}

UNUSED_HELPER bool has_row(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (!strcmp(table->cells[i * table->column_count].text, name))
			return true;
	return false;
}

UNUSED_HELPER double number_of(const struct value *value)
{
	return value->kind == VALUE_INTEGER  ? (double)value->integer
	       : value->kind == VALUE_NUMBER ? value->number
					     : NAN;
}

UNUSED_HELPER double number_at(const struct table *table, const char *row, const char *key)
{
	return number_of(cell_at(table, row_of(table, row), key));
}

UNUSED_HELPER const struct value *field_at(const struct record *record, const char *key)
{
	for (size_t i = 0; i < record->count; i++)
		if (!strcmp(record->fields[i].key, key))
			return &record->fields[i].value;
	broken("no field '%s'", key);
	return NULL;
}

/* The node at the end of a path below the root: "serve;parse". */
UNUSED_HELPER size_t node_at(const struct tree *tree, const char *path)
{
	char text[1024], *rest = text, *name;
	size_t node = 0;

	(void)snprintf(text, sizeof(text), "%s", path);
	while ((name = strsep(&rest, ";"))) {
		uint32_t depth = tree->depths[node] + 1;

		for (node++; node < tree->node_count && tree->depths[node] >= depth; node++)
			if (tree->depths[node] == depth &&
			    !strcmp(tree->name_texts[tree->names[node]], name))
				break;
		if (node >= tree->node_count || tree->depths[node] < depth) {
			broken("no node '%s' of '%s'", name, path);
			return 0;
		}
	}
	return node;
}

UNUSED_HELPER void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))))
		broken("%.12g is not %.12g", a, b);
}
