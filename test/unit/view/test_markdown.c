/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a pull request. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "rendered.h"

static const struct column columns[] = {
	{ "name", "", "", 0 }, { "unit", "unit", "", COLUMN_MACHINE }, { "base", "base", "", 0 }, { "says", "outcome", "", 0 },
};

static char *drawn(bool refused, const char *name)
{
	struct document *document = document_new("crosscut.diff/1", "candidate against base");
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));
	struct tree *tree = tree_new("ns", "per completion");
	char *text;

	document->refused = refused;
	document_add_finding(document, SEVERITY_WARNING, "the dimension that lost most is disk");
	table_add(table, (struct value[]){ value_text(name), value_text("ns"), value_number(4.2e7), value_text("▲ grew") });
	table->rows_left_out = 3;
	(void)document_add_table(document, "dimensions", "Where the time went", table);
	tree_add_change(tree, 0, tree_name(tree, "disk"), 3.2e7, 0, 1e7, 4.2e7);
	tree_add_change(tree, 1, tree_name(tree, "store_read"), 3.2e7, 3.2e7, 1e7, 4.2e7);
	(void)document_add_tree(document, "trees.grew.disk", "disk: what grew", tree);
	text = rendered(document, "markdown", (struct view_style){ 0 });
	document_free(document);
	return text;
}

TEST(a_table_has_a_rule_and_its_numbers_have_their_rows_unit)
{
	char *text = drawn(false, "disk");

	assert_non_null(strstr(text, "|  | base | outcome |\n| --- | ---: | --- |\n| disk | 42 ms | ▲ grew |\n"));
	assert_non_null(strstr(text, "3 more rows are left out"));
	assert_non_null(strstr(text, "- ⚠ the dimension that lost most is disk"));
	assert_null(strstr(text, "refused"));
	free(text);
}

TEST(a_flame_graph_unfolds_as_text_with_both_sides)
{
	char *text = drawn(false, "disk");

	assert_non_null(strstr(text, "<details><summary>disk: what grew</summary>"));
	assert_non_null(strstr(text, "store_read  10 ms → 42 ms"));
	free(text);
}

TEST(what_was_refused_says_so_at_the_top_and_on_every_part)
{
	char *text = drawn(true, "disk");

	assert_non_null(strstr(text, "**Refused.**"));
	assert_non_null(strstr(text, "### Where the time went (refused)"));
	free(text);
}

TEST(a_name_cannot_break_out_of_its_cell)
{
	char *text = drawn(false, "a|b\n<script>*x*");

	assert_non_null(strstr(text, "| a\\|b \\<script\\>\\*x\\* |"));
	free(text);
}
