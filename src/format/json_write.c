/* SPDX-License-Identifier: Apache-2.0 */
/* Strings for JSON (RFC 8259, section 7). */
#include "format/json_write.h"

#include "base/output.h"
#include "format/utf8_text.h"

#include <stdbool.h>
#include <stddef.h>

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
		else if ((size = utf8_sequence((const char *)at)))
			output_write(to, at, size);
		else
			output_puts(to, "\xef\xbf\xbd");
		at += size ? size : 1;
		plain = at;
	}
	output_write(to, plain, (size_t)(at - plain));
	output_write(to, "\"", 1);
}
