/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document for people at a terminal or in a pipe: each section under its title, in the document's order. It respects
 * the width, uses colour only where the style allows it, and never cuts silently.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/output.h"
#include "result/document.h"
#include "view/ink.h"
#include "view/text_cell.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION_INDENT = 2 };

static void draw_title(struct ink *ink, const char *title, bool refused)
{
	ink_text(ink, INK_TITLE, title);
	if (refused)
		ink_text(ink, INK_BAD, "  [refused: shown with --anyway]");
	ink_line(ink);
}

static void draw_finding(struct ink *ink, const struct section *section)
{
	const char *severity = severity_name(section->severity);

	ink_text(ink, section->severity == SEVERITY_NOTE ? INK_TITLE : ink_verdict(severity), severity);
	ink_text(ink, INK_PLAIN, ": ");
	ink_wrap(ink, INK_PLAIN, section->finding);
}

static void draw_section(struct ink *ink, const struct section *section, bool refused)
{
	draw_title(ink, section->title, refused);
	if (section->kind == SECTION_RECORD)
		text_draw_record(ink, section->record, SECTION_INDENT);
	else if (section->kind == SECTION_TABLE)
		text_draw_table(ink, section->table, SECTION_INDENT);
	else if (section->kind == SECTION_TIMELINE)
		text_draw_timeline(ink, section->timeline, SECTION_INDENT);
	else
		text_draw_tree(ink, section->tree, SECTION_INDENT);
}

static int text_render(const struct document *document, const struct view_style *style, struct output *to)
{
	struct ink ink = ink_make(style, to);
	bool after_finding = false;

	draw_title(&ink, document->title, document->refused);
	for (size_t i = 0; i < document->section_count; i++) {
		const struct section *section = &document->sections[i];
		bool finding = section->kind == SECTION_FINDING;

		if (section->hints & COLUMN_MACHINE)
			continue;
		if (!finding || !after_finding)
			ink_line(&ink);
		if (finding)
			draw_finding(&ink, section);
		else
			draw_section(&ink, section, document->refused);
		after_finding = finding;
	}
	return to->code;
}

extern const struct view view_text;
const struct view view_text = {
	.name = "text",
	.summary = "aligned tables for a terminal",
	.suffix = ".txt",
	.render = text_render,
};
