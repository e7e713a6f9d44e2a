/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Allocation that never fails: out of memory ends the program with a message, since no caller could do better. Sizes
 * that come from outside are limited before they reach these.
 */
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);       /* aborts on overflow as well */
void *xreallocarray(void *memory, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From here on, pieces of a quarter of a megabyte and more go back to the system when they are freed. The library would learn to keep
 * them, which is right for who needs them again: a recorder does not. */
void memory_return_large(void);

/* Makes room for one more element in a growing array: grow(rows, row_count, row_room); rows[row_count++] = row; */
#define grow(array, count, room)                                                           \
	do {                                                                               \
		if ((count) >= (room)) {                                                   \
			(room) = (room) ? (room) * 2 : 16;                                 \
			(array) = xreallocarray((array), (room), sizeof(*(array)));        \
		}                                                                          \
	} while (0)
