/* SPDX-License-Identifier: Apache-2.0 */
/* The row of speedscope's format, and how it is recognised: by the address of its schema, or by its parts. */
#include "format/content.h"
#include "format/speedscope.h"

#include "format/format.h"
#include "format/json_import.h"

#include <string.h>

extern const struct format speedscope_format;

static int speedscope_recognise(const void *head, size_t size)
{
	static const char schema[] = "speedscope.app/file-format-schema.json";

	if (json_head_first(head, size) != '{')
		return 0;
	if (memmem(head, size, schema, sizeof(schema) - 1))
		return 95;
	return json_head_has(head, size, "profiles") && json_head_has(head, size, "shared") ? 60 : 0;
}

const struct format speedscope_format = {
	.name = "speedscope",
	.summary = "stacks by thread, for speedscope.app",
	.suffix = ".speedscope.json",
	.recognise = speedscope_recognise,
	.read = speedscope_read,
	.write = speedscope_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(UNITS) | KEEPS(FUNCTIONS) | KEEPS(STACKS) | KEEPS(PROCESSES) | KEEPS(THREADS) |
		 KEEPS(COMMS) | KEEPS(SOURCE),
};
