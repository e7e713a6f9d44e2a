/* SPDX-License-Identifier: Apache-2.0 */
/* The row of callgrind's format, and how it is recognised: by its first line, or by what only it has. */
#include "format/callgrind.h"

#include "format/content.h"
#include "format/format.h"

#include <string.h>

extern const struct format callgrind_format;

static bool head_has(const void *head, size_t size, const char *text)
{
	return memmem(head, size, text, strlen(text)) != NULL;
}

static int callgrind_recognise(const void *head, size_t size)
{
	static const char first[] = "# callgrind format";

	if (size >= sizeof(first) - 1 && !memcmp(head, first, sizeof(first) - 1))
		return 100;
	if (memchr(head, '\0', size) || !head_has(head, size, "events: ") || !head_has(head, size, "\nfn="))
		return 0;
	return head_has(head, size, "calls=") || head_has(head, size, "positions: ") ? 90 : 60;
}

const struct format callgrind_format = {
	.name = "callgrind",
	.summary = "a call graph, for KCachegrind and callgrind_annotate",
	.suffix = ".callgrind",
	.recognise = callgrind_recognise,
	.read = callgrind_read,
	.write = callgrind_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(UNITS) | KEEPS(FUNCTIONS) | KEEPS(PROCESSES) | KEEPS(THREADS) |
		 KEEPS(SOURCE) | TAKES_AS_EXACT,
};
