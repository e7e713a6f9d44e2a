/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that hold numbers and no word of what they count. The user knows it and says it: "us", or with
 * the name of the event before it, "off-cpu:us"; of a file that has several kinds of numbers, each by the
 * name that the file has for it, "usecs:us,sizes:bytes". The profile keeps that it was told.
 */
#include "format/import_state.h"
#include "format/input.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static bool part_copy(char *to, size_t room, const char *from, size_t size)
{
	if (size >= room)
		return false;
	memcpy(to, from, size);
	to[size] = '\0';
	return true;
}

/* "off-cpu:us", "us". */
static bool told_parse(const char *at, size_t size, struct import_told *ret)
{
	const char *colon = memchr(at, ':', size), *unit = colon ? colon + 1 : at, *end = at + size;
	size_t name = colon ? (size_t)(colon - at) : 0;

	return (!colon || name) && !memchr(at, '/', name) && part_copy(ret->name, sizeof(ret->name), at, name) &&
	       part_copy(ret->unit, sizeof(ret->unit), unit, (size_t)(end - unit)) && import_unit_known(ret->unit);
}

/* How many there are; 0 where any is not understood, or told twice. */
static size_t told_list(const char *counts, struct import_told *rows)
{
	size_t count = 0, size;

	for (;; counts += size + 1) {
		size = strcspn(counts, ",");
		if (count == IMPORT_TOLD_LIMIT || !told_parse(counts, size, &rows[count]))
			return 0;
		for (size_t i = 0; i < count; i++)
			if (!strcmp(rows[i].name, rows[count].name))
				return 0;
		count++;
		if (!counts[size])
			return count;
	}
}

bool import_counts_valid(const char *counts)
{
	struct import_told rows[IMPORT_TOLD_LIMIT];

	return told_list(counts, rows) > 0;
}

/* A map may be told as it stands in the file: "@usecs". */
static bool is_of(const struct import_told *told, const char *name)
{
	return !strcmp(told->name, name) || (*told->name == '@' && told->name[1] && !strcmp(told->name + 1, name));
}

static size_t told_read(struct import *import)
{
	const char *counts = input_counts(import->input);

	return counts ? told_list(counts, import->told) : 0;
}

bool import_told(struct import *import, const char *name, bool alone, struct import_event *event)
{
	const struct import_told *found = NULL, *row = import->told;
	size_t count = told_read(import);

	for (size_t i = 0; i < count; i++, row++)
		if (name && *row->name && is_of(row, name))
			found = row;
		else if (!found && !*row->name)
			found = row;
	if (!found && alone && count == 1) {
		found = import->told;
		event->name = found->name + (*found->name == '@');
	}
	if (!found)
		return false;
	event->unit = found->unit;
	event->meaning = "what the file counts, as told";
	import->was_told = true;
	return true;
}

uint64_t import_told_count(const struct import_event *event, uint64_t value)
{
	uint64_t ignored;
	const char *unit = import_unit(event->unit, &ignored, &ignored);

	return !strcmp(unit, "count") || !strcmp(unit, "samples") ? value : 1;
}

/* --- Told of nothing -------------------------------------------------------------------------- */

static bool is_any(const struct import_told *told, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_of(told, names[i]))
			return true;
	return false;
}

static int refuse(const struct import *import, const struct import_told *told, const char *const *names, size_t count,
		  struct error *err)
{
	struct text list = TEXT(300);

	(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' is not what '%s' counts", told->name, input_name(import->input));
	for (size_t i = 0; i < count; i++)
		text_print(&list, "%s%s", i ? ", " : "", names[i]);
	if (count)
		(void)error_because(err, "it counts several things, and none is called so: %s%s", text_string(&list), list.cut ? "…" : "");
	else
		(void)error_because(err, "its numbers have no names, so that they are of one kind");
	text_done(&list);
	return error_try(err, "--counts %s:%s", count ? names[0] : told->name, told->unit);
}

int import_told_fits(struct import *import, const char *const *names, size_t count, struct error *err)
{
	size_t told = told_read(import);

	for (size_t i = 0; i < told; i++)
		if (*import->told[i].name && (told > 1 || count > 1) && !is_any(&import->told[i], names, count))
			return refuse(import, &import->told[i], names, count, err);
	return 0;
}
