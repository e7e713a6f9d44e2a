/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two flame graphs per dimension: what grew, and what shrank. A node's own change per completion goes into one of them or the
 * other, and width adds up from the leaves: no width is negative, and a stack that vanished stands in the second tree at its
 * full former width (D. Tornetta, arXiv 2301.08941, splits a difference the same way).
 */
#include "compare/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/document.h"

enum { NODES_MOST = 20000 };
static const double least_share = 0.0005;    /* of a tree's width; thinner nodes become one "(other)" per parent */

struct drawing {
	const struct comparison *comparison;
	double sign;                         /* 1: what grew; -1: what shrank */
	double *widths, *own;                /* by node */
	uint32_t *children, *first;          /* kept nodes by parent, then name; where a node's begin */
	uint32_t *tree_names;                /* by name: its number in the tree plus 1 */
	uint32_t other;
	size_t kept;
	struct tree *into;
};

static void find_widths(struct drawing *drawing)
{
	const struct comparison *comparison = drawing->comparison;
	size_t count = forest_count(comparison->forest);

	for (uint32_t node = 1; node < count; node++)
		drawing->own[node] = drawing->sign *
				     (comparison->pooled[SIDE_CANDIDATE][node] - comparison->pooled[SIDE_BASE][node]);
	for (size_t node = count; node-- > 1;)       /* from inclusive to own: children lie behind their parents */
		drawing->own[forest_parent(comparison->forest, (uint32_t)node)] -=
			drawing->sign * (comparison->pooled[SIDE_CANDIDATE][node] - comparison->pooled[SIDE_BASE][node]);
	for (uint32_t node = 1; node < count; node++)
		drawing->own[node] = drawing->widths[node] = fmax(0, drawing->own[node]);
	for (size_t node = count; node-- > 1;)
		drawing->widths[forest_parent(comparison->forest, (uint32_t)node)] += drawing->widths[node];
}

static bool is_kept(const struct drawing *drawing, uint32_t node)
{
	double whole = drawing->widths[forest_root(drawing->comparison->forest, node)];

	return drawing->widths[node] > 0 && drawing->widths[node] >= least_share * whole;
}

static int compare_children(const void *left, const void *right, void *context)
{
	const struct forest *forest = ((const struct drawing *)context)->comparison->forest;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (forest_parent(forest, a) != forest_parent(forest, b))
		return forest_parent(forest, a) < forest_parent(forest, b) ? -1 : 1;
	return strcmp(forest_text(forest, forest_name(forest, a)), forest_text(forest, forest_name(forest, b)));
}

static void sort_children(struct drawing *drawing)
{
	const struct forest *forest = drawing->comparison->forest;
	size_t count = forest_count(forest), at = 0;

	for (uint32_t node = 1; node < count; node++)
		if (is_kept(drawing, node))
			drawing->children[drawing->kept++] = node;
	qsort_r(drawing->children, drawing->kept, sizeof(uint32_t), compare_children, drawing);
	for (uint32_t node = 0; node <= count; node++) {
		while (at < drawing->kept && forest_parent(forest, drawing->children[at]) < node)
			at++;
		drawing->first[node] = (uint32_t)at;
	}
}

static uint32_t name_in_tree(struct drawing *drawing, uint32_t *known, const char *text)
{
	if (!*known)
		*known = tree_name(drawing->into, text) + 1;
	return *known - 1;
}

static void draw_node(struct drawing *drawing, uint32_t node, uint32_t depth)
{
	const struct comparison *comparison = drawing->comparison;
	uint32_t name = forest_name(comparison->forest, node);

	tree_add_change(drawing->into, depth,
			name_in_tree(drawing, &drawing->tree_names[name], forest_text(comparison->forest, name)),
			drawing->widths[node], drawing->own[node], comparison->pooled[SIDE_BASE][node],
			comparison->pooled[SIDE_CANDIDATE][node]);
}

/* What its thin children hold together, so that widths add up. */
static void draw_other(struct drawing *drawing, uint32_t node, uint32_t depth)
{
	double rest = drawing->widths[node] - drawing->own[node];

	for (uint32_t i = drawing->first[node]; i < drawing->first[node + 1]; i++)
		rest -= drawing->widths[drawing->children[i]];
	if (rest <= 1e-9 * drawing->widths[node])
		return;
	tree_add_change(drawing->into, depth, name_in_tree(drawing, &drawing->other, "(other)"), rest, rest,
			drawing->sign < 0 ? rest : 0, drawing->sign < 0 ? 0 : rest);
	drawing->into->coalesced++;
}

struct step { uint32_t node, cursor; };

/* Preorder without recursion: a stack may be thousands of frames deep. */
static void draw_nodes(struct drawing *drawing, uint32_t root)
{
	struct step *path = NULL;
	size_t depth = 0, room = 0;

	draw_node(drawing, root, 0);
	grow(path, depth, room);
	path[depth++] = (struct step){ root, drawing->first[root] };
	while (depth) {
		struct step *step = &path[depth - 1];
		uint32_t child;

		if (step->cursor == drawing->first[step->node + 1] || drawing->into->node_count >= NODES_MOST - depth - 1) {
			if (drawing->into->node_count < NODES_MOST)
				draw_other(drawing, step->node, (uint32_t)depth);
			depth--;
			continue;
		}
		child = drawing->children[step->cursor++];
		draw_node(drawing, child, (uint32_t)depth);
		grow(path, depth, room);
		path[depth++] = (struct step){ child, drawing->first[child] };
	}
	free(path);
}

static const struct compared *state_of(const struct comparison *comparison, const char *name)
{
	const struct compared *row = comparison_find(comparison, name);

	return row && row->kind != ROW_STACK && row->dimension_kind != DIMENSION_IDLE && !row->lacks[SIDE_BASE] &&
			       !row->lacks[SIDE_CANDIDATE]
		       ? row
		       : NULL;
}

static void draw_root(struct drawing *drawing, uint32_t root, struct document *into)
{
	const char *name = forest_text(drawing->comparison->forest, forest_name(drawing->comparison->forest, root));
	const struct compared *state = state_of(drawing->comparison, name);
	const char *word = drawing->sign > 0 ? "grew" : "shrank";
	CLEANUP_TEXT char *key = xasprintf("trees.%s.%s", word, name);
	CLEANUP_TEXT char *title = xasprintf("%s: what %s, per correct completion", name, word);

	if (!state || drawing->widths[root] <= 0)
		return;
	drawing->into = tree_new(state->unit, "per correct completion; width is the change, colour how large it is beside the base");
	memset(drawing->tree_names, 0, forest_name_count(drawing->comparison->forest) * sizeof(uint32_t));
	drawing->other = 0;
	draw_nodes(drawing, root);
	(void)document_add_tree(into, key, title, drawing->into);
}

static void draw_sign(const struct comparison *comparison, double sign, struct document *into)
{
	size_t count = forest_count(comparison->forest);
	struct drawing drawing = {
		.comparison = comparison, .sign = sign, .widths = xcalloc(count, sizeof(double)), .own = xcalloc(count, sizeof(double)),
		.children = xcalloc(count, sizeof(uint32_t)), .first = xcalloc(count + 1, sizeof(uint32_t)),
		.tree_names = xcalloc(forest_name_count(comparison->forest), sizeof(uint32_t)),
	};

	find_widths(&drawing);
	sort_children(&drawing);
	for (uint32_t node = 1; node < count; node++)
		if (!forest_parent(comparison->forest, node))
			draw_root(&drawing, node, into);
	free(drawing.widths);
	free(drawing.own);
	free(drawing.children);
	free(drawing.first);
	free(drawing.tree_names);
}

void comparison_add_trees(const struct comparison *comparison, struct document *into)
{
	draw_sign(comparison, 1, into);
	draw_sign(comparison, -1, into);
}
