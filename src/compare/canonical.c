/* SPDX-License-Identifier: Apache-2.0 */
/* GCC splits functions into .part, .cold, .isra and .constprop with a number; LLVM numbers what it made local (.llvm.123). */
#include "compare/canonical.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_number(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!isdigit((unsigned char)text[i]))
			return false;
	return size > 0;
}

static bool is_compilers(const char *suffix)
{
	static const char *const words[] = { "part", "cold", "isra", "constprop", "llvm", "lto_priv", "localalias", "hot" };

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (!strcmp(suffix, words[i]))
			return true;
	return false;
}

/* Lambdas of the JVM and generated names end in an address: "Lambda/0x00007f…". */
static void cut_address(char *text)
{
	char *address = strstr(text, "/0x");

	if (address && strspn(address + 3, "0123456789abcdefABCDEF") == strlen(address + 3))
		*address = '\0';
}

const char *canonical_function(const char *name, char *text, size_t size)
{
	char *dot;

	(void)snprintf(text, size, "%s", name);
	while ((dot = strrchr(text, '.')) && dot != text) {
		bool numbered = is_number(dot + 1, strlen(dot + 1));
		char *before;

		if (!numbered && !is_compilers(dot + 1))
			break;
		*dot = '\0';
		before = strrchr(text, '.');
		if (numbered && !(before && is_compilers(before + 1))) {
			*dot = '.';             /* a number that no compiler's word stands before is part of the name */
			break;
		}
	}
	cut_address(text);
	return text;
}

/* "libc-2.36.so" and "libc.so.6" are "libc.so"; "python3.11" is "python". */
const char *canonical_module(const char *path, char *text, size_t size)
{
	const char *slash = *path == '[' ? NULL : strrchr(path, '/');
	char *so, *end, *version;

	(void)snprintf(text, size, "%s", slash ? slash + 1 : path);
	if (*text == '[')
		return text;
	so = strstr(text, ".so");
	if (so)
		so[3] = '\0';
	end = so ? so : text + strlen(text);
	version = end;
	while (version > text + 1 && (isdigit((unsigned char)version[-1]) || version[-1] == '.' || version[-1] == '-'))
		version--;
	memmove(version, end, strlen(end) + 1);
	return text;
}
