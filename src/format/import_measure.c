/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file's events are called here. Units are brought to those that views know (ns, bytes,
 * count, samples); anything else keeps its name. Only what is known to be time on a processor, or
 * time spent waiting, becomes that kind of dimension: everything else is an amount, which nothing
 * sums with anything.
 */
#include "format/import_state.h"

#include "base/cleanup.h"

#include <string.h>

struct unit_row { const char *name, *unit; uint64_t multiply, divide; };
static const struct unit_row unit_rows[] = {
	{ "nanoseconds", "ns", 1, 1 },       { "nanosecond", "ns", 1, 1 },   { "ns", "ns", 1, 1 },
	{ "microseconds", "ns", 1000, 1 },   { "microsecond", "ns", 1000, 1 },
	{ "us", "ns", 1000, 1 },             { "usecs", "ns", 1000, 1 },     { "\xc2\xb5s", "ns", 1000, 1 },
	{ "milliseconds", "ns", 1000000, 1 }, { "millisecond", "ns", 1000000, 1 },
	{ "ms", "ns", 1000000, 1 },          { "msec", "ns", 1000000, 1 },
	{ "seconds", "ns", 1000000000, 1 },  { "second", "ns", 1000000000, 1 },
	{ "sec", "ns", 1000000000, 1 },      { "s", "ns", 1000000000, 1 },
	{ "picoseconds", "ns", 1, 1000 },
	{ "bytes", "bytes", 1, 1 },          { "byte", "bytes", 1, 1 },      { "B", "bytes", 1, 1 },
	{ "By", "bytes", 1, 1 },
	{ "kilobytes", "bytes", 1024, 1 },   { "kB", "bytes", 1024, 1 },     { "KiB", "bytes", 1024, 1 },
	{ "megabytes", "bytes", 1 << 20, 1 }, { "MiB", "bytes", 1 << 20, 1 },
	{ "gigabytes", "bytes", 1 << 30, 1 },
	{ "count", "count", 1, 1 },          { "1", "count", 1, 1 },
	{ "samples", "samples", 1, 1 },      { "sample", "samples", 1, 1 },
};

/* What events usually are, by name and unit. */
struct event_row { const char *name, *unit; enum dimension_kind kind; };
static const struct event_row event_rows[] = {
	{ "cpu", "ns", DIMENSION_RUNNING },
	{ "cpu-clock", "ns", DIMENSION_RUNNING },
	{ "task-clock", "ns", DIMENSION_RUNNING },
	{ "off-cpu", "ns", DIMENSION_WAITING },
	{ "delay", "ns", DIMENSION_WAITING },
	{ "inuse_objects", "count", DIMENSION_LEVEL },
	{ "inuse_space", "bytes", DIMENSION_LEVEL },
};

const char *import_unit(const char *unit, uint64_t *ret_multiply, uint64_t *ret_divide)
{
	*ret_multiply = *ret_divide = 1;
	if (!unit || !*unit)
		return "samples";
	for (size_t i = 0; i < ARRAY_LENGTH(unit_rows); i++) {
		if (strcmp(unit_rows[i].name, unit) != 0)
			continue;
		*ret_multiply = unit_rows[i].multiply;
		*ret_divide = unit_rows[i].divide;
		return unit_rows[i].unit;
	}
	return unit;
}

bool import_unit_known(const char *unit)
{
	for (size_t i = 0; i < ARRAY_LENGTH(unit_rows); i++)
		if (!strcmp(unit_rows[i].name, unit))
			return true;
	return false;
}

/* "cpu-clock:pppH" is cpu-clock, however precisely it was asked for. */
static bool is_event(const char *name, const char *row)
{
	size_t size = strlen(row);

	return !strncmp(name, row, size) && (!name[size] || name[size] == ':');
}

/* Of running time there can be but one in a ledger; a second event that measures it is an amount beside it. */
static enum dimension_kind kind_of(struct import *import, const char *name, const char *unit)
{
	for (size_t i = 0; i < ARRAY_LENGTH(event_rows); i++) {
		if (!is_event(name, event_rows[i].name) || strcmp(event_rows[i].unit, unit) != 0)
			continue;
		if (event_rows[i].kind != DIMENSION_RUNNING)
			return event_rows[i].kind;
		if (import->has_running)
			break;
		import->has_running = true;
		return DIMENSION_RUNNING;
	}
	return DIMENSION_AMOUNT;
}

static struct dimension_id known_dimension(const struct profile *profile, const char *name, const char *unit)
{
	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		const struct dimension *row = profile_dimension_at(profile, i);

		if (!row->parent.index && !strcmp(profile_text(profile, row->name), name) &&
		    !strcmp(profile_text(profile, row->unit), unit))
			return (struct dimension_id){ i };
	}
	return (struct dimension_id){ 0 };
}

static struct dimension_id dimension_put(struct import *import, const struct import_event *event,
					 const char *name, const char *unit)
{
	struct dimension_id known = known_dimension(import->profile, name, unit);
	const struct dimension_row row = {
		.name = name,
		.unit = unit,
		.kind = known.index ? 0 : event->kind ? event->kind : kind_of(import, name, unit),
		.meaning = event->meaning ? event->meaning : "as the file counts it",
	};

	return known.index ? known : profile_dimension(import->profile, &row);
}

struct import_measure import_measure(struct import *import, const struct import_event *event)
{
	const char *name = event->name && *event->name ? event->name : "samples";
	struct import_measure measure;
	const char *unit = import_unit(event->unit, &measure.multiply, &measure.divide);
	struct measure row = {
		.dimension = dimension_put(import, event, name, unit),
		.role = ROLE_TOTAL,
		.weighting = event->weighting ? event->weighting : WEIGHTING_SAMPLED,
		.source = profile_string(import->profile, event->source ? event->source : name),
		.period = event->period > UINT64_MAX / measure.multiply
				  ? 0 : event->period * measure.multiply / measure.divide,
	};

	measure.dimension = row.dimension;
	measure.total = measure.split = (struct measure_id){ 0 };
	if (!row.dimension.index)
		return measure;
	measure.total = profile_measure(import->profile, row);
	row.role = ROLE_SPLIT;
	measure.split = profile_measure(import->profile, row);
	if (!measure.split.index)
		measure.total = measure.split;
	return measure;
}
