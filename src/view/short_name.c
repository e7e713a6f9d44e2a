/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bracket that follows "operator", stands between blanks ("a < b", of a stack in one line), or never closes, is no
 * bracket.
 */
#include "view/short_name.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool opens(const char *name, size_t at, char bracket)
{
	if (name[at] != bracket || (at && name[at - 1] == ' ') || name[at + 1] == ' ')
		return false;
	return at < 8 || strncmp(name + at - 8, "operator", 8) != 0;
}

/* Where the bracket that opens at `at` closes; 0 where it does not. "->" is none. */
static size_t close_of(const char *name, size_t at, char open, char close)
{
	int depth = 0;

	for (size_t i = at; name[i]; i++) {
		if (name[i] == open)
			depth++;
		else if (name[i] == close && (close != '>' || name[i - 1] != '-') && !--depth)
			return i;
	}
	return 0;
}

static char *fold(const char *name, char open, char close)
{
	struct text text = TEXT(64 * 1024);

	for (size_t i = 0; name[i]; i++) {
		size_t end = opens(name, i, open) && strncmp(name + i, "(anonymous", 10) ? close_of(name, i, open, close) : 0;

		if (end <= i + 1) {
			text_append(&text, name + i, 1);
			continue;
		}
		text_print(&text, "%c…%c", open, close);
		i = end;
	}
	return text_take(&text);
}

char *short_name(const char *name)
{
	char *shorter, *shortest;

	if (strlen(name) <= SHORT_NAME_LENGTH)
		return xstrdup(name);
	shorter = fold(name, '<', '>');
	if (strlen(shorter) <= SHORT_NAME_LENGTH)
		return shorter;
	shortest = fold(shorter, '(', ')');
	free(shorter);
	return shortest;
}
