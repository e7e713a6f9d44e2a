/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared types of values to measures, and numbers to samples. Names that the ledger knows keep
 * their kind, so that what we wrote comes back as what it was.
 */
#include "format/values.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "profile/dimension.h"

#include <string.h>

void values_init(struct values *values, struct import *import)
{
	*values = (struct values){ .import = import };
}

static const char *kept(struct values *values, const char *text)
{
	struct profile *profile = import_profile(values->import);

	return profile_text(profile, profile_string(profile, text));
}

/* Two types of one name would be one dimension: the second one gets a number. */
static const char *name_of_its_own(struct values *values, const char *name)
{
	CLEANUP_TEXT char *other = NULL;

	for (size_t i = 0; i < values->count; i++) {
		if (strcmp(values->columns[i].event.name, name) != 0)
			continue;
		other = xasprintf("%s#%zu", name, values->count + 1);
		return kept(values, other);
	}
	return kept(values, name);
}

bool values_add_type(struct values *values, const struct import_event *event)
{
	struct value_column column = { .event = *event };
	const struct dimension_row *known;
	const char *unit;
	uint64_t ignored;

	if (values->count == VALUES_LIMIT)
		return false;
	column.event.name = name_of_its_own(values, event->name && *event->name ? event->name
										: "samples");
	column.event.unit = kept(values, event->unit && *event->unit ? event->unit : "count");
	unit = import_unit(column.event.unit, &ignored, &ignored);
	column.is_count = !strcmp(unit, "count") || !strcmp(unit, "samples");
	known = dimension_row_find(NULL, column.event.name);
	if (known && !strcmp(known->unit, unit)) {
		column.event.kind = known->kind;
		column.event.meaning = known->meaning;
	}
	values->columns[values->count++] = column;
	return true;
}

static bool is_events_of(const struct values *values, size_t column)
{
	const char *name = values->columns[column].event.name;
	const char *next = values->columns[column + 1].event.name;
	size_t size = strlen(next);

	return !strncmp(name, next, size) && !strcmp(name + size, VALUES_EVENTS);
}

/* Pairs that producers write: whole names, or what follows "alloc_". */
struct pair { const char *counts, *next; bool ends; };
static const struct pair pairs[] = {
	{ "samples", "cpu", false },    { "sample", "cpu", false },         { "samples", "wall", false },
	{ "sample", "wall", false },    { "contentions", "delay", false },  { "objects", "space", false },
	{ "_objects", "_space", true }, { "_objects", "_bytes", true },
};

bool values_count_next(const char *name, const char *next)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
		size_t end = strlen(pairs[i].counts), head = size - end;

		if (!pairs[i].ends ? !strcmp(name, pairs[i].counts) && !strcmp(next, pairs[i].next)
				   : size > end && !strcmp(name + head, pairs[i].counts) && !strncmp(name, next, head) &&
					     !strcmp(next + head, pairs[i].next))
			return true;
	}
	return false;
}

/* Who writes the profile again writes that type again. */
static void events_keep(struct values *values, const char *name)
{
	CLEANUP_TEXT char *key = xasprintf("%s%s", VALUES_META, name);

	profile_set_meta(import_profile(values->import), key, "yes");
}

void values_start(struct values *values)
{
	for (size_t i = 0; i < values->count; i++) {
		struct value_column *column = &values->columns[i];
		bool events = i + 1 < values->count && column->is_count && is_events_of(values, i);

		column->counts_next = events || (i + 1 < values->count && column->is_count && !column[1].is_count &&
						 values_count_next(column->event.name, column[1].event.name));
		if (events)
			events_keep(values, column[1].event.name);
		else
			column->measure = import_measure(values->import, &column->event);
	}
}

struct import_measure values_part(struct import *import, struct import_measure measure,
				  const char *name, const char *part)
{
	struct profile *profile = import_profile(import);
	struct measure row = *profile_measure_at(profile, measure.total.index);
	const struct dimension *dimension = profile_dimension_at(profile, row.dimension.index);
	size_t size = strlen(name);

	if (!part || strncmp(part, name, size) != 0 || part[size] != '/' || !part[size + 1])
		return measure;
	row.dimension = profile_dimension(
		profile, &(struct dimension_row){ .name = part + size + 1,
						  .parent = name,
						  .unit = profile_text(profile, dimension->unit),
						  .kind = dimension->kind,
						  .meaning = "as the file names it" });
	measure.dimension = row.dimension;
	measure.total = profile_measure(profile, row);
	row.role = ROLE_SPLIT;
	measure.split = profile_measure(profile, row);
	return measure;
}

static uint64_t events_of(const struct values *values, size_t column, const int64_t *numbers)
{
	bool counted = column && values->columns[column - 1].counts_next;
	int64_t events = counted			   ? numbers[column - 1]
			 : values->columns[column].is_count ? numbers[column]
							    : 1;

	return events > 0 ? (uint64_t)events : 0;
}

void values_add(struct values *values, const struct import_sample *sample, const char *part,
		const int64_t *numbers)
{
	for (size_t i = 0; i < values->count; i++) {
		const struct value_column *column = &values->columns[i];
		struct import_sample one = *sample;

		if (numbers[i] < 0) {
			import_skipped(values->import,
				       "a value below 0, as a difference of profiles has them",
				       NULL, 0);
			continue;
		}
		if (!column->measure.dimension.index)
			continue;
		one.measure = values_part(values->import, column->measure, column->event.name, part);
		one.count = events_of(values, i, numbers);
		one.value = (uint64_t)numbers[i];
		import_sample(values->import, &one);
	}
}
