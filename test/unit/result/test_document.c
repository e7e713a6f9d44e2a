/* SPDX-License-Identifier: Apache-2.0 */
/* The document owns what it is given, stays within its limits, and says what it turned away. */
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"

static const struct column columns[] = { { "name", "name", "", 0 }, { "total", "total", "ns", COLUMN_BAR } };

TEST(a_text_is_copied_so_that_its_maker_may_change_it)
{
	char name[] = "disk";
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	table_add(table, (struct value[]){ value_text(name), value_number(1) });
	name[0] = 'r';
	assert_string_equal(table->cells[0].text, "disk");
	table_free(table);
}

TEST(a_number_that_is_not_finite_is_none)
{
	assert_int_equal(value_number(NAN).kind, VALUE_NONE);
	assert_int_equal(value_number(INFINITY).kind, VALUE_NONE);
	assert_int_equal(value_number(-0.5).kind, VALUE_NUMBER);
}

TEST(a_table_stops_at_its_limit_and_counts_the_rest)
{
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	for (size_t i = 0; i < DOCUMENT_ROW_LIMIT + 3; i++)
		table_add(table, (struct value[]){ value_text("x"), value_integer((int64_t)i) });
	assert_int_equal(table->row_count, DOCUMENT_ROW_LIMIT);
	assert_int_equal(table->rows_left_out, 3);
	assert_int_equal(table->cells[2 * DOCUMENT_ROW_LIMIT - 1].integer, DOCUMENT_ROW_LIMIT - 1);
	table_free(table);
}

TEST(nested_values_go_with_what_holds_them)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct record *inner = record_new(), *outer = record_new();
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	record_add_named(inner, "build", value_text("candidate"));
	table_add(table, (struct value[]){ value_print("%d", 7), value_record(inner) });
	record_add(outer, "parts", "Parts", "", value_table(table));
	(void)document_add_record(document, "outer", "Outer", outer);
	assert_string_equal(document_find(document, "outer")->record->fields[0].key, "parts");
	/* The sanitizers of the test build say whether all of it was freed, once. */
}

TEST(a_made_key_outlives_the_text_it_was_made_of)
{
	char key[] = "label";
	struct record *record = record_new();

	record_add_named(record, key, value_truth(true));
	key[0] = 'x';
	assert_string_equal(record->fields[0].key, "label");
	assert_string_equal(record->fields[0].title, "label");
	record_free(record);
}

TEST(sections_keep_their_order_and_are_found_by_key)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");

	for (int i = 0; i < 40; i++) {
		char *key = xasprintf("part.%d", i);

		(void)document_add_record(document, key, "Part", record_new());
		free(key);
	}
	assert_int_equal(document->section_count, 40);
	assert_ptr_equal(document_find(document, "part.39"), &document->sections[39]);
	assert_null(document_find(document, "part.40"));
}

TEST(findings_share_one_key)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");

	document_add_finding(document, SEVERITY_NOTE, "%d events were lost", 3);
	document_add_finding(document, SEVERITY_FAILURE, "refused");
	assert_int_equal(document->section_count, 2);
	assert_string_equal(document->sections[0].finding, "3 events were lost");
	assert_string_equal(document->sections[1].key, document->sections[0].key);
	assert_string_equal(severity_name(document->sections[1].severity), "failure");
}

TEST(a_tree_keeps_preorder_columns_of_equal_length)
{
	struct tree *tree = tree_new("ns", "exact");
	uint32_t all = tree_name(tree, "all"), leaf = tree_name(tree, "leaf");

	tree_add(tree, 0, all, 100, 0, 0);
	for (int i = 0; i < 100; i++)
		tree_add(tree, 1, leaf, 1, 1, 1);
	assert_int_equal(tree->node_count, 101);
	assert_int_equal(tree->depths[100], 1);
	assert_int_equal(tree->names[100], leaf);
	assert_true(tree->values[0] == 100 && tree->selves[100] == 1 && tree->counts[100] == 1);
	tree_free(tree);
}

TEST(nothing_is_freed_where_nothing_is)
{
	document_free(NULL);
	table_free(NULL);
	record_free(NULL);
	tree_free(NULL);
}
