/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Texts that must be UTF-8 where a format says so. Names come from programs' files and from the kernel, which promise nothing.
 */
#include <stddef.h>

/* How many bytes of a UTF-8 sequence begin here; 0 where none does. Overlong forms and surrogates are none. Of a text that
 * ends in a zero byte. */
size_t utf8_sequence(const char *at);
/* The text with U+FFFD for each byte that belongs to no sequence, which the caller frees; NULL where it has none of them. */
char *utf8_cleaned(const char *text);
