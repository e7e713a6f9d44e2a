/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Lines on a terminal or in a pipe: cells of a given width, colour only where it can be shown, no blanks at the end of
 * a line. Texts are made safe on their way out (view/utf8.h).
 */
#include <stdbool.h>
#include <stddef.h>

struct output;
struct view_style;

enum ink_style { INK_PLAIN, INK_TITLE, INK_QUIET, INK_BAR, INK_GOOD, INK_WARNING, INK_BAD };

struct ink {
	struct output *to;
	bool colour;
	unsigned width;              /* columns of a line */
	unsigned column;             /* where the next character goes */
	unsigned blanks;             /* owed, and dropped at the end of a line */
};

struct ink ink_make(const struct view_style *style, struct output *to);
void ink_blank(struct ink *ink, unsigned count);
void ink_text(struct ink *ink, enum ink_style style, const char *text);          /* cut at the end of the line */
void ink_left(struct ink *ink, enum ink_style style, const char *text, unsigned width);
void ink_right(struct ink *ink, enum ink_style style, const char *text, unsigned width);
void ink_line(struct ink *ink);
/* Words of text, wrapped, from the current column on; later lines begin at that column. Ends the line. */
void ink_wrap(struct ink *ink, enum ink_style style, const char *text);
/* A bar of `share` (0 … 1) of width columns, in eighths of a column. */
void ink_bar(struct ink *ink, double share, unsigned width);
/* pass, warn, fail and their like: how such a word is coloured; plain for any other. */
enum ink_style ink_verdict(const char *word);
