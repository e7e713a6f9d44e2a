/* SPDX-License-Identifier: Apache-2.0 */
/* The row of Chrome's trace format, and how it is recognised: an object with "traceEvents", or an array of events. */
#include "format/chrome.h"

#include "format/content.h"
#include "format/format.h"
#include "format/json_import.h"

extern const struct format chrome_format;

static int chrome_recognise(const void *head, size_t size)
{
	char first = json_head_first(head, size);

	if (first == '{')
		return json_head_has(head, size, "traceEvents") ? 90 : 0;
	if (first != '[' || !json_head_has(head, size, "ph"))
		return 0;
	return json_head_has(head, size, "ts") || json_head_has(head, size, "pid") ? 85 : 0;
}

const struct format chrome_format = {
	.name = "chrome",
	.summary = "Chrome's trace format, for chrome://tracing and Perfetto",
	.suffix = ".trace.json",
	.recognise = chrome_recognise,
	.read = chrome_read,
	.write = chrome_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(PARTS) | KEEPS(UNITS) | KEEPS(PROCESSES) | KEEPS(THREADS) | KEEPS(COMMS) | KEEPS(TIME) |
		 KEEPS(INTERVALS) | KEEPS(WAKERS),
};
