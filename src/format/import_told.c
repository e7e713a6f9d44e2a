/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that hold numbers and no word of what they count. The user knows it and says it: "us", or with
 * the name of the event before it, "off-cpu:us". The profile keeps that it was told.
 */
#include "format/import_state.h"
#include "format/input.h"

#include <stdio.h>
#include <string.h>

static const char *unit_of(const char *counts)
{
	const char *colon = strrchr(counts, ':');

	return colon ? colon + 1 : counts;
}

bool import_counts_valid(const char *counts)
{
	const char *unit = unit_of(counts);
	size_t name = (size_t)(unit - counts);

	return import_unit_known(unit) && name != 1 && strchr(counts, ':') == strrchr(counts, ':') && name < IMPORT_TOLD_BYTES && !memchr(counts, '/', name);
}

bool import_told(struct import *import, bool named, struct import_event *event)
{
	const char *counts = input_counts(import->input), *unit;

	if (!counts || !import_counts_valid(counts))
		return false;
	unit = unit_of(counts);
	if (named && unit > counts) {
		(void)snprintf(import->told, sizeof(import->told), "%.*s", (int)(unit - counts - 1), counts);
		event->name = import->told;
	}
	event->unit = unit;
	event->meaning = "what the file counts, as told";
	import->was_told = true;
	return true;
}

uint64_t import_told_count(const struct import *import, uint64_t value)
{
	uint64_t multiply, divide;
	const char *unit = import->was_told ? import_unit(unit_of(input_counts(import->input)), &multiply, &divide) : "count";

	return !strcmp(unit, "count") || !strcmp(unit, "samples") ? value : 1;
}
