/* SPDX-License-Identifier: Apache-2.0 */
/* From an input to JSON, and what a head looks like. */
#include "format/json_import.h"

#include "format/import.h"
#include "format/input.h"

#include <errno.h>
#include <string.h>

enum { KEY_LIMIT = 64 };

int import_json(struct import *import, struct input *from, struct json *json, struct json_value *ret, struct error *err)
{
	const unsigned char *bytes;
	size_t size, at = 0;
	int r = input_whole(from, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	if (size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		at = 3;
	*json = json_of((const char *)bytes, size);
	r = json_parse(json, &at, ret, err);
	if (r == -ENODATA)
		return import_refuse(import, err, "byte", size, "it ends in the middle");
	if (r < 0)
		return import_refuse(import, err, "byte", at, r == -EBADMSG ? "it is no JSON from there on"
									     : "it is nested too deep or too large");
	if (json_look(json, &at))
		import_warn(import, "what follows the end of the JSON is not read", "byte", at);
	return 0;
}

int json_head_has(const void *head, size_t size, const char *key)
{
	char quoted[KEY_LIMIT];
	size_t key_size = strlen(key);

	quoted[0] = '"';
	memcpy(quoted + 1, key, key_size);
	quoted[key_size + 1] = '"';
	return memmem(head, size, quoted, key_size + 2) != NULL;
}

char json_head_first(const void *head, size_t size)
{
	const struct json json = json_of(head, size);
	size_t at = size >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;

	return json_look(&json, &at);
}
