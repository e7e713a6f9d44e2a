/* SPDX-License-Identifier: Apache-2.0 */
/* The mapping of result/document.h, read back by a parser that we did not write. */
#include "view/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "json_reader.h"
#include "rendered.h"

static const struct column part_columns[] = { { "name", "part", "", 0 }, { "total", "total", "ns", 0 } };
static const struct column columns[] = {
	{ "name", "dimension", "", 0 },
	{ "total", "total", "ns", COLUMN_BAR },
	{ "share", "share", "fraction", COLUMN_HUMAN },
	{ "parts", "parts", "", COLUMN_MACHINE },
};

static struct table *parts(void)
{
	struct table *table = table_new(part_columns, 2);

	table_add(table, (struct value[]){ value_text("read"), value_integer(INT64_C(9007199254740993)) });
	table->rows_left_out = 2;
	return table;
}

static struct document *make(void)
{
	struct document *document = document_new("crosscut.ledger/1", "A title");
	struct record *record = record_new();
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));
	struct tree *tree = tree_new("ns", "exact");

	record_add(record, "threads", "Threads", "count", value_integer(12));
	record_add_hinted(record, "shown", "Shown", "", COLUMN_HUMAN, value_text("12 threads"));
	table_add(table, (struct value[]){ value_text("disk"), value_number(1.5), value_number(.5), value_table(parts()) });
	table_add(table, (struct value[]){ value_text("lock"), value_number(NAN), value_none(), value_none() });
	tree_add(tree, 0, tree_name(tree, "all"), 3, 1, 0);
	tree_add(tree, 1, tree_name(tree, "f"), 2, 2, 5);
	(void)document_add_record(document, "candidate.population", "Population", record);
	document_add_finding(document, SEVERITY_NOTE, "first");
	(void)document_add_table(document, "candidate.dimensions", "Where", table);
	(void)document_add_tree(document, "candidate.trees.oncpu", "On CPU", tree);
	document_add_finding(document, SEVERITY_WARNING, "second");
	return document;
}

TEST(keys_nest_at_each_dot_and_no_key_comes_twice)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });

	assert_true(json_is_valid(text));
	assert_json_keys_distinct(text);
	assert_json(text, "$.schema", "crosscut.ledger/1");
	assert_json(text, "$.candidate.population.threads", "12");
	assert_json(text, "$.candidate.dimensions[0].name", "disk");
	assert_json_type(text, "$.candidate.dimensions[1].total", "null");
	assert_json_length(text, "$.findings", 2);
	assert_json(text, "$.findings[1].severity", "warning");
}

TEST(the_schema_comes_first_and_the_sections_last)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });

	assert_memory_equal(text, "{\"schema\":", 10);
	assert_non_null(strstr(text, "\n \"sections\":["));
	assert_true(strstr(text, "\n \"sections\":[") > strstr(text, "\"candidate\""));
}

TEST(columns_for_people_are_left_out_for_machines)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });

	assert_null(strstr(text, "\"share\""));
	assert_null(strstr(text, "12 threads"));
}

TEST(nested_integers_are_exact_and_what_was_left_out_is_told)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });

	assert_json(text, "$.candidate.dimensions[0].parts[0].total", "9007199254740993");
	assert_json(text, "$.candidate.dimensions[0].parts_rows_left_out", "2");
}

TEST(a_tree_is_columns_of_equal_length)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });
	static const char *const paths[] = { "depth", "name", "value", "self", "count" };

	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
		CLEANUP_TEXT char *path = xasprintf("$.candidate.trees.oncpu.%s", paths[i]);

		assert_json_length(text, path, 2);
	}
	assert_json(text, "$.candidate.trees.oncpu.total", "3");
	assert_json(text, "$.candidate.trees.oncpu.count[1]", "5");
	assert_json(text, "$.candidate.trees.oncpu.names[1]", "f");
}

TEST(sections_describe_what_a_reader_needs_to_draw)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = rendered(document, "json", (struct view_style){ 0 });

	assert_json_length(text, "$.sections", 4);
	assert_json(text, "$.sections[2].key", "candidate.dimensions");
	assert_json(text, "$.sections[2].kind", "table");
	assert_json(text, "$.sections[2].columns[1].unit", "ns");
	assert_json(text, "$.sections[2].columns[1].hints[0]", "bar");
	assert_json(text, "$.sections[2].columns[2].columns[1].key", "total");
}

TEST(a_refused_answer_says_so_to_machines_too)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *plain = rendered(document, "json", (struct view_style){ 0 });
	CLEANUP_TEXT char *marked = NULL;

	document->refused = true;
	marked = rendered(document, "json", (struct view_style){ 0 });
	assert_null(strstr(plain, "\"refused\""));
	assert_non_null(strstr(marked, "\"refused\":true"));
}
