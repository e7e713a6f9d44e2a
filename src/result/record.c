/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named values of different kinds, in the order in which people should read them. Made names (labels that a user gave)
 * are copied; the others are static.
 */
#include "base/memory.h"
#include "result/document.h"
#include "result/value.h"

#include <stdlib.h>

struct record *record_new(void)
{
	return xcalloc(1, sizeof(struct record));
}

void record_free(struct record *record)
{
	if (!record)
		return;
	for (size_t i = 0; i < record->count; i++) {
		value_done(&record->fields[i].value);
		free(record->fields[i].made_key);
	}
	free(record->fields);
	free(record);
}

static struct field *record_grow(struct record *record)
{
	grow(record->fields, record->count, record->room);
	return &record->fields[record->count++];
}

void record_add_hinted(struct record *record, const char *key, const char *title, const char *unit, unsigned hints,
		       struct value value)
{
	*record_grow(record) =
		(struct field){ .key = key, .title = title, .unit = unit, .hints = hints, .value = value };
}

void record_add(struct record *record, const char *key, const char *title, const char *unit, struct value value)
{
	record_add_hinted(record, key, title, unit, 0, value);
}

void record_add_named(struct record *record, const char *key, struct value value)
{
	char *made = xstrdup(key);

	*record_grow(record) =
		(struct field){ .key = made, .title = made, .made_key = made, .unit = "", .value = value };
}
