/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blanks are owed rather than written, so that padding never leaves a line with blanks at its end: golden files and
 * people who copy a table both want that.
 */
#include "view/ink.h"

#include "base/cleanup.h"
#include "base/output.h"
#include "base/text.h"
#include "view/utf8.h"
#include "view/view.h"

#include <string.h>

enum { WIDTH_UNKNOWN = 100, WIDTH_LEAST = 20, CELL_TEXT_LIMIT = 64 * 1024 };

struct ink ink_make(const struct view_style *style, struct output *to)
{
	unsigned width = style && style->width ? style->width : WIDTH_UNKNOWN;

	return (struct ink){
		.to = to,
		.colour = style && style->colour,
		.width = width < WIDTH_LEAST ? WIDTH_LEAST : width,
	};
}

void ink_blank(struct ink *ink, unsigned count)
{
	ink->blanks += count;
	ink->column += count;
}

static void ink_write(struct ink *ink, enum ink_style style, const char *text, unsigned width)
{
	static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[34m", "\033[32m", "\033[33m", "\033[31m" };

	if (!width)
		return;
	if (ink->blanks)
		output_print(ink->to, "%*s", (int)ink->blanks, "");
	ink->blanks = 0;
	if (ink->colour && style != INK_PLAIN)
		output_print(ink->to, "%s%s\033[0m", codes[style], text);
	else
		output_puts(ink->to, text);
	ink->column += width;
}

void ink_left(struct ink *ink, enum ink_style style, const char *text, unsigned width)
{
	struct text cell = TEXT(CELL_TEXT_LIMIT);
	unsigned used;

	utf8_append(&cell, text, width);
	used = utf8_width(text_string(&cell));
	ink_write(ink, style, text_string(&cell), used);
	ink_blank(ink, width > used ? width - used : 0);
	text_done(&cell);
}

void ink_right(struct ink *ink, enum ink_style style, const char *text, unsigned width)
{
	unsigned used = utf8_width(text);

	ink_blank(ink, width > used ? width - used : 0);
	ink_left(ink, style, text, width > used ? used : width);
}

void ink_text(struct ink *ink, enum ink_style style, const char *text)
{
	unsigned used = utf8_width(text), left = ink->width > ink->column ? ink->width - ink->column : 0;

	ink_left(ink, style, text, used < left ? used : left);
}

void ink_line(struct ink *ink)
{
	output_puts(ink->to, "\n");
	ink->blanks = ink->column = 0;
}

/* One line's worth of words: returns how many bytes of text they take. */
static size_t wrap_size(const char *text, unsigned width)
{
	size_t size = strlen(text), at = 0, fits = 0;
	unsigned used = 0;

	while (at < size) {
		struct text one = TEXT(8);
		uint32_t character;
		size_t length = utf8_decode(text + at, size - at, &character);

		if (text[at] == '\n')
			return at;
		if (text[at] == ' ')
			fits = at;
		text_append(&one, text + at, length);
		used += utf8_width(text_string(&one));
		text_done(&one);
		if (used > width)
			return fits ? fits : at ? at : length;
		at += length;
	}
	return size;
}

void ink_wrap(struct ink *ink, enum ink_style style, const char *text)
{
	unsigned start = ink->column, width = ink->width > start + 10 ? ink->width - start : 10;
	char piece[4096];

	while (*text) {
		size_t size = wrap_size(text, width), kept = size < sizeof(piece) - 1 ? size : sizeof(piece) - 1;

		memcpy(piece, text, kept);
		piece[kept] = '\0';
		ink_left(ink, style, piece, utf8_width(piece));
		text += kept;
		while (*text == ' ' || *text == '\n')
			text++;
		ink_line(ink);
		if (*text)
			ink_blank(ink, start);
	}
	if (ink->column)
		ink_line(ink);
}

void ink_bar(struct ink *ink, double share, unsigned width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	struct text bar = TEXT(1024);
	unsigned filled = share > 0 ? (unsigned)((share < 1 ? share : 1) * width * 8 + 0.5) : 0;

	if (share > 0 && !filled)
		filled = 1;              /* something is never drawn as nothing */
	for (unsigned i = 0; i < filled / 8; i++)
		text_append(&bar, "█", strlen("█"));
	text_append(&bar, eighths[filled % 8], strlen(eighths[filled % 8]));
	ink_left(ink, INK_BAR, text_string(&bar), width);
	text_done(&bar);
}

enum ink_style ink_verdict(const char *word)
{
	static const struct {
		const char *word;
		enum ink_style style;
	} words[] = {
		{ "pass", INK_GOOD }, { "warn", INK_WARNING }, { "warning", INK_WARNING }, { "fail", INK_BAD },
		{ "failure", INK_BAD }, { "unmeasured", INK_WARNING }, { "supported", INK_GOOD },
		{ "rejected", INK_BAD }, { "inconclusive", INK_WARNING }, { "refused", INK_BAD },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		if (!strcmp(words[i].word, word))
			return words[i].style;
	}
	return INK_PLAIN;
}
