/* SPDX-License-Identifier: Apache-2.0 */
/* From {"cat":"crosscut.amount","name":"page-faults/minor","parent":"page-faults","count":3,"args":{"count":3}} to a cell. */
#include "format/chrome_amount.h"

#include "base/memory.h"
#include "format/import.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 64 * 1024 };

struct chrome_amounts chrome_amounts_new(struct import *import)
{
	return (struct chrome_amounts){ .import = import, .name = TEXT(NAME_LIMIT), .parent = TEXT(NAME_LIMIT),
					.unit = TEXT(NAME_LIMIT) };
}

void chrome_amounts_done(struct chrome_amounts *amounts)
{
	free(amounts->rows);
	text_done(&amounts->name);
	text_done(&amounts->parent);
	text_done(&amounts->unit);
}

bool chrome_amount_is(struct json_value event)
{
	struct json_value category = json_get(event, "cat");

	return json_is(category, CHROME_AMOUNT) || json_is(category, CHROME_LEVEL);
}

static struct dimension_id dimension_read(struct chrome_amounts *amounts, struct json_value event, struct json_value unit)
{
	const char *name = json_decoded(json_get(event, "name"), &amounts->name);
	const char *parent = json_decoded(json_get(event, "parent"), &amounts->parent);
	struct dimension_row row = { .unit = json_decoded(unit, &amounts->unit), .meaning = "as the trace's counter says",
				     .kind = json_is(json_get(event, "cat"), CHROME_LEVEL) ? DIMENSION_LEVEL : DIMENSION_AMOUNT };
	const struct dimension_row *known;
	size_t size = strlen(parent);

	row.parent = size && !strncmp(name, parent, size) && name[size] == '/' ? parent : NULL;
	row.name = row.parent ? name + size + 1 : name;
	known = dimension_row_find(row.parent, row.name);
	if (!*row.name)
		return (struct dimension_id){ 0 };
	return profile_dimension(import_profile(amounts->import),
				 known && known->kind == row.kind && !strcmp(known->unit, row.unit) ? known : &row);
}

bool chrome_amount_read(struct chrome_amounts *amounts, struct json_value event, int64_t at_ns)
{
	struct json_items series = json_items(json_get(event, "args"));
	int64_t value, count = json_whole(json_get(event, "count"), 0), weighting = json_whole(json_get(event, "weighting"), 0);
	struct chrome_amount row = { .weighting = WEIGHTING_EXACT };

	if (json_get(event, "args").kind != JSON_OBJECT || !json_next(&series) || !json_decimal(series.value, 0, &value) ||
	    value < 0 || count < 0 || at_ns < 0)
		return false;
	row.dimension = dimension_read(amounts, event, series.key);
	if (weighting >= WEIGHTING_EXACT && weighting <= WEIGHTING_ESTIMATED)
		row.weighting = (enum weighting)weighting;
	row.at_ns = (uint64_t)at_ns;
	row.count = (uint64_t)count;
	row.value = (uint64_t)value;
	grow(amounts->rows, amounts->count, amounts->room);
	amounts->rows[amounts->count++] = row;
	return row.dimension.index != 0;
}

static bool *dimensions_of_intervals(const struct profile *profile)
{
	bool *has = xcalloc(profile_dimension_count(profile) + 1, sizeof(*has));

	for (size_t i = 0; i < profile_interval_count(profile); i++)
		has[profile_interval_at(profile, i)->dimension.index] = true;
	return has;
}

void chrome_amounts_finish(struct chrome_amounts *amounts)
{
	struct profile *into = import_profile(amounts->import);
	bool *has = dimensions_of_intervals(into);

	for (size_t i = 0; i < amounts->count; i++) {
		const struct chrome_amount *row = &amounts->rows[i];
		struct measure measure = { .role = ROLE_TOTAL, .weighting = row->weighting, .dimension = row->dimension,
					   .source = profile_string(into, "chrome") };

		if (row->dimension.index && !has[row->dimension.index])
			profile_add_cell(into, (struct cell){ .slice = import_slice_of(amounts->import, row->at_ns),
							      .measure = profile_measure(into, measure),
							      .count = row->count, .value = row->value });
	}
	free(has);
}
