/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a sample of pprof, of its ancestors or of OTLP is worth: one number per declared type. Each
 * type becomes a dimension with its unit, and they never mix. A type of unit "count" that stands in
 * front of another says how many events that one's values are where producers mean it so: samples/count,
 * cpu/nanoseconds. In front of it may stand any other event, whose number says nothing of it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/import.h"

enum { VALUES_LIMIT = 64 };

struct value_column {
	struct import_measure measure;           /* none: it only counts the events of the next one */
	struct import_event event;               /* as it was declared; its texts are the profile's */
	bool is_count, counts_next;              /* unit "count", and it says how many events the next one's are */
};

struct values {
	struct import *import;
	struct value_column columns[VALUES_LIMIT];
	size_t count;
};

void values_init(struct values *values, struct import *import);
/* False where there is no room for more. The event's period is in the type's own unit. */
bool values_add_type(struct values *values, const struct import_event *event);
/* After the last type, before the first sample. */
void values_start(struct values *values);
/* One sample: as many numbers as there are types; its thread, stack, object and time are those of
 * `sample`. `part` is the part of the dimensions that a label named, "disk/read"; NULL without. */
void values_add(struct values *values, const struct import_sample *sample, const char *part,
		const int64_t *numbers);

/* The measure of "disk/read" in place of that of "disk"; of another part, or of none, the same again. */
struct import_measure values_part(struct import *import, struct import_measure measure,
				  const char *name, const char *part);

/* Does a type of that name count the events of the one that stands behind it, by what producers write? */
bool values_count_next(const char *name, const char *next);

/* Kept with the profile for each dimension whose events the file had a type of ours for: "pprof.events.disk". */
#define VALUES_META "pprof.events."
/* Types that crosscut writes to say how many events stand behind a value: "disk_events". */
#define VALUES_EVENTS "_events"
