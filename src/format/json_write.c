/* SPDX-License-Identifier: Apache-2.0 */
/* Strings for JSON (RFC 8259, section 7). */
#include "format/json_write.h"

#include "base/output.h"

#include <stdbool.h>
#include <stddef.h>

/* How many bytes of a UTF-8 sequence begin here; 0 where none does. Overlong forms and surrogates are none. */
static size_t sequence_size(const unsigned char *at)
{
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

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void json_write_string(struct output *to, const char *text)
{
	const unsigned char *at = (const unsigned char *)text, *plain = at;

	output_write(to, "\"", 1);
	while (*at) {
		size_t size = 1;

		if (is_plain(*at)) {
			at++;
			continue;
		}
		output_write(to, plain, (size_t)(at - plain));
		if (*at == '"' || *at == '\\')
			output_print(to, "\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			output_print(to, "\\u%04x", *at);
		else if ((size = sequence_size(at)))
			output_write(to, at, size);
		else
			output_puts(to, "\xef\xbf\xbd");
		at += size ? size : 1;
		plain = at;
	}
	output_write(to, plain, (size_t)(at - plain));
	output_write(to, "\"", 1);
}
