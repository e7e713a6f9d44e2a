/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static const double period = BUILDER_PERIOD;

static void assert_children_sorted(const struct tree *tree, size_t parent)
{
	const char *last = "";

	for (size_t i = parent + 1; i < tree->node_count && tree->depths[i] > tree->depths[parent];
	     i++) {
		if (tree->depths[i] != tree->depths[parent] + 1)
			continue;
		assert_true(strcmp(last, tree->name_texts[tree->names[i]]) < 0);
		last = tree->name_texts[tree->names[i]];
	}
}

/* Each node holds its own weight and its children's. */
static void assert_adds_up(const struct tree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++) {
		double sum = tree->selves[i];

		for (size_t child = i + 1;
		     child < tree->node_count && tree->depths[child] > tree->depths[i]; child++)
			sum += tree->depths[child] == tree->depths[i] + 1 ? tree->values[child] : 0;
		near(sum, tree->values[i]);
		assert_children_sorted(tree, i);
	}
}

TEST(the_tree_of_a_dimension_has_its_stacks_and_nothing_else)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct tree *tree;

	it.question.dimension = "oncpu";
	assert_int_equal(ask(&it, "tree"), 0);
	tree = tree_at(&it, "trees.oncpu");
	assert_adds_up(tree);
	assert_string_equal(tree->name_texts[tree->names[0]], "oncpu");
	assert_string_equal(tree->unit, "ns");
	assert_string_equal(tree->weighting, "sampled, one per 10.1 ms (cpu-clock)");
	near(tree->values[0], 229 * 256 * period);
	near(tree->values[node_at(tree, "start_thread;worker;serve;parse")], 108 * 256 * period);
	near(tree->values[node_at(tree, "start_thread;worker;serve;lookup")], 121 * 256 * period);
	near(tree->selves[node_at(tree, "start_thread;worker;serve;lookup;store_read;vfs_read")],
	     61 * 256 * period);
	assert_int_equal(tree->counts[node_at(tree, "start_thread")], 229 * 256);
	asked(&it);
}

TEST(a_part_has_a_tree_of_its_own)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.dimension = "oncpu/kernel";
	assert_int_equal(ask(&it, "tree"), 0);
	near(tree_at(&it, "trees.oncpu/kernel")->values[0], 61 * 256 * period);
	asked(&it);
}

TEST(running_and_waiting_stand_together_per_thread_name_and_state)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct tree *tree;

	it.question.dimension = "wall";
	assert_int_equal(ask(&it, "tree"), 0);
	tree = tree_at(&it, "trees.wall");
	assert_adds_up(tree);
	near(tree->values[node_at(tree, "worker;[oncpu/user];start_thread;worker;serve;parse")],
	     108 * 254 * period);
	near(tree->values[node_at(tree, "worker;[runnable/woken]")], 5e9 * 254);
	near(tree->selves[node_at(tree, "worker;[runnable/woken]")], 5e9 * 254);
	near(tree->values[node_at(tree, "worker;[disk/read]")], 13125e6 * 0.98 * 254);
	near(tree->values[node_at(tree, "acceptor;[disk/read]")], 13125e6 * 0.98 * 2);
	for (size_t i = 0; i < tree->name_count; i++)
		assert_null(strstr(tree->name_texts[i], "idle"));
	near(number_at(table_at(&it, "functions"), "parse", "exclusive_share"),
	     108 * 256 * period / tree->values[0]);
	asked(&it);
}

TEST(weights_stand_beside_the_exact_totals)
{
	struct asking it = asking(mercury(&mercury_candidate));
	const struct table *table;

	it.question.dimension = "disk";
	assert_int_equal(ask(&it, "tree"), 0);
	table = table_at(&it, "weights");
	near(number_at(table, "disk", "total"), 3360e9 * 0.98);
	near(number_at(table, "disk", "exact"), 3360e9);
	near(number_at(table, "disk", "difference"), -3360e9 * 0.02);
	assert_string_equal(cell_at(table, 0, "weighting")->text,
			    "sampled, 1 in 2^k by expected length (sched)");
	asked(&it);
}

TEST(without_a_dimension_each_that_has_stacks_gets_a_tree)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(ask(&it, "tree"), 0);
	assert_adds_up(tree_at(&it, "trees.wall"));
	assert_adds_up(tree_at(&it, "trees.oncpu"));
	assert_adds_up(tree_at(&it, "trees.disk"));
	assert_adds_up(tree_at(&it, "trees.lock"));
	assert_adds_up(tree_at(&it, "trees.idle"));
	assert_null(document_find(it.document, "trees.runnable"));
	assert_null(document_find(it.document, "trees.migrations"));
	assert_int_equal(table_at(&it, "weights")->row_count, 5);
	asked(&it);
}

TEST(what_has_no_good_stack_is_rooted_under_its_cause)
{
	struct profile *profile = profile_new();
	struct slice_id slice = { 0 };
	struct thread_id thread = { 0 };
	struct asking it;
	const struct tree *tree;

	built_samples(profile, slice, thread, "oncpu/user", (struct stack_id){ 0 }, 1);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;a", STACK_FAILED), 2);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;a;b", STACK_TRUNCATED), 4);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;?/lib/libz.so.1", STACK_UNVERIFIED), 8);
	built_samples(profile, slice, thread, "oncpu/kernel",
		      built_stack(profile, "main;?/lib/libz.so.1;[k]read", STACK_UNVERIFIED), 16);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;?/lib/libz.so.1;c", STACK_UNVERIFIED), 32);
	it = asking(profile);
	it.question.dimension = "oncpu";
	assert_int_equal(ask(&it, "tree"), 0);
	tree = tree_at(&it, "trees.oncpu");
	assert_adds_up(tree);
	near(tree->values[node_at(tree, "[no stack: not taken]")], period);
	near(tree->values[node_at(tree, "[no stack: the walk failed];main;a")], 2 * period);
	near(tree->values[node_at(tree, "[cut stack: deeper than the limit]")], 4 * period);
	near(tree->values[node_at(tree, "[unresolved: libz.so.1]")], 24 * period);
	near(tree->values[node_at(tree, "main")], 32 * period);
	near(tree->values[node_at(tree, "main;[unresolved: libz.so.1];c")], 32 * period);
	asked(&it);
}

TEST(inlined_calls_are_frames)
{
	struct profile *profile = profile_new();
	struct frame frame = { .file = profile_file(profile, "/bin/p", NULL),
			       .offset = 16,
			       .method = METHOD_LEAF };
	struct frame_id id = profile_frame(profile, frame);
	struct asking it;

	profile_add_symbol(profile, (struct symbol){ .frame = id,
						     .depth = 0,
						     .name = profile_string(profile, "inner") });
	profile_add_symbol(profile, (struct symbol){ .frame = id,
						     .depth = 1,
						     .name = profile_string(profile, "outer") });
	built_samples(profile, (struct slice_id){ 0 }, (struct thread_id){ 0 }, "oncpu/user",
		      profile_stack(profile, (struct stack_id){ 0 }, id, STACK_UNVERIFIED), 1);
	it = asking(profile);
	it.question.dimension = "oncpu";
	assert_int_equal(ask(&it, "tree"), 0);
	near(tree_at(&it, "trees.oncpu")
		     ->selves[node_at(tree_at(&it, "trees.oncpu"), "outer;inner")],
	     period);
	asked(&it);
}

TEST(a_dimension_that_the_profile_has_none_of_gives_an_empty_tree)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.dimension = "paging/swap";
	assert_int_equal(ask(&it, "tree"), 0);
	assert_int_equal(tree_at(&it, "trees.paging/swap")->node_count, 1);
	near(tree_at(&it, "trees.paging/swap")->values[0], 0);
	asked(&it);
}

TEST(an_unknown_dimension_is_refused)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.dimension = "oncpu/usre";
	assert_true(ask(&it, "tree") < 0);
	assert_string_equal(it.err.next, "--dimension oncpu/user");
	asked(&it);
}
