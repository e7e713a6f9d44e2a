/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A file of /proc, or what a program told, as one text; "" where there is none. The caller frees it. */
#include <stdio.h>

#include "base/text.h"

__attribute__((unused)) static char *read_all(const char *path)
{
	struct text text = TEXT(4 << 20);
	FILE *file = fopen(path, "re");
	char bytes[65536];
	size_t size;

	while (file && (size = fread(bytes, 1, sizeof(bytes), file)) > 0)
		text_append(&text, bytes, size);
	if (file)
		(void)fclose(file);
	return text_take(&text);
}
