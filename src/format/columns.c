/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the columns and adds up the cells. Rows stand in the order in which the profile first has
 * them, so that the same profile gives the same file.
 */
#include "format/columns.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/values.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "samples" are counted; samples of something else, as of cycles, are not so many of it. */
static const char *unit_of(const char *name, const char *unit)
{
	if (!strcmp(unit, "samples") && !strcmp(name, "samples"))
		return "count";
	return !strcmp(unit, "ns") ? "nanoseconds" : unit;
}

bool columns_came_as_pprof(const struct profile *profile)
{
	const char *format = profile_meta(profile, "import.format");

	return format && !strcmp(format, "pprof");
}

static bool is_count(const struct column *column)
{
	return !strcmp(column->unit, "count") || !strcmp(column->unit, "samples");
}

/* Of a pprof file: where it had them. Else of what does not count its events itself. */
static bool has_events(const struct profile *profile, const struct column *column, bool counts_itself)
{
	CLEANUP_TEXT char *key = xasprintf("%s%s", VALUES_META, column->name);

	return columns_came_as_pprof(profile) ? profile_meta(profile, key) != NULL : !counts_itself && !column->counted;
}

/* How much there is of a dimension, and how many events. */
static bool weighs(const struct choice *choice, uint64_t *ret_value, uint64_t *ret_count)
{
	bool any = false;

	*ret_value = *ret_count = 0;
	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);

		if (!choice_has(choice, cell))
			continue;
		any = true;
		*ret_value += choice_weight(cell);
		*ret_count += cell->count;
	}
	return any;
}

static void column_put(struct columns *columns, struct column column)
{
	if (columns->count < COLUMNS_LIMIT)
		columns->rows[columns->count++] = column;
}

/* `before`: what the column in front of it sums to. Returns what this one does. */
static uint64_t columns_put(struct columns *columns, struct choice choice, uint64_t before)
{
	CLEANUP_TEXT char *name = choice_name(choice.profile, choice.dimension);
	struct column column = { .choice = choice, .unit = unit_of(name, choice_unit(&choice)) };
	const struct column *last =
		columns->count ? &columns->rows[columns->count - 1] : NULL;
	uint64_t value, count;

	if (!weighs(&choice, &value, &count))
		return before;
	column.name = xstrdup(name);
	column.counted = last && is_count(last) && before == count && values_count_next(last->name, name);
	if (has_events(choice.profile, &column, is_count(&column) && value == count)) {
		struct column events = { .choice = choice, .unit = "count", .events = true };

		events.name = xasprintf("%s%s", name, VALUES_EVENTS);
		column_put(columns, events);
	}
	column_put(columns, column);
	return value;
}

/* The dimension that counts another's events by what producers call both; 0 where there is none. */
static uint32_t counter_of(const struct profile *profile, uint32_t of)
{
	const char *name = profile_text(profile, profile_dimension_at(profile, of)->name);

	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		const struct dimension *row = profile_dimension_at(profile, i);

		if (!row->parent.index && values_count_next(profile_text(profile, row->name), name))
			return i;
	}
	return 0;
}

/* In the order of the profile, other than that what counts another stands in front of it; a pprof file keeps its own. */
static void columns_of_all(struct columns *columns)
{
	const struct profile *profile = columns->profile;
	bool *placed = xcalloc(profile_dimension_count(profile), sizeof(*placed));
	uint64_t before = 0;

	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		uint32_t row[] = { columns_came_as_pprof(profile) ? 0 : counter_of(profile, i), i };

		for (size_t j = profile_dimension_at(profile, i)->parent.index ? 2 : 0; j < 2; j++) {
			if (!row[j] || placed[row[j]])
				continue;
			placed[row[j]] = true;
			before = columns_put(columns, choice_of(profile, (struct dimension_id){ row[j] }), before);
		}
	}
	free(placed);
}

int columns_make(struct columns *columns, const struct profile *profile,
		 const struct format_options *options, struct error *err)
{
	struct choice choice;
	int r;

	*columns = (struct columns){ .profile = profile };
	if (options && options->dimension) {
		r = choice_make(columns->profile, options, &choice, err);
		if (r < 0)
			return r;
		(void)columns_put(columns, choice, 0);
	} else {
		columns_of_all(columns);
	}
	if (columns->count)
		return 0;
	fail(err, FAILURE_WORK, -ENODATA, "there is nothing to write");
	error_because(err, "no dimension of this profile weighs anything");
	return error_try(err, "crosscut report, which says what the file holds");
}

void columns_done(struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		free((char *)columns->rows[i].name);
}

/* --- Samples ---------------------------------------------------------------------------------- */

static uint64_t add_within(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The part of a state that a cell counts towards; none for the state itself. */
static uint32_t part_of(const struct profile *profile, const struct cell *cell)
{
	struct dimension_id id = profile_cell_dimension(profile, cell);

	return profile_dimension_at(profile, id.index)->parent.index ? id.index : 0;
}

static uint64_t *sample_values(const struct columns *columns, struct samples *into, struct map *known,
			       const struct sample_key *key)
{
	size_t count = columns->count;
	bool added;
	uint32_t *index = map_put(known, key, &added);

	if (added) {
		*index = (uint32_t)into->count;
		grow(into->keys, into->count, into->room);
		into->keys[into->count++] = *key;
		if (into->room > into->value_room) {
			into->value_room = into->room;
			into->values = xreallocarray(into->values, into->room,
						     count * sizeof(*into->values));
		}
		memset(&into->values[*index * count], 0, count * sizeof(*into->values));
	}
	return &into->values[*index * count];
}

static void cell_gather(const struct columns *columns, const struct cell *cell, struct samples *into,
			struct map *known)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->rows[i];
		struct sample_key key = { .thread = cell->thread.index,
					  .object = cell->object.index };
		uint64_t *values;

		if (!choice_has(&column->choice, cell))
			continue;
		key.stack = choice_stack(&column->choice, cell).index;
		key.part = part_of(columns->profile, cell);
		values = sample_values(columns, into, known, &key);
		values[i] = add_within(values[i], column->events ? cell->count & INT64_MAX
								 : choice_weight(cell));
	}
}

void samples_gather(const struct columns *columns, struct samples *into)
{
	CLEANUP(map) struct map *known = map_new(sizeof(struct sample_key));

	for (size_t i = 0; i < profile_cell_count(columns->profile); i++)
		cell_gather(columns, profile_cell_at(columns->profile, i), into, known);
}

void samples_done(struct samples *samples)
{
	free(samples->keys);
	free(samples->values);
}
