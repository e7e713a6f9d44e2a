/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/call_tree.h"

#include "analysis/naming.h"
#include "unit/analysis/asking.h"

struct forest {
	struct profile *profile;
	struct naming *naming;
	struct call_tree *tree;
};

static struct forest forest(void)
{
	struct forest it = { .profile = profile_new(), .tree = call_tree_new() };

	profile_freeze(it.profile);
	it.naming = naming_new(it.profile);
	return it;
}

static void fell(struct forest *it)
{
	call_tree_free(it->tree);
	naming_free(it->naming);
	profile_free(it->profile);
}

/* "serve;parse" */
static void add(struct forest *it, const char *path, double weight)
{
	char text[1024], *rest = text, *name;
	uint32_t names[64];
	size_t count = 0;

	(void)snprintf(text, sizeof(text), "%s", path);
	while ((name = strsep(&rest, ";")))
		names[count++] = naming_put(it->naming, name);
	call_tree_add(it->tree, CALL_TREE_ROOT, names, count, weight, 1);
}

TEST(paths_merge_where_they_agree)
{
	struct forest it = forest();
	struct tree *tree;

	add(&it, "b;c", 1);
	add(&it, "a", 2);
	add(&it, "b", 4);
	add(&it, "b;c", 8);
	near(call_tree_total(it.tree), 15);
	tree = call_tree_draw(it.tree, it.naming, "all", "ns", "exact", 100);
	assert_int_equal(tree->node_count, 4);
	assert_string_equal(tree->name_texts[tree->names[1]], "a");
	near(tree->values[0], 15);
	near(tree->values[node_at(tree, "b")], 13);
	near(tree->selves[node_at(tree, "b")], 4);
	near(tree->selves[node_at(tree, "b;c")], 9);
	assert_int_equal(tree->counts[node_at(tree, "b")], 3);
	assert_int_equal(tree->coalesced, 0);
	tree_free(tree);
	fell(&it);
}

TEST(beyond_the_limit_the_smallest_become_other_and_no_weight_is_lost)
{
	struct forest it = forest();
	struct tree *tree;
	double sum = 0, weight_of_others = 0;
	size_t others = 0;

	for (int i = 0; i < 1000; i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "f%d;g%d;h%d", i % 10, i % 100, i);
		add(&it, path, i + 1);
	}
	tree = call_tree_draw(it.tree, it.naming, "all", "ns", "exact", 150);
	assert_in_range(tree->node_count, 100, 150);
	for (size_t i = 0; i < tree->node_count; i++) {
		bool other = !strcmp(tree->name_texts[tree->names[i]], "(other)");

		sum += tree->selves[i];
		others += other;
		weight_of_others += other ? tree->selves[i] : 0;
	}
	near(sum, 1000 * 1001 / 2);
	assert_true(weight_of_others > 0);
	assert_int_equal(tree->coalesced, 1111 - (tree->node_count - others));
	(void)node_at(tree, "f9");
	tree_free(tree);
	fell(&it);
}

TEST(a_very_deep_stack_needs_no_stack_to_be_drawn)
{
	struct forest it = forest();
	struct tree *tree;
	uint32_t node = CALL_TREE_ROOT, name = naming_put(it.naming, "again");

	for (int i = 0; i < 100000; i++)
		node = call_tree_child(it.tree, node, name);
	call_tree_add(it.tree, node, NULL, 0, 5, 1);
	tree = call_tree_draw(it.tree, it.naming, "all", "ns", "exact", DOCUMENT_NODE_LIMIT);
	assert_int_equal(tree->node_count, 100001);
	near(tree->values[100000], 5);
	near(tree->values[0], 5);
	tree_free(tree);
	fell(&it);
}

TEST(an_empty_tree_is_its_root)
{
	struct forest it = forest();
	struct tree *tree = call_tree_draw(it.tree, it.naming, "all", "ns", "exact", 2);

	assert_int_equal(tree->node_count, 1);
	near(tree->values[0], 0);
	tree_free(tree);
	fell(&it);
}
