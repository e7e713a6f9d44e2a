/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in what an error says. Every text is cut at its field's size, never refused: an error about an error helps
 * nobody.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* What helps whatever was being done, until error_try() says it better. */
static const char *usual_remedy(int code)
{
	switch (-code) {
	case ENOSPC:
	case EDQUOT:
		return "a file system with free space";
	case ENOENT:
		return "another path: the file, or the folder it lies in, does not exist";
	case EACCES:
		return "as a user who may, or give the permission";
	case EROFS:
		return "a path on a file system that can be written";
	default:
		return NULL;
	}
}

int fail(struct error *err, enum failure kind, int code, const char *what, ...)
{
	va_list arguments;

	*err = (struct error){ .code = code, .kind = kind };
	va_start(arguments, what);
	(void)vsnprintf(err->what, sizeof(err->what), what, arguments);
	va_end(arguments);
	if (code < 0)
		(void)snprintf(err->why, sizeof(err->why), "%s", strerror(-code));
	if (usual_remedy(code))
		(void)snprintf(err->next, sizeof(err->next), "%s", usual_remedy(code));
	return code;
}

int error_because(struct error *err, const char *why, ...)
{
	va_list arguments;

	va_start(arguments, why);
	(void)vsnprintf(err->why, sizeof(err->why), why, arguments);
	va_end(arguments);
	return err->code;
}

int error_try(struct error *err, const char *next, ...)
{
	va_list arguments;

	va_start(arguments, next);
	(void)vsnprintf(err->next, sizeof(err->next), next, arguments);
	va_end(arguments);
	return err->code;
}
