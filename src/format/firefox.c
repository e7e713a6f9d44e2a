/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the Firefox profiler's format, and how both its forms are recognised. */
#include "format/content.h"
#include "format/firefox.h"

#include "format/format.h"
#include "format/json_import.h"

extern const struct format firefox_format;

static int firefox_recognise(const void *head, size_t size)
{
	if (json_head_first(head, size) != '{')
		return 0;
	if (json_head_has(head, size, "preprocessedProfileVersion"))
		return 95;
	if (json_head_has(head, size, "stackTable") && json_head_has(head, size, "frameTable"))
		return 90;
	if (json_head_has(head, size, "meta") && json_head_has(head, size, "stackwalk"))
		return 85;
	/* what devtools exported begins with its own markers */
	return json_head_has(head, size, "label") && json_head_has(head, size, "duration") &&
			       json_head_has(head, size, "markers")
		       ? 50
		       : 0;
}

const struct format firefox_format = {
	.name = "firefox",
	.summary = "the Firefox profiler's, for profiler.firefox.com",
	.suffix = ".firefox.json",
	.recognise = firefox_recognise,
	.read = firefox_read,
	.write = firefox_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(UNITS) | KEEPS(WEIGHTING) | KEEPS(FUNCTIONS) | KEEPS(STACKS) | KEEPS(PROCESSES) | KEEPS(THREADS) | KEEPS(COMMS) | KEEPS(TIME) |
		 KEEPS(INTERVALS) | KEEPS(MODULES) | KEEPS(BUILD_IDS) | KEEPS(ADDRESSES) |
		 KEEPS(SOURCE) | KEEPS(LINES),
};
