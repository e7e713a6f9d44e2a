/* SPDX-License-Identifier: Apache-2.0 */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "rendered.h"

static const struct column columns[] = {
	{ "state", "state", "", 0 }, { "total", "total", "ns", 0 }, { "share", "share", "", COLUMN_HUMAN }, { "ok", "ok", "", 0 },
};

static struct document *some(void)
{
	struct document *document = document_new("crosscut.ledger/1", "a title");
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));
	struct tree *tree = tree_new("ns", "sampled");
	struct record *record = record_new();

	table_add(table, (struct value[]){ value_text("a \"b\", c"), value_number(4200000), value_number(1), value_truth(true) });
	table_add(table, (struct value[]){ value_text("d"), value_none(), value_none(), value_truth(false) });
	(void)document_add_table(document, "ledger", "Ledger", table);
	tree_add(tree, 0, tree_name(tree, "all"), 10, 4, 3);
	tree_add(tree, 1, tree_name(tree, "main"), 6, 6, 2);
	(void)document_add_tree(document, "trees.all", "All", tree);
	record_add(record, "wall", "wall", "ns", value_integer(12));
	(void)document_add_record(document, "time", "Time", record);
	document_add_finding(document, SEVERITY_WARNING, "beware, of commas");
	return document;
}

TEST(each_section_has_a_header_and_its_numbers_are_whole)
{
	CLEANUP(document) struct document *document = some();
	char *text = rendered(document, "csv", (struct view_style){ 0 });

	assert_string_equal(text, "section,state,total (ns),ok\r\nledger,\"a \"\"b\"\", c\",4200000,true\r\nledger,d,,false\r\n\r\n"
				  "section,depth,function,total (ns),self (ns),count\r\ntrees.all,0,all,10,4,3\r\ntrees.all,1,main,6,6,2\r\n\r\n"
				  "section,key,unit,value\r\ntime,wall,ns,12\r\n\r\n"
				  "section,severity,text\r\nfindings,warning,\"beware, of commas\"\r\n");
	free(text);
}

TEST(what_is_refused_says_so_first)
{
	CLEANUP(document) struct document *document = some();
	char *text;

	document->refused = true;
	text = rendered(document, "csv", (struct view_style){ 0 });
	assert_memory_equal(text, "refused\r\ntrue\r\n", 15);
	free(text);
}
