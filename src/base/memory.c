/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where running out of memory is handled. It ends the program: a profiler that goes on with half of
 * its facts would lie.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
	if (memory)
		return memory;
	(void)fputs("crosscut: out of memory\n", stderr);
	abort();
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *memory, size_t count, size_t size)
{
	return checked(reallocarray(memory, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xstrndup(const char *text, size_t size)
{
	return checked(strndup(text, size));
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return checked(length < 0 ? NULL : text);
}

void memory_return_large(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
}
