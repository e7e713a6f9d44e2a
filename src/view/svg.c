/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of a document as flame graphs (Brendan Gregg, "The Flame Graph", ACM Queue 14(2), 2016) in one
 * picture that needs nothing: no script, no font, no request. The root lies at the bottom, callees on top
 * of their callers, as wide as what they weigh. What the pointer rests on says its whole name and weight
 * (title elements), and so do readers of screens, to whom each frame is an item of a list. In a tree of
 * what changed the width is the candidate's and the colour what grew (red) or shrank (blue).
 *
 *	      ┌──────┐
 *	 ┌────┤ read ├───┐
 *	 │ store  └──────┤ …
 *	 └───────────────┴──┐
 *	 │ main             │
 */
#include "base/memory.h"
#include "base/output.h"
#include "base/quantity.h"
#include "result/document.h"
#include "view/short_name.h"
#include "view/utf8.h"
#include "view/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURE_WIDTH = 1200, MARGIN = 10, ROW_HEIGHT = 18, HEAD_HEIGHT = 44, LETTER_WIDTH = 7, DEPTH_LIMIT = 1024 };
static const double narrowest = 0.5;         /* of a picture's unit: what is thinner nobody sees */

struct flame {
	const struct tree *tree;
	double *lefts, *ends;                /* per depth: where its last frame begins, and where the next child does */
	double scale, largest;
	unsigned depth;                      /* of the deepest frame that is drawn */
	uint64_t thin;
};

/* --- Text in XML ------------------------------------------------------------------------------ */

/* Controls and what is no UTF-8 may not stand in XML, however they are written. */
static void write_escaped(struct output *to, const char *text)
{
	size_t left = strlen(text), size;

	for (; left; text += size, left -= size) {
		uint32_t code;

		size = utf8_decode(text, left, &code);
		if (code < ' ' || code == 0x7f || (size == 1 && code > 0x7f) || (code & 0xfffe) == 0xfffe ||
		    (code >= 0xd800 && code < 0xe000))
			output_puts(to, "?");
		else if (strchr("<>&\"", *text))
			output_print(to, "&#%u;", (unsigned)code);
		else
			output_write(to, text, size);
	}
}

/* --- Frames ----------------------------------------------------------------------------------- */

static double width_of(const struct tree *tree, size_t node)
{
	double weight = tree->candidates ? tree->candidates[node] : tree->values[node];

	return weight > 0 ? weight : 0;
}

/* The same name has the same colour wherever it stands; warm ones, as people know them. */
static void colour_of(const struct flame *flame, size_t node, unsigned ret[3])
{
	const struct tree *tree = flame->tree;
	double share = flame->largest > 0 ? fmin(fabs(tree->values[node]) / flame->largest, 1) : 0;
	unsigned pale = 235 - (unsigned)(140 * share), hash = 2166136261u;

	if (tree->candidates) {
		ret[0] = tree->values[node] >= 0 ? 245 : pale;
		ret[1] = pale;
		ret[2] = tree->values[node] >= 0 ? pale : 245;
		return;
	}
	for (const char *at = tree->name_texts[tree->names[node]]; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	ret[0] = 215 + hash % 40;
	ret[1] = 120 + hash / 64 % 90;
	ret[2] = 60 + hash / 8192 % 40;
}

static void write_weight(struct output *to, const struct flame *flame, size_t node)
{
	const struct tree *tree = flame->tree;
	char text[QUANTITY_SIZE], other[QUANTITY_SIZE], share[QUANTITY_SIZE];

	if (tree->candidates) {
		output_print(to, ": %s → %s", quantity_print(text, tree->bases[node], tree->unit),
			     quantity_print(other, tree->candidates[node], tree->unit));
		return;
	}
	output_print(to, ": %s, %s", quantity_print(text, tree->values[node], tree->unit),
		     quantity_print(share, tree->values[0] > 0 ? tree->values[node] / tree->values[0] : 0, "fraction"));
	if (tree->selves[node] > 0 && tree->selves[node] < tree->values[node])
		output_print(to, ", itself %s", quantity_print(text, tree->selves[node], tree->unit));
}

static void write_label(struct output *to, const char *name, double left, double top, double width)
{
	char *shown = short_name(name);
	size_t room = (size_t)(width / LETTER_WIDTH), size = strlen(shown), at = 0, letters = 0;

	if (room >= 3) {
		while (at < size && letters + (room < size) < room) {
			uint32_t code;

			at += utf8_decode(shown + at, size - at, &code);
			letters++;
		}
		output_print(to, "<text x=\"%.1f\" y=\"%.1f\">", left + 3, top + ROW_HEIGHT - 5);
		shown[at] = '\0';
		write_escaped(to, shown);
		output_puts(to, at < size ? "…</text>" : "</text>");
	}
	free(shown);
}

static void write_frame(struct output *to, const struct flame *flame, size_t node, double left, double bottom)
{
	const struct tree *tree = flame->tree;
	const char *name = tree->name_texts[tree->names[node]];
	double width = width_of(tree, node) * flame->scale, top = bottom - (tree->depths[node] + 1.0) * ROW_HEIGHT;
	unsigned colour[3];

	colour_of(flame, node, colour);
	output_puts(to, "<g role=\"listitem\"><title>");
	write_escaped(to, name);
	write_weight(to, flame, node);
	output_print(to, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"rgb(%u,%u,%u)\"/>", left, top,
		     fmax(width - 0.5, 0.1), ROW_HEIGHT - 1, colour[0], colour[1], colour[2]);
	write_label(to, name, left, top, width);
	output_puts(to, "</g>\n");
}

/* --- One tree --------------------------------------------------------------------------------- */

/* Where a node lies; nodes come in preorder. False: too thin or too deep to be seen, and so is all below it. */
static bool flame_place(struct flame *flame, size_t node, double *ret_left)
{
	uint32_t depth = flame->tree->depths[node];
	double width = width_of(flame->tree, node) * flame->scale;

	if (depth >= DEPTH_LIMIT || (node && !depth))
		return false;
	*ret_left = depth ? flame->ends[depth - 1] : MARGIN;
	if (depth)
		flame->ends[depth - 1] += width;
	flame->lefts[depth] = *ret_left;
	flame->ends[depth] = *ret_left;
	return width >= narrowest;
}

static void flame_measure(struct flame *flame)
{
	const struct tree *tree = flame->tree;

	flame->lefts = xcalloc(DEPTH_LIMIT, sizeof(*flame->lefts));
	flame->ends = xcalloc(DEPTH_LIMIT, sizeof(*flame->ends));
	flame->scale = tree->node_count && width_of(tree, 0) > 0 ? (PICTURE_WIDTH - 2 * MARGIN) / width_of(tree, 0) : 0;
	for (size_t i = 0; i < tree->node_count; i++) {
		if (width_of(tree, i) * flame->scale >= narrowest && tree->depths[i] < DEPTH_LIMIT)
			flame->depth = tree->depths[i] > flame->depth ? tree->depths[i] : flame->depth;
		else
			flame->thin++;
		if (i && fabs(tree->values[i]) > flame->largest)
			flame->largest = fabs(tree->values[i]);
	}
}

static double flame_height(const struct flame *flame)
{
	return HEAD_HEIGHT + (flame->depth + 1.0) * ROW_HEIGHT + MARGIN;
}

static void flame_write(struct flame *flame, const char *title, double top, struct output *to)
{
	const struct tree *tree = flame->tree;
	char text[QUANTITY_SIZE];
	double left;

	output_print(to, "<text class=\"head\" x=\"%d\" y=\"%.1f\">", MARGIN, top + 18);
	write_escaped(to, title);
	output_print(to, "</text><text x=\"%d\" y=\"%.1f\">%s, ", MARGIN, top + 35,
		     quantity_print(text, tree->node_count ? width_of(tree, 0) : 0, tree->unit));
	write_escaped(to, tree->weighting);
	if (flame->thin)
		output_print(to, "; %" PRIu64 " frames are too thin to be drawn", flame->thin);
	output_puts(to, "</text>\n<g role=\"list\">\n");
	for (size_t i = 0; i < tree->node_count && flame->scale > 0; i++)
		if (flame_place(flame, i, &left))
			write_frame(to, flame, i, left, top + flame_height(flame) - MARGIN);
	output_puts(to, "</g>\n");
}

/* --- The picture ------------------------------------------------------------------------------ */

static void write_head(const struct document *document, double height, struct output *to)
{
	output_print(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		     "viewBox=\"0 0 %d %.0f\" width=\"100%%\" role=\"group\" aria-label=\"", PICTURE_WIDTH, height);
	write_escaped(to, document->title);
	output_puts(to, "\">\n<style>text{font:12px monospace}.head{font:bold 15px sans-serif}g rect{stroke:none}"
			"g[role=listitem]:hover rect{stroke:#000;stroke-width:1}.page{fill:#fff}"
			"@media(prefers-color-scheme:dark){.page{fill:#1b1b1f}svg>text{fill:#e8e8e8}"
			"g[role=listitem]:hover rect{stroke:#fff}}</style>\n<title>");
	write_escaped(to, document->title);
	output_puts(to, document->refused ? " (refused: its evidence may not speak)" : "");
	output_print(to, "</title>\n<rect class=\"page\" width=\"%d\" height=\"%.0f\"/>\n", PICTURE_WIDTH, height);
}

static int svg_render(const struct document *document, const struct view_style *style, struct output *to)
{
	struct flame *flames = xcalloc(document->section_count + 1, sizeof(*flames));
	double height = 0, top = 0;

	(void)style;
	for (size_t i = 0; i < document->section_count; i++) {
		if (document->sections[i].kind != SECTION_TREE)
			continue;
		flames[i].tree = document->sections[i].tree;
		flame_measure(&flames[i]);
		height += flame_height(&flames[i]);
	}
	write_head(document, height > 0 ? height : HEAD_HEIGHT, to);
	if (height <= 0)
		output_print(to, "<text x=\"%d\" y=\"18\">no stacks: there is no flame graph to draw</text>\n", MARGIN);
	for (size_t i = 0; i < document->section_count; i++) {
		if (flames[i].tree) {
			flame_write(&flames[i], document->sections[i].title, top, to);
			top += flame_height(&flames[i]);
		}
		free(flames[i].lefts);
		free(flames[i].ends);
	}
	output_puts(to, "</svg>\n");
	free(flames);
	return 0;
}

extern const struct view view_svg;
const struct view view_svg = {
	.name = "svg",
	.summary = "flame graphs as one picture that needs no script",
	.suffix = ".svg",
	.render = svg_render,
};
