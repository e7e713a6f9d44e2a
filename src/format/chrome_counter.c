/* SPDX-License-Identifier: Apache-2.0 */
/* Counters to levels, in thousandths since many are fractions. */
#include "format/chrome_counter.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/import.h"
#include "profile/profile.h"

#include <stdlib.h>

enum { NAME_LIMIT = 4096, COUNTER_LIMIT = 1 << 20, THOUSANDTHS = 3 };

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

		if (!json_decimal(items.value, THOUSANDTHS, &value))
			continue;
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
		counters->rows[*index].last = (uint64_t)value;
		if (counters->rows[*index].maximum < (uint64_t)value)
			counters->rows[*index].maximum = (uint64_t)value;
	}
}

void chrome_counters_finish(struct chrome_counters *counters)
{
	struct profile *into = import_profile(counters->import);
	struct slice_id slice;
	struct dimension_row row = { .name = "counter", .unit = "thousandths", .kind = DIMENSION_LEVEL,
				     .meaning = "a counter of the trace, as it was last set" };
	struct measure measure = { .role = ROLE_DETAIL, .weighting = WEIGHTING_EXACT };

	if (!counters->count)
		return;
	slice = import_slice(counters->import, 0);
	measure.dimension = profile_dimension(into, &row);
	measure.source = profile_string(into, "chrome");
	for (size_t i = 0; i < counters->count; i++) {
		const struct chrome_counter *counter = &counters->rows[i];
		struct thread_id thread = profile_thread(into, (struct thread){ .process = counter->process });

		profile_add_cell(into, (struct cell){ .slice = slice, .thread = thread,
						      .measure = profile_measure(into, measure),
						      .object = counter->object, .count = counter->count,
						      .value = counter->last, .maximum = counter->maximum });
	}
}
