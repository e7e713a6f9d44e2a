/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A weighted call tree in preorder, column by column: what a view needs is one walk, and 200,000 nodes stay five flat
 * arrays. Whoever fills it keeps it below the limit by merging small nodes and counting them in `coalesced`.
 */
#include "base/memory.h"
#include "result/document.h"

#include <assert.h>
#include <stdlib.h>

struct tree *tree_new(const char *unit, const char *weighting)
{
	struct tree *tree = xcalloc(1, sizeof(*tree));

	tree->unit = xstrdup(unit);
	tree->weighting = xstrdup(weighting);
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->name_count; i++)
		free(tree->name_texts[i]);
	free(tree->name_texts);
	free(tree->depths);
	free(tree->names);
	free(tree->values);
	free(tree->selves);
	free(tree->counts);
	free(tree->bases);
	free(tree->candidates);
	free(tree->unit);
	free(tree->weighting);
	free(tree);
}

uint32_t tree_name(struct tree *tree, const char *name)
{
	grow(tree->name_texts, tree->name_count, tree->name_room);
	tree->name_texts[tree->name_count] = xstrdup(name);
	return (uint32_t)tree->name_count++;
}

static void tree_grow(struct tree *tree)
{
	size_t room = tree->node_room ? tree->node_room * 2 : 64;

	if (tree->node_count < tree->node_room)
		return;
	tree->depths = xreallocarray(tree->depths, room, sizeof(*tree->depths));
	tree->names = xreallocarray(tree->names, room, sizeof(*tree->names));
	tree->values = xreallocarray(tree->values, room, sizeof(*tree->values));
	tree->selves = xreallocarray(tree->selves, room, sizeof(*tree->selves));
	tree->counts = xreallocarray(tree->counts, room, sizeof(*tree->counts));
	tree->node_room = room;
}

void tree_add(struct tree *tree, uint32_t depth, uint32_t name, double value, double self, uint64_t count)
{
	size_t last = tree->node_count;

	assert(last < DOCUMENT_NODE_LIMIT);
	assert(name < tree->name_count);
	assert(last ? depth > 0 && depth <= tree->depths[last - 1] + 1 : depth == 0);
	tree_grow(tree);
	tree->depths[last] = depth;
	tree->names[last] = name;
	tree->values[last] = value;
	tree->selves[last] = self;
	tree->counts[last] = count;
	tree->node_count++;
}

/* The two columns have their own room, so that ordinary trees carry none. */
void tree_add_change(struct tree *tree, uint32_t depth, uint32_t name, double value, double self, double base, double candidate)
{
	size_t last = tree->node_count, room = tree->node_room;

	tree_add(tree, depth, name, value, self, 0);
	if (tree->node_room != room || !tree->bases) {
		tree->bases = xreallocarray(tree->bases, tree->node_room, sizeof(*tree->bases));
		tree->candidates = xreallocarray(tree->candidates, tree->node_room, sizeof(*tree->candidates));
	}
	tree->bases[last] = base;
	tree->candidates[last] = candidate;
}
