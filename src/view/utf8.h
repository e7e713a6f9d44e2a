/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Just enough UTF-8 to show foreign names safely: decoding that never fails, and the width that a terminal gives a
 * character. Independent of the locale, so that a report reads the same under LANG=C.
 */
#include <stddef.h>
#include <stdint.h>

struct text;

#define UTF8_INVALID UINT32_MAX

/* Size of the first character of text, 1 for an invalid byte. size must be positive. */
size_t utf8_decode(const char *text, size_t size, uint32_t *ret);
unsigned utf8_width(const char *text);                  /* columns, as utf8_append() writes it */
/* Appends text in at most width columns, what is too long cut in the middle by "…"; what could steer a terminal is "?". */
void utf8_append(struct text *to, const char *text, unsigned width);
