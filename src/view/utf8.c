/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder refuses overlong forms, surrogates and what lies beyond Unicode, as RFC 3629 asks. Widths come from two
 * short tables: marks that combine take none, East Asian wide ones take two.
 */
#include "view/utf8.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

static const struct range combining[] = {
	{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a }, { 0x64b, 0x65f },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f },
};
static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool range_holds(const struct range *ranges, size_t count, uint32_t character)
{
	for (size_t i = 0; i < count && ranges[i].first <= character; i++) {
		if (character <= ranges[i].last)
			return true;
	}
	return false;
}

size_t utf8_decode(const char *text, size_t size, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)text[0];
	size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
	uint32_t character = length > 1 ? lead & (0x7fU >> length) : lead;

	*ret = UTF8_INVALID;
	if (!length || length > size)
		return 1;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
		character = character << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (character < least[length] || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
		return 1;
	*ret = character;
	return length;
}

/* Directional marks could make a name read as another one. */
static bool character_steers(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == UTF8_INVALID ||
	       (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

static unsigned character_width(uint32_t character)
{
	if (character < 0x300 || character_steers(character))
		return 1;
	if (range_holds(combining, ARRAY_LENGTH(combining), character))
		return 0;
	return range_holds(wide, ARRAY_LENGTH(wide), character) ? 2 : 1;
}

static unsigned text_width(const char *text, size_t size)
{
	unsigned width = 0;

	for (size_t at = 0; at < size;) {
		uint32_t character;

		at += utf8_decode(text + at, size - at, &character);
		width += character_width(character);
	}
	return width;
}

unsigned utf8_width(const char *text)
{
	return text_width(text, strlen(text));
}

/* Appends characters while they fit into width columns; returns where it stopped. */
static size_t append_while(struct text *to, const char *text, size_t size, unsigned width)
{
	size_t at = 0;

	while (at < size) {
		uint32_t character;
		size_t length = utf8_decode(text + at, size - at, &character);
		unsigned columns = character_width(character);

		if (columns > width)
			break;
		width -= columns;
		if (character_steers(character))
			text_append(to, "?", 1);
		else
			text_append(to, text + at, length);
		at += length;
	}
	return at;
}

/* Where the last characters that fill width columns begin. */
static size_t tail_start(const char *text, size_t size, unsigned width)
{
	unsigned left = text_width(text, size);
	size_t at = 0;

	while (at < size && left > width) {
		uint32_t character;

		at += utf8_decode(text + at, size - at, &character);
		left -= character_width(character);
	}
	return at;
}

void utf8_append(struct text *to, const char *text, unsigned width)
{
	size_t size = strlen(text), head, tail;

	if (text_width(text, size) <= width) {
		append_while(to, text, size, width);
		return;
	}
	if (!width)
		return;
	head = append_while(to, text, size, (width - 1) / 2 + (width - 1) % 2);
	text_append(to, "…", strlen("…"));
	tail = tail_start(text, size, (width - 1) / 2);
	append_while(to, text + (tail > head ? tail : head), size - (tail > head ? tail : head), (width - 1) / 2);
}
