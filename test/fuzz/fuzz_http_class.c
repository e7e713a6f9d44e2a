/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the beginning of a request: the class is short, printable, and holds no query. */
#include "work/http_class.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct work_class class;
	size_t length;

	http_class_of((const char *)bytes, size, &class);
	length = strnlen(class.name, sizeof(class.name));
	assert(length < sizeof(class.name) && !strchr(class.name, '#'));
	for (size_t i = 0; i < length; i++)
		assert(isprint((unsigned char)class.name[i]));
	length = strnlen(class.trace_id, sizeof(class.trace_id));
	assert(!length || length == sizeof(class.trace_id) - 1);
	return 0;
}
