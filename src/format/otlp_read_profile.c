/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One profile message of OTLP: one type of values (up to 1.7: several) and its samples. Attributes
 * "crosscut." say what the schema cannot: the kind of the dimension, how it was weighted, and which
 * profile counts the events behind which other.
 *
 * The schema of 1.8 kept its package name and moved its fields: the two are told apart by the types
 * of fields 5 and 6, duration and period.
 */
#include "base/memory.h"
#include "format/content.h"
#include "format/otlp_fields.h"
#include "format/otlp_reader.h"
#include "format/values.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES_LIMIT = 64, SAMPLE_NUMBERS = 64 * 1024 };

struct otlp_column {
	const char *name;
	struct import_measure measure;           /* none: it only counts */
	struct import_measure counts;            /* whose events these are, too; none: nobody's */
	const char *counts_name;
	bool is_count, counted;                  /* counted: another profile counts its events */
};

struct profile_read {
	struct otlp_type types[TYPES_LIMIT];
	size_t type_count;
	struct otlp_type period_type;
	uint64_t period, time_ns, duration_ns;
	struct otlp_column columns[TYPES_LIMIT];
	/* crosscut.* of the profile */
	const char *kind, *weighting, *source, *counts;
	bool counted, checked;                   /* checked: it is known whether stacks reach their roots */
	/* of 1.7: samples refer to places by a range of these */
	uint32_t *places;
	size_t place_count, place_room;
	/* of one sample */
	uint64_t *values, *times, *indices;
	struct label labels[LABELS_LIMIT];
};

static bool is_old(struct protobuf message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == OTLP_PERIOD_TYPE)
			return !protobuf_is_bytes(&field);
		if (field.number == OTLP_PERIOD)
			return protobuf_is_bytes(&field);
		if (field.number == OTLP_TIME)
			return field.wire != PROTOBUF_FIXED64;
		if (field.number == OTLP_DURATION && field.value >> 60)
			return true;             /* a date, not a length */
	}
	return false;
}

static bool type_read(struct otlp_reader *reader, struct protobuf message, struct otlp_type *ret)
{
	struct protobuf_field field;

	*ret = (struct otlp_type){ 0 };
	while (protobuf_next(&message, &field)) {
		if (field.number == OTLP_TYPE && !protobuf_is_bytes(&field))
			ret->name = otlp_text(reader, field.value);
		if (field.number == OTLP_UNIT && !protobuf_is_bytes(&field))
			ret->unit = otlp_text(reader, field.value);
	}
	return otlp_message_whole(reader, &message) && !reader->damage;
}

/* --- The profile's own attributes ------------------------------------------------------------- */

static bool own_attribute(struct otlp_reader *reader, struct profile_read *read,
			  const struct otlp_attribute_row *row)
{
	const char *key = otlp_chars(reader, row->key), *text = otlp_chars(reader, row->text);

	if (!strcmp(key, "crosscut.dimension.kind"))
		read->kind = text;
	else if (!strcmp(key, "crosscut.weighting"))
		read->weighting = text;
	else if (!strcmp(key, "crosscut.source"))
		read->source = text;
	else if (!strcmp(key, "crosscut.counts"))
		read->counts = text;
	else if (!strcmp(key, "crosscut.stacks"))
		read->checked = !strcmp(text, CONTENT_STACKS_CHECKED);
	else if (!strcmp(key, "crosscut.counted"))
		read->counted = true;
	else
		return false;
	return true;
}

static void attributes_read(struct otlp_reader *reader, struct profile_read *read,
			    const struct protobuf_field *field)
{
	bool broken = false;
	size_t count = protobuf_varints(field, read->indices, LABELS_LIMIT, &broken);

	for (size_t i = 0; i < count && i < LABELS_LIMIT; i++) {
		const struct otlp_attribute_row *row =
			otlp_attribute(reader, read->indices[i], reader->bytes);
		const char *key = row ? otlp_chars(reader, row->key) : "";

		if (row && !own_attribute(reader, read, row) && row->is_text &&
		    (!strncmp(key, "pprof.", 6) || !strncmp(key, "crosscut.", 9)))
			profile_set_meta(reader->profile, key, otlp_chars(reader, row->text));
	}
}

/* --- Types ------------------------------------------------------------------------------------ */

static enum weighting weighting_of(const struct profile_read *read)
{
	if (!read->weighting)
		return WEIGHTING_SAMPLED;
	return !strcmp(read->weighting, "exact")       ? WEIGHTING_EXACT
	       : !strcmp(read->weighting, "estimated") ? WEIGHTING_ESTIMATED
						       : WEIGHTING_SAMPLED;
}

static struct import_measure measure_of_name(struct otlp_reader *reader, const char *name)
{
	struct import_measure measure = { .multiply = 1, .divide = 1 };
	struct profile *profile = reader->profile;
	struct dimension_id id = profile_dimension_find(profile, NULL, name);

	for (uint32_t i = 1; id.index && i < profile_measure_count(profile); i++) {
		const struct measure *row = profile_measure_at(profile, i);

		if (!dimension_is(row->dimension, id))
			continue;
		measure.dimension = id;
		if (row->role == ROLE_TOTAL)
			measure.total.index = i;
		else
			measure.split.index = i;
		if (measure.total.index && measure.split.index)
			break;
	}
	return measure;
}

static bool only_counts(const struct profile_read *read, const char *name)
{
	size_t size = read->counts ? strlen(read->counts) : 0;

	return size && !strncmp(name, read->counts, size) && !strcmp(name + size, VALUES_EVENTS);
}

static void column_make(struct otlp_reader *reader, struct profile_read *read, size_t at)
{
	struct otlp_column *column = &read->columns[at];
	const struct otlp_type *type = &read->types[at];
	struct import_event event = { .name = otlp_chars(reader, type->name),
				      .unit = otlp_chars(reader, type->unit),
				      .kind = read->kind ? dimension_kind_of(read->kind) : 0,
				      .weighting = weighting_of(read),
				      .source = read->source ? read->source : "otlp" };
	uint64_t ignored;
	const char *unit;

	if (!*event.name)
		event.name = "samples";
	if (!*event.unit)
		event.unit = "count";
	if (string_is(type->name, read->period_type.name) &&
	    string_is(type->unit, read->period_type.unit))
		event.period = read->period;
	unit = import_unit(event.unit, &ignored, &ignored);
	column->name = event.name;
	column->is_count = !strcmp(unit, "count") || !strcmp(unit, "samples");
	column->counted = read->counted;
	if (read->counts)
		column->counts = measure_of_name(reader, read->counts);
	column->counts_name = read->counts;
	if (!only_counts(read, event.name))
		column->measure = import_measure(reader->import, &event);
}

/* --- Samples ---------------------------------------------------------------------------------- */

struct sample_parts {
	size_t values, times, labels;
	uint64_t stack, start, length, link;
	const char *part;
};

static void label_of(struct otlp_reader *reader, struct profile_read *read,
		     struct sample_parts *parts, const struct otlp_attribute_row *row)
{
	struct label label = { .key = otlp_chars(reader, row->key),
			       .number = row->number,
			       .unit = otlp_chars(reader, row->unit) };

	if (row->is_text)
		label.text = otlp_chars(reader, row->text);
	if (!strcmp(label.key, "crosscut.part"))
		parts->part = label.text;
	else if (parts->labels < LABELS_LIMIT)
		read->labels[parts->labels++] = label;
}

static bool sample_attributes(struct otlp_reader *reader, struct profile_read *read,
			      struct sample_parts *parts, const struct protobuf_field *field)
{
	bool broken = false;
	size_t count = protobuf_varints(field, read->indices, LABELS_LIMIT, &broken);

	for (size_t i = 0; i < count && i < LABELS_LIMIT; i++) {
		const struct otlp_attribute_row *row =
			otlp_attribute(reader, read->indices[i], reader->bytes);

		if (!row)
			return false;
		label_of(reader, read, parts, row);
	}
	return true;
}

static size_t times_read(const struct protobuf_field *field, uint64_t *times, size_t count)
{
	struct protobuf packed = protobuf_nested(field);
	uint64_t time;

	if (!protobuf_is_bytes(field)) {
		if (count < SAMPLE_NUMBERS)
			times[count++] = field->value;
		return count;
	}
	while (count < SAMPLE_NUMBERS && protobuf_next_fixed64(&packed, &time))
		times[count++] = time;
	return count;
}

static bool new_field(struct otlp_reader *reader, struct profile_read *read,
		      struct sample_parts *parts, const struct protobuf_field *field)
{
	bool broken = false;

	switch (field->number) {
	case OTLP_SAMPLE_STACK: parts->stack = field->value; return true;
	case OTLP_SAMPLE_LINK: parts->link = field->value; return true;
	case OTLP_SAMPLE_ATTRIBUTES: return sample_attributes(reader, read, parts, field);
	case OTLP_SAMPLE_VALUES:
		parts->values += protobuf_varints(field, read->values + parts->values,
						  SAMPLE_NUMBERS - parts->values, &broken);
		break;
	case OTLP_SAMPLE_TIMESTAMPS:
		parts->times = times_read(field, read->times, parts->times);
		return true;
	default: return true;
	}
	return !broken && parts->values <= SAMPLE_NUMBERS;
}

static bool old_field(struct otlp_reader *reader, struct profile_read *read,
		      struct sample_parts *parts, const struct protobuf_field *field)
{
	bool broken = false;

	switch (field->number) {
	case OTLP_OLD_SAMPLE_START: parts->start = field->value; return true;
	case OTLP_OLD_SAMPLE_LENGTH: parts->length = field->value; return true;
	case OTLP_OLD_SAMPLE_LINK: parts->link = field->value; return true;
	case OTLP_OLD_SAMPLE_ATTRIBUTES: return sample_attributes(reader, read, parts, field);
	case OTLP_OLD_SAMPLE_VALUES:
		parts->values += protobuf_varints(field, read->values + parts->values,
						  SAMPLE_NUMBERS - parts->values, &broken);
		break;
	case OTLP_OLD_SAMPLE_TIMESTAMPS:
		parts->times += protobuf_varints(field, read->times + parts->times,
						 SAMPLE_NUMBERS - parts->times, &broken);
		break;
	default: return true;
	}
	return !broken && parts->values <= SAMPLE_NUMBERS && parts->times <= SAMPLE_NUMBERS;
}

/* Of a stack without locations there may be no place at all. */
static const uint32_t *first_of(const uint32_t *places, uint64_t first, uint64_t count)
{
	return count ? places + first : NULL;
}

static bool stack_of(struct otlp_reader *reader, const struct profile_read *read,
		     const struct sample_parts *parts, struct stack_id *ret)
{
	if (reader->old) {
		if (parts->start > read->place_count ||
		    parts->length > read->place_count - parts->start)
			return false;
		*ret = places_stack(&reader->places, first_of(read->places, parts->start, parts->length), parts->length);
		return true;
	}
	if (parts->stack >= reader->stack_count)
		return false;
	*ret = places_stack(&reader->places,
			    first_of(reader->stack_places, reader->stacks[parts->stack].first, reader->stacks[parts->stack].count),
			    reader->stacks[parts->stack].count);
	return true;
}

/* One number of a sample, in one column: to the dimension it is of, and to the one it counts. */
static void number_put(struct otlp_reader *reader, const struct otlp_column *column,
		       const struct import_sample *of, const char *part, uint64_t value,
		       uint64_t time_ns)
{
	struct import_sample one = *of;

	if ((int64_t)value < 0) {
		import_skipped(reader->import, "a value below 0, as a difference of profiles has them",
			       NULL, 0);
		return;
	}
	one.time_ns = time_ns;
	if (column->measure.dimension.index) {
		one.measure = values_part(reader->import, column->measure, column->name, part);
		one.value = value;
		one.count = column->counted ? 0 : column->is_count ? value : 1;
		import_sample(reader->import, &one);
	}
	if (column->counts.dimension.index) {
		one.measure = values_part(reader->import, column->counts, column->counts_name, part);
		one.value = 0;
		one.count = value;
		import_sample(reader->import, &one);
	}
}

static void numbers_put(struct otlp_reader *reader, const struct profile_read *read,
			const struct sample_parts *parts, const struct import_sample *of)
{
	size_t types = reader->old ? read->type_count : 1;

	if (!parts->times || (reader->old && types > 1)) {
		for (size_t i = 0; i < parts->values; i++)
			number_put(reader, &read->columns[i % types], of, parts->part,
				   read->values[i], 0);
		return;
	}
	for (size_t i = 0; i < parts->times; i++) {
		uint64_t value = parts->values > i ? read->values[i] : !parts->values;

		if (parts->values > i || !parts->values)
			number_put(reader, &read->columns[0], of, parts->part, value,
				   read->times[i]);
	}
}

static void link_labels(struct otlp_reader *reader, struct profile_read *read,
			struct sample_parts *parts)
{
	const struct otlp_link_row *link;

	if (!parts->link || parts->link >= reader->link_count)
		return;
	link = &reader->links[parts->link];
	if (*link->trace_id && parts->labels < LABELS_LIMIT)
		read->labels[parts->labels++] =
			(struct label){ .key = "trace_id", .text = link->trace_id };
	if (*link->span_id && parts->labels < LABELS_LIMIT)
		read->labels[parts->labels++] =
			(struct label){ .key = "span_id", .text = link->span_id };
}

static bool sample_read(struct otlp_reader *reader, struct profile_read *read,
			struct protobuf message)
{
	const unsigned char *start = message.at;
	struct sample_parts parts = { 0 };
	struct import_sample one = { 0 };
	struct protobuf_field field;

	for (size_t i = 0; i < reader->resource_label_count; i++)
		read->labels[parts.labels++] = reader->resource_labels[i];
	while (protobuf_next(&message, &field))
		if (!(reader->old ? old_field : new_field)(reader, read, &parts, &field))
			return otlp_damaged(reader, start,
					    "a sample does not fit: over 65536 values, or cut ones");
	if (!otlp_message_whole(reader, &message))
		return false;
	if (!stack_of(reader, read, &parts, &one.stack))
		return otlp_damaged(reader, start,
				    "a stack is referred to that is not in the table");
	one.stackless = reader->places.count > 0;
	link_labels(reader, read, &parts);
	labels_read(reader->import, read->labels, parts.labels, &one.thread, &one.object);
	numbers_put(reader, read, &parts, &one);
	return true;
}

/* --- The message ------------------------------------------------------------------------------ */

static bool old_places(struct otlp_reader *reader, struct profile_read *read,
		       const struct protobuf_field *field)
{
	struct protobuf packed = protobuf_nested(field);
	uint64_t index = field->value;
	bool single = !protobuf_is_bytes(field);

	while (single || protobuf_next_varint(&packed, &index)) {
		if (index >= reader->places.count)
			return otlp_damaged(reader, packed.at ? packed.at : reader->bytes,
					    "a location is referred to that is not in the table");
		grow(read->places, read->place_count, read->place_room);
		read->places[read->place_count++] = (uint32_t)index;
		if (single)
			return true;
	}
	return otlp_message_whole(reader, &packed);
}

static bool head_field(struct otlp_reader *reader, struct profile_read *read,
		       const struct protobuf_field *field)
{
	bool old = reader->old, bytes = protobuf_is_bytes(field);
	uint32_t number = field->number;

	if (number == OTLP_SAMPLE_TYPE && bytes) {
		if (read->type_count == TYPES_LIMIT)
			return otlp_damaged(reader, field->bytes,
					    "it declares more than 64 types of values");
		return type_read(reader, protobuf_nested(field), &read->types[read->type_count++]);
	}
	if (number == (old ? (uint32_t)OTLP_OLD_PERIOD_TYPE : OTLP_PERIOD_TYPE) && bytes)
		return type_read(reader, protobuf_nested(field), &read->period_type);
	if (number == (old ? (uint32_t)OTLP_OLD_PERIOD : OTLP_PERIOD) && !bytes)
		read->period = field->value;
	else if (number == (old ? (uint32_t)OTLP_OLD_TIME : OTLP_TIME) && !bytes)
		read->time_ns = field->value;
	else if (number == (old ? (uint32_t)OTLP_OLD_DURATION : OTLP_DURATION) && !bytes)
		read->duration_ns = field->value;
	else if (number == (old ? (uint32_t)OTLP_OLD_ATTRIBUTES : OTLP_ATTRIBUTES))
		attributes_read(reader, read, field);
	else if (old && number == OTLP_OLD_LOCATION_INDICES)
		return old_places(reader, read, field);
	return !reader->damage;
}

static void times_keep(struct otlp_reader *reader, const struct profile_read *read)
{
	uint64_t known = profile_meta_number(reader->profile, "capture.start_wall_ns", 0);

	import_began(reader->import, read->time_ns);
	if (read->time_ns && (!known || read->time_ns < known))
		profile_set_meta_number(reader->profile, "capture.start_wall_ns", read->time_ns);
	if (read->duration_ns > profile_meta_number(reader->profile, "pprof.duration_ns", 0))
		profile_set_meta_number(reader->profile, "pprof.duration_ns", read->duration_ns);
	if (read->period && read->period_type.name.index) {
		profile_set_meta_number(reader->profile, "pprof.period", read->period);
		profile_set_meta(reader->profile, "pprof.period_type",
				 otlp_chars(reader, read->period_type.name));
		profile_set_meta(reader->profile, "pprof.period_unit",
				 otlp_chars(reader, read->period_type.unit));
	}
}

static bool message_read(struct otlp_reader *reader, struct profile_read *read,
			 struct protobuf message)
{
	struct protobuf head = message;
	struct protobuf_field field;

	while (protobuf_next(&head, &field))
		if (!head_field(reader, read, &field))
			return false;
	if (!otlp_message_whole(reader, &head))
		return false;
	if (!read->type_count)
		read->type_count = 1;            /* "samples", in "count" */
	for (size_t i = 0; i < read->type_count; i++)
		column_make(reader, read, i);
	times_keep(reader, read);
	places_checked(&reader->places, read->checked);
	while (protobuf_next(&message, &field))
		if (field.number == OTLP_SAMPLES && protobuf_is_bytes(&field) &&
		    !sample_read(reader, read, protobuf_nested(&field)))
			return false;
	return true;
}

struct profile_read *otlp_profile_read_new(void)
{
	struct profile_read *read = xcalloc(1, sizeof(*read));

	read->values = xcalloc(SAMPLE_NUMBERS, sizeof(*read->values));
	read->times = xcalloc(SAMPLE_NUMBERS, sizeof(*read->times));
	read->indices = xcalloc(LABELS_LIMIT, sizeof(*read->indices));
	return read;
}

void otlp_profile_read_free(struct profile_read *read)
{
	free(read->values);
	free(read->times);
	free(read->indices);
	free(read->places);
	free(read);
}

bool otlp_read_profile(struct otlp_reader *reader, struct protobuf message)
{
	struct profile_read *read = reader->read;

	read->type_count = read->place_count = 0;
	read->period_type = (struct otlp_type){ 0 };
	read->period = read->time_ns = read->duration_ns = 0;
	read->kind = read->weighting = read->source = read->counts = NULL;
	read->counted = read->checked = false;
	memset(read->types, 0, sizeof(read->types[0]));
	memset(read->columns, 0, sizeof(read->columns));
	reader->old = is_old(message);
	return message_read(reader, read, message);
}
