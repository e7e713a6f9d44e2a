/* SPDX-License-Identifier: Apache-2.0 */
/* What a person at a terminal sees. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "rendered.h"
#include "view/utf8.h"

static const struct column part_columns[] = { { "name", "part", "", 0 }, { "total", "total", "", 0 } };
static const struct column length_columns[] = { { "below_ns", "below", "ns", 0 }, { "count", "count", "count", COLUMN_BAR } };
static const struct column columns[] = {
	{ "name", "dimension", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "total", "total", "", COLUMN_BAR },
	{ "tid", "thread", "", COLUMN_LEFT },
	{ "stack", "stack", "", COLUMN_CODE },
	{ "parts", "parts", "", 0 },
	{ "lengths", "lengths", "", 0 },
};

static const char stack[] = "main;worker;handle_request;store_lookup;pread64;do_syscall_64;ext4_file_read_iter;io_schedule";

static struct table *lengths(void)
{
	struct table *table = table_new(length_columns, 2);

	for (int i = 0; i < 4; i++)
		table_add(table, (struct value[]){ value_number(1000 << i), value_integer(i == 3 ? 0 : 10 * (i + 1)) });
	return table;
}

static struct document *make(void)
{
	struct document *document = document_new("crosscut.ledger/1", "Ledger");
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));
	struct table *parts = table_new(part_columns, 2);

	table_add(parts, (struct value[]){ value_text("read"), value_number(1.5e9) });
	table_add(table, (struct value[]){ value_text("disk"), value_text("ns"), value_number(2e9), value_integer(40123),
					   value_text(stack), value_table(parts), value_table(lengths()) });
	table_add(table, (struct value[]){ value_text("block-read"), value_text("bytes"), value_number(4096),
					   value_integer(7), value_none(), value_none(), value_none() });
	(void)document_add_table(document, "dimensions", "Where the time went", table);
	return document;
}

static char *drawn(const struct document *document, unsigned width)
{
	return rendered(document, "text", (struct view_style){ .width = width });
}

/* Shows what was drawn where it lacks what it should hold. */
static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_error("missing: %s\nin:\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static void assert_width(const char *text, unsigned width)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		CLEANUP_TEXT char *line = xstrndup(text, size);

		if (utf8_width(line) > width)
			print_error("'%s' is wider than %u\n", line, width);
		assert_true(utf8_width(line) <= width);
		assert_true(size == 0 || line[size - 1] != ' ');
		text += size + (text[size] == '\n');
	}
}

TEST(a_row_gives_its_own_unit_and_parts_stand_below_it)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = drawn(document, 100);

	assert_holds(text, "  disk           2 s ████████████████████  40123\n");
	assert_holds(text, "    read      1.50 s ███████████████\n");
	assert_holds(text, "  block-read   4 KiB ████████████████████  7\n");
	assert_null(strstr(text, "bytes"));
}

TEST(a_long_stack_goes_below_its_row)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = drawn(document, 200);

	assert_holds(text, stack);
	assert_holds(text, "      stack  main;");
}

TEST(a_histogram_is_drawn_in_one_line_with_its_ends)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = drawn(document, 100);

	assert_holds(text, "lengths  1 us ▃▅█  8 us");
}

TEST(no_line_is_wider_than_the_terminal_or_ends_in_blanks)
{
	CLEANUP(document) struct document *document = make();
	struct record *record = record_new();

	record_add(record, "command", "Command", "", value_text("a rather long text that has to wrap at its words"));
	record_add_hinted(record, "code", "Code", "", COLUMN_CODE, value_text(stack));
	(void)document_add_record(document, "capture", "Capture", record);
	document_add_finding(document, SEVERITY_WARNING, "one capture per side describes; it does not decide anything");
	for (unsigned width = 40; width < 140; width += 3) {
		CLEANUP_TEXT char *text = drawn(document, width);

		assert_width(text, width);
	}
}

TEST(columns_that_do_not_fit_are_counted_and_never_just_gone)
{
	static const struct column wide[] = {
		{ "a", "aaaaaaaaaaaaaaaa", "ns", 0 }, { "b", "bbbbbbbbbbbbbbbb", "ns", 0 }, { "c", "cccccccccccccccc", "ns", 0 },
	};
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct table *table = table_new(wide, ARRAY_LENGTH(wide));
	CLEANUP_TEXT char *text = NULL;

	table_add(table, (struct value[]){ value_number(1), value_number(2), value_number(3) });
	(void)document_add_table(document, "wide", "Wide", table);
	text = drawn(document, 40);
	assert_null(strstr(text, "cccc"));
	assert_holds(text, "(1 more column needs a wider terminal,");
}

TEST(a_column_called_unit_stays_where_no_number_needs_it)
{
	static const struct column rows[] = { { "name", "name", "", 0 }, { "unit", "unit", "", 0 } };
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct table *table = table_new(rows, ARRAY_LENGTH(rows));
	CLEANUP_TEXT char *text = NULL;

	table_add(table, (struct value[]){ value_text("oncpu"), value_text("ns") });
	(void)document_add_table(document, "rows", "Rows", table);
	text = drawn(document, 80);
	assert_holds(text, "  oncpu  ns\n");
}

static struct tree *tree_of_chain_and_fork(void)
{
	struct tree *tree = tree_new("ns", "exact");

	tree_add(tree, 0, tree_name(tree, "all"), 1000e6, 0, 0);
	tree_add(tree, 1, tree_name(tree, "main"), 1000e6, 0, 0);
	tree_add(tree, 2, tree_name(tree, "light"), 300e6, 297e6, 1);
	tree_add(tree, 3, tree_name(tree, "tiny"), 3e6, 3e6, 1);
	tree_add(tree, 2, tree_name(tree, "heavy"), 700e6, 0, 1);
	tree_add(tree, 3, tree_name(tree, "below"), 700e6, 700e6, 1);
	tree->coalesced = 5;
	return tree;
}

TEST(a_tree_is_drawn_heaviest_first_and_says_what_it_pruned)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	CLEANUP_TEXT char *text = NULL;

	(void)document_add_tree(document, "trees.oncpu", "On CPU", tree_of_chain_and_fork());
	text = drawn(document, 100);
	assert_holds(text, "        1 s       0 ns    100.0 %  all\n"
				     "        1 s       0 ns    100.0 %  main\n"
				     "     700 ms       0 ns     70.0 %  ├─ heavy\n"
				     "     700 ms     700 ms     70.0 %  │  below\n"
				     "     300 ms     297 ms     30.0 %  └─ light\n");
	assert_null(strstr(text, "tiny"));
	assert_holds(text, "(not shown: 1 node below 0.5 %, 0.30 % in all)");
	assert_holds(text, "(merged into \"(other)\": 5 small nodes");
}

TEST(a_deep_tree_needs_no_stack_of_ours)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct tree *tree = tree_new("ns", "exact");
	CLEANUP_TEXT char *text = NULL;

	for (uint32_t depth = 0; depth < 100000; depth++)
		tree_add(tree, depth, depth ? 0 : tree_name(tree, "again"), 10, depth == 99999 ? 10 : 0, 1);
	(void)document_add_tree(document, "trees.oncpu", "On CPU", tree);
	text = drawn(document, 80);
	assert_width(text, 80);
}

TEST(colour_appears_only_where_it_is_wanted)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *plain = drawn(document, 100);
	CLEANUP_TEXT char *coloured = rendered(document, "text", (struct view_style){ .colour = true, .width = 100 });

	assert_null(strchr(plain, '\033'));
	assert_holds(coloured, "\033[1mLedger\033[0m");
}

TEST(sections_for_machines_are_left_out_and_refusal_marks_every_part)
{
	CLEANUP(document) struct document *document = make();
	CLEANUP_TEXT char *text = NULL;

	document_add_record(document, "secret", "For machines", record_new())->hints = COLUMN_MACHINE;
	document->refused = true;
	text = drawn(document, 100);
	assert_null(strstr(text, "For machines"));
	assert_holds(text, "Ledger  [refused: shown with --anyway]");
	assert_holds(text, "Where the time went  [refused: shown with --anyway]");
}

TEST(what_holds_nothing_says_so)
{
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	CLEANUP_TEXT char *text = NULL;

	(void)document_add_table(document, "empty", "Empty table", table_new(columns, ARRAY_LENGTH(columns)));
	(void)document_add_tree(document, "trees.empty", "Empty tree", tree_new("ns", "exact"));
	text = drawn(document, 100);
	assert_holds(text, "(none)");
	assert_holds(text, "(nothing was seen)");
}

TEST(the_views_are_sorted_and_found_by_name)
{
	for (size_t i = 1; views[i]; i++)
		assert_true(strcmp(views[i - 1]->name, views[i]->name) < 0);
	assert_string_equal(view_find("json")->name, "json");
	assert_null(view_find("jso"));
}

TEST(a_short_stack_that_does_not_fit_goes_below_rather_than_away)
{
	static const struct column rows[] = {
		{ "class", "class", "", COLUMN_LEFT }, { "total", "total", "ns", 0 }, { "stack", "stack", "", COLUMN_CODE },
	};
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct table *table = table_new(rows, ARRAY_LENGTH(rows));
	CLEANUP_TEXT char *wide = NULL;
	CLEANUP_TEXT char *narrow = NULL;

	table_add(table, (struct value[]){ value_text("lock/mutex"), value_number(1e9), value_text("worker;pthread_mutex_lock") });
	(void)document_add_table(document, "rows", "Rows", table);
	wide = drawn(document, 80);
	narrow = drawn(document, 40);
	assert_holds(wide, "  lock/mutex    1 s  worker;pthread_mutex_lock\n");
	assert_holds(narrow, "  lock/mutex    1 s\n      stack  worker;pthread_mutex_lock\n");
}

TEST(a_histogram_of_one_length_says_what_its_figures_are)
{
	static const struct column rows[] = { { "name", "name", "", 0 }, { "lengths", "lengths", "", 0 } };
	CLEANUP(document) struct document *document = document_new("crosscut.test/1", "Test");
	struct table *table = table_new(rows, ARRAY_LENGTH(rows)), *one = table_new(length_columns, 2);
	CLEANUP_TEXT char *text = NULL;

	table_add(one, (struct value[]){ value_number(2000), value_integer(7) });
	table_add(table, (struct value[]){ value_text("idle"), value_table(one) });
	(void)document_add_table(document, "rows", "Rows", table);
	text = drawn(document, 80);
	assert_holds(text, "lengths  below 2 us: 7\n");
}
