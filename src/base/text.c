/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text with a limit. Room doubles, so appending n bytes costs O(n) in all.
 */
#include "base/text.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t text_reserve(struct text *text, size_t more)
{
	size_t left = text->limit - text->size, need;

	if (more > left) {
		more = left;
		text->cut = true;
	}
	need = text->size + more + 1;
	if (need > text->room) {
		size_t room = text->room ? text->room : 64;

		while (room < need)
			room *= 2;
		text->bytes = xreallocarray(text->bytes, room, 1);
		text->room = room;
	}
	return more;
}

void text_append(struct text *text, const void *bytes, size_t size)
{
	size = text_reserve(text, size);
	if (size)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

void text_print_list(struct text *text, const char *format, va_list arguments)
{
	char small[512];
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(small, sizeof(small), format, arguments);
	if (length >= 0 && (size_t)length < sizeof(small)) {
		text_append(text, small, (size_t)length);
	} else if (length > 0) {
		char *large = NULL;

		length = vasprintf(&large, format, again);
		if (length > 0)
			text_append(text, large, (size_t)length);
		free(large);
	}
	va_end(again);
}

void text_print(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_print_list(text, format, arguments);
	va_end(arguments);
}

void text_clear(struct text *text)
{
	text->size = 0;
	text->cut = false;
	if (text->bytes)
		text->bytes[0] = '\0';
}

void text_done(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ .limit = text->limit };
}

const char *text_string(const struct text *text)
{
	return text->bytes ? text->bytes : "";
}

char *text_take(struct text *text)
{
	char *bytes = text->bytes ? text->bytes : xstrdup("");

	*text = (struct text){ .limit = text->limit };
	return bytes;
}
