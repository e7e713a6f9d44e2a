/* SPDX-License-Identifier: Apache-2.0 */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "rendered.h"

static char *drawn(const char *name, bool change)
{
	struct document *document = document_new("crosscut.ledger/1", "a <title>");
	struct tree *tree = tree_new("ns", "sampled");
	char *text;

	if (change) {
		tree_add_change(tree, 0, tree_name(tree, "all"), 10, 0, 90, 100);
		tree_add_change(tree, 1, tree_name(tree, name), 20, 20, 30, 50);
		tree_add_change(tree, 1, tree_name(tree, "shrunk"), -10, -10, 60, 50);
	} else {
		tree_add(tree, 0, tree_name(tree, "all"), 1000000, 0, 3);
		tree_add(tree, 1, tree_name(tree, name), 750000, 750000, 2);
		tree_add(tree, 1, tree_name(tree, "thin"), 1, 1, 1);
		tree_add(tree, 1, tree_name(tree, "right"), 249999, 249999, 1);
	}
	(void)document_add_tree(document, "trees.all", "All", tree);
	text = rendered(document, "svg", (struct view_style){ 0 });
	document_free(document);
	return text;
}

TEST(frames_are_as_wide_as_what_they_weigh_and_lie_beside_each_other)
{
	char *text = drawn("left", false);

	assert_non_null(strstr(text, "<title>left: 750 us, 75.0 %</title><rect x=\"10.0\" y=\"44.0\" width=\"884.5\""));
	assert_non_null(strstr(text, "<title>right: 250 us, 25.0 %</title><rect x=\"895.0\" y=\"44.0\" width=\"294.5\""));
	assert_non_null(strstr(text, "<title>all: 1 ms, 100.0 %</title><rect x=\"10.0\" y=\"62.0\" width=\"1179.5\""));
	free(text);
}

TEST(what_is_too_thin_to_see_is_counted)
{
	char *text = drawn("left", false);

	assert_non_null(strstr(text, "1 frames are too thin to be drawn"));
	assert_null(strstr(text, "<title>thin"));
	free(text);
}

TEST(a_name_cannot_leave_its_element_and_needs_no_script)
{
	char *text = drawn("</title><script>\"\x01\xff&", false);

	assert_non_null(strstr(text, "<title>&#60;/title&#62;&#60;script&#62;&#34;??&#38;: "));
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "href"));
	free(text);
}

TEST(a_tree_of_what_changed_has_both_sides_and_two_colours)
{
	char *text = drawn("grown", true);

	assert_non_null(strstr(text, "<title>grown: 30 ns → 50 ns</title>"));
	assert_non_null(strstr(text, "fill=\"rgb(245,95,95)\""));
	assert_non_null(strstr(text, "fill=\"rgb(165,165,245)\""));
	free(text);
}

TEST(without_a_tree_it_says_so)
{
	struct document *document = document_new("crosscut.ledger/1", "none");
	char *text = rendered(document, "svg", (struct view_style){ 0 });

	assert_non_null(strstr(text, "no stacks"));
	assert_non_null(strstr(text, "</svg>\n"));
	free(text);
	document_free(document);
}
