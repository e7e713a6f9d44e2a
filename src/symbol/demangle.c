/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty knows the manglings. A mangled name may refer back to parts of itself, so a few hundred hostile bytes can
 * stand for gigabytes of text. Its C++ and Rust printers hand the text out in pieces, so they are left by longjmp() as
 * soon as the limit is reached; the D printer cannot be stopped, so it is only given short names.
 */
#include "symbol/demangle.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define HAVE_DECL_BASENAME 1                         /* libiberty.h would declare its own */
#include <libiberty/demangle.h>

#include "base/memory.h"

enum { D_NAME_LIMIT = 256 };

/* The D printer asks for it. libiberty's own would be linked together with a second xmalloc(). */
void *xrealloc(void *memory, size_t size)
{
	return xreallocarray(memory, size, 1);
}

struct printer {
	jmp_buf full;
	char *text;
	size_t size;
};

static void print_piece(const char *piece, size_t size, void *context)
{
	struct printer *printer = context;
	size_t room = DEMANGLE_SIZE - 1 - printer->size;

	memcpy(printer->text + printer->size, piece, size < room ? size : room);
	printer->size += size < room ? size : room;
	if (size >= room)
		longjmp(printer->full, 1);
}

static int print_demangled(const char *name, struct printer *printer)
{
	int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(printer->full))
		return 1;                            /* the head of a very long name is better than its mangled form */
	if (rust_demangle_callback(name, options, print_piece, printer))
		return 1;
	printer->size = 0;
	return cplus_demangle_v3_callback(name, options, print_piece, printer);
}

static int demangle_d(const char *name, char text[DEMANGLE_SIZE])
{
	char *demangled = strlen(name) <= D_NAME_LIMIT ? dlang_demangle(name, 0) : NULL;

	if (!demangled)
		return 0;
	text[0] = '\0';
	(void)strncat(text, demangled, DEMANGLE_SIZE - 1);
	free(demangled);
	return 1;
}

static void cut_version(char *name)
{
	char *at = strchr(name, '@');

	if (at && at != name)
		*at = '\0';
}

const char *demangle(const char *name, char text[DEMANGLE_SIZE])
{
	struct printer printer = { .text = text };
	char plain[DEMANGLE_SIZE] = "";

	(void)strncat(plain, name, sizeof(plain) - 1);
	cut_version(plain);
	if (plain[0] == '_' && (plain[1] == 'Z' || plain[1] == 'R') && print_demangled(plain, &printer)) {
		text[printer.size] = '\0';
		return text;
	}
	if (plain[0] == '_' && plain[1] == 'D' && demangle_d(plain, text))
		return text;
	memcpy(text, plain, sizeof(plain));
	return text;
}
