/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in what an error says. Every text is cut at its field's size, never refused: an error about an error helps
 * nobody.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail(struct error *err, enum failure kind, int code, const char *what, ...)
{
	va_list arguments;

	*err = (struct error){ .code = code, .kind = kind };
	va_start(arguments, what);
	(void)vsnprintf(err->what, sizeof(err->what), what, arguments);
	va_end(arguments);
	if (code < 0)
		(void)snprintf(err->why, sizeof(err->why), "%s", strerror(-code));
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
