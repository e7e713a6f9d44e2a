/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are rows of one array, a child is found through a map of (parent, name). A node lies after
 * its parent, so inclusive weights are one pass from the end. No child weighs more than its
 * parent: the heaviest n nodes, parents first among equals, are always a tree of their own, and
 * pruning is a sort and a cut.
 */
#include "analysis/call_tree.h"

#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "result/document.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct node {
	uint32_t parent, name;
	uint64_t events;
	double self;
};

struct edge { uint32_t parent, name; };

struct call_tree {
	struct node *nodes;
	size_t count, room;
	struct map *children;
	struct map *ends;            /* of a stack below a node: that node plus 1 */
};

struct call_tree *call_tree_new(void)
{
	struct call_tree *tree = xcalloc(1, sizeof(*tree));

	tree->children = map_new(sizeof(struct edge));
	tree->ends = map_new(sizeof(struct edge));
	grow(tree->nodes, tree->count, tree->room);
	tree->nodes[tree->count++] = (struct node){ 0 };
	return tree;
}

void call_tree_free(struct call_tree *tree)
{
	if (!tree)
		return;
	map_free(tree->children);
	map_free(tree->ends);
	free(tree->nodes);
	free(tree);
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	const struct edge edge = { parent, name };
	bool added;
	uint32_t *node = map_put(tree->children, &edge, &added);

	if (!added)
		return *node;
	*node = (uint32_t)tree->count;
	grow(tree->nodes, tree->count, tree->room);
	tree->nodes[tree->count] = (struct node){ .parent = parent, .name = name };
	return (uint32_t)tree->count++;
}

uint32_t call_tree_stack(struct call_tree *tree, uint32_t from, struct naming *naming,
			 struct stack_id stack)
{
	const struct edge key = { from, stack.index };
	uint32_t *end = map_put(tree->ends, &key, NULL);
	size_t count;
	const uint32_t *path;

	if (*end)
		return *end - 1;
	path = naming_path(naming, stack, &count);
	for (size_t i = 0; i < count; i++)
		from = call_tree_child(tree, from, path[i]);
	*end = from + 1;
	return from;
}

void call_tree_weigh(struct call_tree *tree, uint32_t node, double weight, uint64_t events)
{
	tree->nodes[node].self += weight;
	tree->nodes[node].events += events;
}

void call_tree_add(struct call_tree *tree, uint32_t from, const uint32_t *names, size_t count,
		   double weight, uint64_t events)
{
	for (size_t i = 0; i < count; i++)
		from = call_tree_child(tree, from, names[i]);
	call_tree_weigh(tree, from, weight, events);
}

double call_tree_total(const struct call_tree *tree)
{
	double sum = 0;

	for (size_t i = 0; i < tree->count; i++)
		sum += tree->nodes[i].self;
	return sum;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

struct drawing {
	const struct call_tree *from;
	const struct naming *naming;
	double *values;              /* inclusive, by node */
	uint64_t *events;
	bool *kept;
	uint32_t *children;          /* nodes sorted by parent, then name; a node's own lie together */
	uint32_t *first;             /* by node: where its children begin; one more at the end */
	uint32_t *tree_names;        /* by name: its number in the tree plus 1; 0 not yet there */
	uint32_t other;              /* the same for "(other)" */
	struct tree *into;
};

static void sum_inclusive(struct drawing *drawing)
{
	const struct call_tree *from = drawing->from;

	for (size_t i = 0; i < from->count; i++) {
		drawing->values[i] = from->nodes[i].self;
		drawing->events[i] = from->nodes[i].events;
	}
	for (size_t i = from->count; i-- > 1;) {
		drawing->values[from->nodes[i].parent] += drawing->values[i];
		drawing->events[from->nodes[i].parent] += drawing->events[i];
	}
}

static int compare_children(const void *left, const void *right, void *context)
{
	const struct drawing *drawing = context;
	const struct node *a = &drawing->from->nodes[*(const uint32_t *)left];
	const struct node *b = &drawing->from->nodes[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(naming_text(drawing->naming, a->name), naming_text(drawing->naming, b->name));
}

static void sort_children(struct drawing *drawing)
{
	size_t count = drawing->from->count, at = 0;

	for (uint32_t i = 1; i < count; i++)
		drawing->children[i - 1] = i;
	qsort_r(drawing->children, count - 1, sizeof(uint32_t), compare_children, drawing);
	for (size_t parent = 0; parent <= count; parent++) {
		while (at < count - 1 &&
		       drawing->from->nodes[drawing->children[at]].parent < parent)
			at++;
		drawing->first[parent] = (uint32_t)at;
	}
}

static int compare_weight(const void *left, const void *right, void *context)
{
	const struct drawing *drawing = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (drawing->values[a] != drawing->values[b])
		return drawing->values[a] > drawing->values[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Nodes drawn when the heaviest `count` are kept: those, and an "(other)" per kept node that lost
 * a child. */
static size_t drawn_with(struct drawing *drawing, const uint32_t *heaviest, size_t count)
{
	size_t others = 0;
	bool *lossy = xcalloc(drawing->from->count, sizeof(bool));

	memset(drawing->kept, 0, drawing->from->count * sizeof(bool));
	for (size_t i = 0; i < count; i++)
		drawing->kept[heaviest[i]] = true;
	for (size_t i = 1; i < drawing->from->count; i++) {
		uint32_t parent = drawing->from->nodes[i].parent;

		if (drawing->kept[i] || !drawing->kept[parent] || lossy[parent])
			continue;
		lossy[parent] = true;
		others++;
	}
	free(lossy);
	return count + others;
}

static void prune(struct drawing *drawing, size_t limit)
{
	size_t count = drawing->from->count, keep = 1, too_many = limit + 1;
	uint32_t *heaviest;

	memset(drawing->kept, true, count * sizeof(bool));
	if (count <= limit)
		return;
	heaviest = xcalloc(count, sizeof(*heaviest));
	for (uint32_t i = 0; i < count; i++)
		heaviest[i] = i;
	qsort_r(heaviest, count, sizeof(*heaviest), compare_weight, drawing);
	while (too_many - keep > 1) {
		size_t middle = keep + (too_many - keep) / 2;

		if (drawn_with(drawing, heaviest, middle) <= limit)
			keep = middle;
		else
			too_many = middle;
	}
	(void)drawn_with(drawing, heaviest, keep);
	drawing->into->coalesced = count - keep;
	free(heaviest);
}

static uint32_t name_in_tree(struct drawing *drawing, uint32_t *known, const char *text)
{
	if (!*known)
		*known = tree_name(drawing->into, text) + 1;
	return *known - 1;
}

static void draw_others(struct drawing *drawing, uint32_t parent, uint32_t depth)
{
	double value = 0;
	uint64_t events = 0;
	bool any = false;

	for (uint32_t i = drawing->first[parent]; i < drawing->first[parent + 1]; i++) {
		uint32_t child = drawing->children[i];

		if (drawing->kept[child])
			continue;
		any = true;
		value += drawing->values[child];
		events += drawing->events[child];
	}
	if (any)
		tree_add(drawing->into, depth, name_in_tree(drawing, &drawing->other, "(other)"),
			 value, value, events);
}

static void draw_node(struct drawing *drawing, uint32_t node, uint32_t depth)
{
	const struct node *row = &drawing->from->nodes[node];
	uint32_t name = node ? name_in_tree(drawing, &drawing->tree_names[row->name],
					    naming_text(drawing->naming, row->name))
			     : 0;

	tree_add(drawing->into, depth, name, drawing->values[node], row->self,
		 drawing->events[node]);
}

struct step {
	uint32_t node;
	uint32_t cursor;             /* the next of its children to look at */
};

/* The next child that is drawn; 0 where none is left. */
static uint32_t step_child(const struct drawing *drawing, struct step *step)
{
	while (step->cursor < drawing->first[step->node + 1]) {
		uint32_t child = drawing->children[step->cursor++];

		if (drawing->kept[child])
			return child;
	}
	return 0;
}

/* Preorder without recursion: a stack may be thousands of frames deep. */
static void draw_nodes(struct drawing *drawing)
{
	struct step *path = NULL;
	size_t depth = 0, room = 0;
	uint32_t node = CALL_TREE_ROOT;

	do {
		if (node || !depth) {
			draw_node(drawing, node, (uint32_t)depth);
			grow(path, depth, room);
			path[depth++] = (struct step){ node, drawing->first[node] };
		}
		node = step_child(drawing, &path[depth - 1]);
		if (!node) {
			draw_others(drawing, path[depth - 1].node, (uint32_t)depth);
			depth--;
		}
	} while (depth);
	free(path);
}

struct tree *call_tree_draw(const struct call_tree *tree, const struct naming *naming,
			    const char *root_name, const char *unit, const char *weighting,
			    size_t limit)
{
	struct drawing drawing = { .from = tree,
				   .naming = naming,
				   .into = tree_new(unit, weighting) };

	assert(limit >= 2);
	drawing.values = xcalloc(tree->count, sizeof(*drawing.values));
	drawing.events = xcalloc(tree->count, sizeof(*drawing.events));
	drawing.kept = xcalloc(tree->count, sizeof(*drawing.kept));
	drawing.children = xcalloc(tree->count, sizeof(*drawing.children));
	drawing.first = xcalloc(tree->count + 1, sizeof(*drawing.first));
	drawing.tree_names = xcalloc(naming_count(naming), sizeof(*drawing.tree_names));
	(void)tree_name(drawing.into, root_name);
	sum_inclusive(&drawing);
	sort_children(&drawing);
	prune(&drawing, limit);
	draw_nodes(&drawing);
	free(drawing.values);
	free(drawing.events);
	free(drawing.kept);
	free(drawing.children);
	free(drawing.first);
	free(drawing.tree_names);
	return drawing.into;
}
