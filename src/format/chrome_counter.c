/* SPDX-License-Identifier: Apache-2.0 */
/* Counters to levels; in thousandths where one is ever a fraction. */
#include "format/chrome_counter.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/import.h"
#include "profile/profile.h"

#include <stdlib.h>

enum { NAME_LIMIT = 4096, COUNTER_LIMIT = 1 << 20, THOUSANDTHS = 3, MILLI = 1000 };

struct chrome_counters chrome_counters_new(struct import *import)
{
	return (struct chrome_counters){ .import = import, .known = map_new(2 * sizeof(uint32_t)),
					 .name = TEXT(NAME_LIMIT), .scratch = TEXT(NAME_LIMIT) };
}

void chrome_counters_done(struct chrome_counters *counters)
{
	map_free(counters->known);
	free(counters->rows);
	text_done(&counters->name);
	text_done(&counters->scratch);
}

/* "name series", or "name[id] series": as Perfetto names them. */
static struct object_id counter_object(struct chrome_counters *counters, struct json_value event, struct json_value series)
{
	struct json_value id = json_get(event, "id");
	struct profile *into = import_profile(counters->import);

	text_clear(&counters->name);
	text_print(&counters->name, "%s", json_decoded(json_get(event, "name"), &counters->scratch));
	if (id.kind == JSON_STRING || id.kind == JSON_NUMBER)
		text_print(&counters->name, "[%s]", json_decoded(id, &counters->scratch));
	text_print(&counters->name, " %s", json_decoded(series, &counters->scratch));
	return profile_object(into, (struct object){ .kind = profile_string(into, "counter"),
						     .name = profile_string(into, text_string(&counters->name)) });
}

void chrome_counter_read(struct chrome_counters *counters, struct json_value event, struct process_id process)
{
	struct json_value series = json_get(event, "args");
	struct json_items items = json_items(series);
	int64_t value;

	while (series.kind == JSON_OBJECT && json_next(&items)) {
		struct chrome_counter row = { .process = process };
		uint32_t key[2], *index;
		bool added;

		if (!json_decimal(items.value, THOUSANDTHS, &value)) {
			import_warn(counters->import, "a counter's value is no number", NULL, 0);
			continue;
		}
		if (value < 0)
			import_skipped(counters->import, "a counter is below zero", NULL, 0);
		if (value < 0 || counters->count >= COUNTER_LIMIT)
			continue;
		row.object = counter_object(counters, event, items.key);
		key[0] = process.index;
		key[1] = row.object.index;
		index = map_put(counters->known, key, &added);
		if (added) {
			*index = (uint32_t)counters->count;
			grow(counters->rows, counters->count, counters->room);
			counters->rows[counters->count++] = row;
		}
		counters->rows[*index].count++;
		counters->rows[*index].fraction |= value % MILLI != 0;
		counters->rows[*index].last = (uint64_t)value;
		if (counters->rows[*index].maximum < (uint64_t)value)
			counters->rows[*index].maximum = (uint64_t)value;
	}
}

/* A level of its own for each, whole where it always was: levels of different things have no sum. */
static struct dimension_id counter_dimension(struct profile *into, const struct chrome_counter *counter)
{
	struct dimension_row row = { .name = profile_text(into, profile_object_at(into, counter->object.index)->name),
				     .kind = DIMENSION_LEVEL,
				     .unit = counter->fraction ? "thousandths" : "count",
				     .meaning = "a counter of the trace, as it was last set" };

	return profile_dimension(into, &row);
}

static void counter_finish(struct chrome_counters *counters, const struct chrome_counter *counter, struct slice_id slice)
{
	struct profile *into = import_profile(counters->import);
	struct measure measure = { .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT, .source = profile_string(into, "chrome"),
				   .dimension = counter_dimension(into, counter) };
	struct thread_id thread = profile_thread(into, (struct thread){ .process = counter->process });
	struct cell cell = { .slice = slice, .thread = thread, .object = counter->object, .count = counter->count,
			     .value = counter->last, .maximum = counter->maximum };

	cell.measure = measure.dimension.index ? profile_measure(into, measure) : (struct measure_id){ 0 };
	if (!cell.measure.index) {
		import_skipped(counters->import, "more counters than are kept", NULL, 0);
		return;
	}
	if (!counter->fraction) {
		cell.value /= MILLI;
		cell.maximum /= MILLI;
	}
	profile_add_cell(into, cell);
}

void chrome_counters_finish(struct chrome_counters *counters)
{
	struct slice_id slice;

	if (!counters->count)
		return;
	slice = import_slice(counters->import, 0);
	for (size_t i = 0; i < counters->count; i++)
		counter_finish(counters, &counters->rows[i], slice);
}
