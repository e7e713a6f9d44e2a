/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds trees for the page's test: a small one from folded paths, and a large one of a known number of nodes with the
 * shape of real profiles (few wide stacks, a long tail of narrow ones).
 */
#include "trees.h"

#include "base/memory.h"
#include "result/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 60 };

static uint32_t name_find(struct tree *tree, const char *name)
{
	for (size_t i = 0; i < tree->name_count; i++) {
		if (!strcmp(tree->name_texts[i], name))
			return (uint32_t)i;
	}
	return tree_name(tree, name);
}

/* Inclusive from exclusive weights: a preorder read backwards meets every child before its parent. */
static void tree_sum(struct tree *tree)
{
	double below[DEPTH_LIMIT + 3] = { 0 };

	for (size_t i = tree->node_count; i-- > 0;) {
		uint32_t depth = tree->depths[i];

		tree->values[i] = tree->selves[i] + below[depth + 1];
		below[depth + 1] = 0;
		below[depth] += tree->values[i];
	}
}

static size_t frames_split(char *frames, char **into)
{
	size_t count = 0;

	for (char *frame = strtok(frames, ";"); frame && count < DEPTH_LIMIT; frame = strtok(NULL, ";"))
		into[count++] = frame;
	return count;
}

struct tree *tree_of_paths(const char *unit, const char *weighting, const struct path *paths, size_t count, double scale)
{
	struct tree *tree = tree_new(unit, weighting);
	char *open[DEPTH_LIMIT] = { 0 }, *frames[DEPTH_LIMIT];
	char *kept = NULL;
	size_t depth = 0;

	tree_add(tree, 0, tree_name(tree, "all"), 0, 0, 0);
	for (size_t i = 0; i < count; i++) {
		char *text = xstrdup(paths[i].frames);
		size_t same = 0, length = frames_split(text, frames);

		while (same < depth && same < length && !strcmp(open[same], frames[same]))
			same++;
		for (size_t at = same; at < length; at++)
			tree_add(tree, (uint32_t)at + 1, name_find(tree, frames[at]), 0, 0, 0);
		tree->selves[tree->node_count - 1] = round(paths[i].self * scale);
		tree->counts[tree->node_count - 1] = paths[i].count;
		memcpy(open, frames, sizeof(open));
		depth = length;
		free(kept);
		kept = text;
	}
	free(kept);
	tree_sum(tree);
	return tree;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void large_names(struct tree *tree)
{
	static const char *const modules[] = { "codec", "store", "net", "index", "query", "cache", "util" };
	char name[96];

	tree_name(tree, "all");
	for (unsigned i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "%s::node_%u::visit(std::vector<unsigned long> const&)",
			       modules[i % 7], i);
		tree_name(tree, name);
	}
}

struct tree *tree_large(size_t nodes)
{
	struct tree *tree = tree_new("ns", "sampled at 99 Hz");
	uint64_t state = 42;
	uint32_t depth = 0;

	large_names(tree);
	tree_add(tree, 0, 0, 0, 0, 0);
	while (tree->node_count < nodes) {
		uint64_t roll = random_next(&state);
		uint32_t up = roll % 100 < 62 ? 0 : 1 + (uint32_t)(random_next(&state) % 4);
		double self = roll % 3 ? 0 : exp((double)(random_next(&state) % 1000) / 1000 * 12) * 1e3;

		depth = depth > up ? depth - up + 1 : 1;
		if (depth > DEPTH_LIMIT)
			depth = DEPTH_LIMIT - (uint32_t)(random_next(&state) % DEPTH_LIMIT);
		tree_add(tree, depth, 1 + (uint32_t)(random_next(&state) % 5000), 0, round(self), self > 0);
	}
	for (size_t i = 0; i < nodes; i++) {
		if (i + 1 == nodes || tree->depths[i + 1] <= tree->depths[i])
			tree->selves[i] = tree->selves[i] > 0 ? tree->selves[i] : 1e4;
	}
	tree_sum(tree);
	return tree;
}
