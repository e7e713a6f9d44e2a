/* SPDX-License-Identifier: Apache-2.0 */
/* The well-formed sequences of the Unicode Standard, table 3-7. */
#include "format/utf8_text.h"

#include "base/text.h"

#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

size_t utf8_sequence(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t size = at[0] < 0x80   ? 1
		      : at[0] < 0xc2 ? 0
		      : at[0] < 0xe0 ? 2
		      : at[0] < 0xf0 ? 3
		      : at[0] < 0xf5 ? 4
				     : 0;

	for (size_t i = 1; i < size; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] >= 0x90))
		return 0;
	return size;
}

char *utf8_cleaned(const char *text)
{
	struct text clean = TEXT(3 * strlen(text) + 1);
	size_t size = 0;
	const char *at;

	for (at = text; *at && (size = utf8_sequence(at)); at += size)
		;
	if (!*at)
		return NULL;
	text_append(&clean, text, (size_t)(at - text));
	for (; *at; at += size ? size : 1) {
		size = utf8_sequence(at);
		if (size)
			text_append(&clean, at, size);
		else
			text_append(&clean, replacement, sizeof(replacement) - 1);
	}
	return text_take(&clean);
}
