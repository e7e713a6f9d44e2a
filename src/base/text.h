/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A growing text. It always ends in a zero byte, and it has a limit from the start: what does not fit is cut and
 * `cut` says so.
 *
 *	struct text line = TEXT(4096);
 *	text_print(&line, "%s: %d", name, count);
 *	puts(text_string(&line));
 *	text_done(&line);
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *bytes;
	size_t size, room, limit;
	bool cut;
};

#define TEXT(most) ((struct text){ .limit = (most) })

void text_append(struct text *text, const void *bytes, size_t size);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_print_list(struct text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void text_clear(struct text *text);                  /* empties it for reuse */
void text_done(struct text *text);
const char *text_string(const struct text *text);    /* never NULL; valid until the next change */
char *text_take(struct text *text);                  /* the caller frees it; the text is empty afterwards */
