/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A weighted tree as an indented call tree, heaviest first. A node that is all its parent hands down stays at its
 * parent's indent, so that deep stacks do not run out of the line. What weighs less than half a percent is pruned, and
 * the last line says how much that was.
 *
 *	inclusive      self    share  calls
 *	   1.53 s      0 ns  100.0 %  all
 *	   1.20 s   12.1 ms   78.4 %  ├─ worker
 *	   905 ms    905 ms   59.2 %  │  parse
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "result/document.h"
#include "view/ink.h"
#include "view/short_name.h"
#include "view/text_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_WIDTH = 9, GUIDE_LIMIT = 120 };        /* bytes: some thirty forks */
static const double prune_share = 0.005;

/* Links between the nodes that are shown; SIZE_MAX ends a list. */
struct shown {
	const struct tree *tree;
	size_t *first, *next;        /* per node: its heaviest child, its next lighter sibling */
	size_t pruned;
	double pruned_self;
};

static bool node_shown(const struct tree *tree, size_t node)
{
	return fabs(tree->values[node]) >= prune_share * fabs(tree->values[0]);
}

/* Puts node into its parent's list, heaviest first; equal weights keep the tree's order. */
static void shown_link(struct shown *shown, size_t parent, size_t node)
{
	size_t *link = &shown->first[parent];

	while (*link != SIZE_MAX && shown->tree->values[*link] >= shown->tree->values[node])
		link = &shown->next[*link];
	shown->next[node] = *link;
	*link = node;
}

/* A node outweighs all below it, so what is pruned is whole subtrees; at most 200 siblings are ever shown. */
static struct shown shown_make(const struct tree *tree)
{
	struct shown shown = { .tree = tree };
	size_t *path = xcalloc(tree->node_count + 1, sizeof(*path));

	shown.first = xcalloc(tree->node_count, sizeof(*shown.first));
	shown.next = xcalloc(tree->node_count, sizeof(*shown.next));
	for (size_t node = 0; node < tree->node_count; node++) {
		uint32_t depth = tree->depths[node];

		path[depth] = node;
		shown.first[node] = shown.next[node] = SIZE_MAX;
		if (!node)
			continue;
		if (node_shown(tree, node)) {
			shown_link(&shown, path[depth - 1], node);
		} else {
			shown.pruned++;
			shown.pruned_self += tree->selves[node];
		}
	}
	free(path);
	return shown;
}

static void shown_done(struct shown *shown)
{
	free(shown->first);
	free(shown->next);
}

static void draw_number(struct ink *ink, double value, const char *unit)
{
	char quantity[QUANTITY_SIZE];

	ink_right(ink, INK_PLAIN, quantity_print(quantity, value, unit), COLUMN_WIDTH);
	ink_blank(ink, 2);
}

static void draw_node(struct ink *ink, const struct tree *tree, size_t node, unsigned indent, const char *guides)
{
	CLEANUP_TEXT char *name = short_name(tree->name_texts[tree->names[node]]);
	double total = tree->values[0];

	ink_blank(ink, indent);
	draw_number(ink, tree->values[node], tree->unit);
	draw_number(ink, tree->selves[node], tree->unit);
	draw_number(ink, total != 0 ? tree->values[node] / total : NAN, "fraction");
	ink_text(ink, INK_QUIET, guides);
	ink_text(ink, INK_PLAIN, name);
	ink_line(ink);
}

/* Children of one node, on the way down. */
struct branch {
	size_t next;                 /* the child to draw next */
	size_t guide_size;           /* how much of the guides stands before them */
	bool forks;                  /* more than one child is shown */
};

static struct branch branch_of(const struct shown *shown, size_t node, size_t guide_size)
{
	size_t child = shown->first[node];

	return (struct branch){
		.next = child,
		.guide_size = guide_size,
		.forks = child != SIZE_MAX && shown->next[child] != SIZE_MAX,
	};
}

static void guide_put(struct text *guides, size_t size, const char *mark)
{
	guides->size = size;
	text_append(guides, mark, size < GUIDE_LIMIT ? strlen(mark) : 0);
}

/* Walks without recursion: a foreign profile may be as deep as it likes. */
static void draw_nodes(struct ink *ink, const struct shown *shown, unsigned indent)
{
	struct text guides = TEXT(GUIDE_LIMIT * 2);
	struct branch *path = xcalloc(shown->tree->node_count + 1, sizeof(*path));
	size_t depth = 0;

	text_append(&guides, "", 0);
	draw_node(ink, shown->tree, 0, indent, "");
	path[depth++] = branch_of(shown, 0, 0);
	while (depth) {
		struct branch *branch = &path[depth - 1];
		size_t node = branch->next;

		if (node == SIZE_MAX) {
			depth--;
			continue;
		}
		branch->next = shown->next[node];
		guide_put(&guides, branch->guide_size, !branch->forks ? "" : branch->next == SIZE_MAX ? "└─ " : "├─ ");
		draw_node(ink, shown->tree, node, indent, text_string(&guides));
		guide_put(&guides, branch->guide_size, !branch->forks ? "" : branch->next == SIZE_MAX ? "   " : "│  ");
		path[depth++] = branch_of(shown, node, guides.size);
	}
	free(path);
	text_done(&guides);
}

static void draw_header(struct ink *ink, const struct tree *tree, unsigned indent)
{
	static const char *const titles[] = { "inclusive", "self", "share" };
	CLEANUP_TEXT char *weights = xasprintf("weights in %s, %s", tree->unit, tree->weighting);

	ink_blank(ink, indent);
	ink_wrap(ink, INK_QUIET, weights);
	ink_blank(ink, indent);
	for (size_t i = 0; i < ARRAY_LENGTH(titles); i++) {
		ink_right(ink, INK_QUIET, titles[i], COLUMN_WIDTH);
		ink_blank(ink, 2);
	}
	ink_text(ink, INK_QUIET, "calls");
	ink_line(ink);
}

static void draw_left_out(struct ink *ink, const struct shown *shown, unsigned indent)
{
	const struct tree *tree = shown->tree;
	char share[QUANTITY_SIZE];
	CLEANUP_TEXT char *text = NULL;

	if (shown->pruned) {
		text = xasprintf("(not shown: %zu %s below 0.5 %%, %s in all)", shown->pruned,
				 shown->pruned == 1 ? "node" : "nodes",
				 quantity_print(share, shown->pruned_self / tree->values[0], "fraction"));
		ink_blank(ink, indent);
		ink_wrap(ink, INK_QUIET, text);
	}
	if (tree->coalesced) {
		free(text);
		text = xasprintf("(merged into \"(other)\": %" PRIu64 " small nodes, as a tree holds at most %d)",
				 tree->coalesced, DOCUMENT_NODE_LIMIT);
		ink_blank(ink, indent);
		ink_wrap(ink, INK_QUIET, text);
	}
}

void text_draw_tree(struct ink *ink, const struct tree *tree, unsigned indent)
{
	struct shown shown;

	if (!tree->node_count || tree->values[0] == 0) {
		ink_blank(ink, indent);
		ink_text(ink, INK_QUIET, "(nothing was seen)");
		ink_line(ink);
		return;
	}
	shown = shown_make(tree);
	draw_header(ink, tree, indent);
	draw_nodes(ink, &shown, indent);
	draw_left_out(ink, &shown, indent);
	shown_done(&shown);
}
