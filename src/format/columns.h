/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a profile weighs, as a table: a column per dimension, a row per thread, stack, part and labels.
 * For formats that write several numbers for one sample, or one file with several dimensions.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/choice.h"

struct error;
struct format_options;

enum { COLUMNS_LIMIT = 64 };

struct column {
	struct choice choice;
	const char *name, *unit;                 /* as pprof and OTLP say it: "cpu", "nanoseconds" */
	bool events;                             /* how many events stand behind the next column */
	bool counted;                            /* the column before this one says that already */
};
struct columns {
	const struct profile *profile;
	struct column rows[COLUMNS_LIMIT];
	size_t count;
};

/* Of the dimension that was named, else of all that weigh anything. A dimension whose unit is no count
 * has a column of events in front of it: the dimension that counts them, if the profile has it there
 * (samples, cpu), else one of its own ("disk_events"), which our readers know. */
int columns_make(struct columns *columns, const struct profile *profile,
		 const struct format_options *options, struct error *err);
void columns_done(struct columns *columns);
/* Then nothing is added that the file did not have. */
bool columns_came_as_pprof(const struct profile *profile);

struct sample_key { uint32_t thread, stack, part, object; };     /* part: none for a whole dimension */
struct samples {
	struct sample_key *keys;
	size_t count, room;
	uint64_t *values;                        /* as many of each as there are columns */
	size_t value_room;
};
void samples_gather(const struct columns *columns, struct samples *into);
void samples_done(struct samples *samples);
