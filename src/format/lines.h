/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Lines of a text in memory, for readers that want the whole of it, and the few things that stand on
 * them. Nothing is copied; a line is a pointer and a size. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next line of a text, without its end; false after the last. */
bool line_next(const char **at, const char *end, const char **ret_line, size_t *ret_size);
/* Blanks cut off at both ends. */
void line_trim(const char **line, size_t *size);
bool line_starts(const char *line, size_t size, const char *start);
/* Blank, or "# …". */
bool line_is_comment(const char *line, size_t size);
/* Takes a decimal number with blanks before it and perhaps a sign. */
bool line_number(const char **at, const char *end, int64_t *ret);
bool line_char(const char **at, const char *end, char wanted);
