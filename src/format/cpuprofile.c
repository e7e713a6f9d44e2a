/* SPDX-License-Identifier: Apache-2.0 */
/* The row of V8's CPU profiles: `node --cpu-prof`, "Save profile" of Chrome's developer tools. */
#include "base/error.h"
#include "format/format.h"
#include "format/import.h"
#include "format/json_import.h"
#include "format/v8.h"

extern const struct format cpuprofile_format;

static int cpuprofile_recognise(const void *head, size_t size)
{
	if (json_head_first(head, size) != '{' || json_head_has(head, size, "traceEvents"))
		return 0;
	if (json_head_has(head, size, "nodes") && json_head_has(head, size, "callFrame"))
		return 90;
	return json_head_has(head, size, "head") && json_head_has(head, size, "functionName") ? 85 : 0;
}

static int cpuprofile_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &cpuprofile_format);
	struct json_value root;
	struct json json = { 0 };
	int r = import_json(import, from, &json, &root, err);

	if (!r && !v8_is(root))
		r = import_refuse(import, err, NULL, 0, "it has neither nodes nor a tree of them");
	if (!r)
		v8_read(import, root, import_thread(import, 0, 0, NULL));
	json_done(&json);
	return r < 0 ? r : import_finish(import, err);
}

const struct format cpuprofile_format = {
	.name = "cpuprofile",
	.summary = "V8's CPU profiles, of node --cpu-prof and Chrome",
	.suffix = ".cpuprofile",
	.recognise = cpuprofile_recognise,
	.read = cpuprofile_read,
};
