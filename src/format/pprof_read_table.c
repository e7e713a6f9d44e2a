/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a pprof file: texts, mappings, functions, locations. They may stand in any order, so
 * that the file is gone through once per table; samples come last and by then all is known.
 */
#include "base/map.h"
#include "base/memory.h"
#include "format/pprof_fields.h"
#include "format/pprof_reader.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

bool pprof_damaged(struct pprof_reader *reader, const unsigned char *at, const char *what)
{
	if (!reader->damage) {
		reader->damage = what;
		reader->damage_at = (size_t)(at - reader->bytes);
	}
	return false;
}

bool pprof_message_whole(struct pprof_reader *reader, const struct protobuf *message)
{
	return !message->broken ||
	       pprof_damaged(reader, message->at, "a message does not fit its length");
}

void pprof_reader_done(struct pprof_reader *reader)
{
	struct pprof_ids *ids[] = { &reader->mapping_ids, &reader->function_ids,
				    &reader->place_ids };

	for (size_t i = 0; i < 3; i++) {
		map_free(ids[i]->others);
		free(ids[i]->ids);
	}
	free(reader->texts);
	free(reader->mappings);
	free(reader->functions);
	free(reader->lines);
	free(reader->stack);
	free(reader->numbers);
	places_done(&reader->places);
}

/* --- Texts ------------------------------------------------------------------------------------ */

struct string_id pprof_text(struct pprof_reader *reader, uint64_t index)
{
	struct pprof_text *text;

	if (!index)
		return (struct string_id){ 0 };
	if (index >= reader->text_count) {
		pprof_damaged(reader, reader->bytes + reader->size,
			      "a text is referred to that is not in the table");
		return (struct string_id){ 0 };
	}
	text = &reader->texts[index];
	if (!text->id)
		text->id = profile_string_size(reader->profile, (const char *)text->bytes,
					       text->size)
				   .index;
	return (struct string_id){ text->id };
}

const char *pprof_chars(struct pprof_reader *reader, uint64_t index)
{
	return profile_text(reader->profile, pprof_text(reader, index));
}

static void text_read(struct pprof_reader *reader, const struct protobuf_field *field)
{
	grow(reader->texts, reader->text_count, reader->text_room);
	reader->texts[reader->text_count++] =
		(struct pprof_text){ .bytes = field->bytes, .size = (uint32_t)field->value };
}

/* --- Ids -------------------------------------------------------------------------------------- */

static bool id_add(struct pprof_reader *reader, struct pprof_ids *ids, uint64_t id,
		   const unsigned char *at)
{
	bool added;
	uint32_t *index;

	if (!id)
		return pprof_damaged(reader, at, "an entry has the id 0");
	if (id != ids->count + 1) {
		if (!ids->others)
			ids->others = map_new(sizeof(id));
		index = map_put(ids->others, &id, &added);
		if (!added || (id <= ids->count && ids->ids[id - 1] == id))
			return pprof_damaged(reader, at, "two entries have the same id");
		*index = (uint32_t)ids->count;
	} else if (ids->others && map_find(ids->others, &id)) {
		return pprof_damaged(reader, at, "two entries have the same id");
	}
	grow(ids->ids, ids->count, ids->room);
	ids->ids[ids->count++] = id;
	return true;
}

static uint32_t id_find(const struct pprof_ids *ids, uint64_t id)
{
	uint32_t *index;

	if (id && id <= ids->count && ids->ids[id - 1] == id)
		return (uint32_t)id - 1;
	index = ids->others ? map_find(ids->others, &id) : NULL;
	return index ? *index : UINT32_MAX;
}

uint32_t pprof_place(struct pprof_reader *reader, uint64_t id, const unsigned char *at)
{
	uint32_t index = id_find(&reader->place_ids, id);

	if (index == UINT32_MAX)
		pprof_damaged(reader, at, "a sample refers to a location that is not there");
	return index;
}

/* --- Mappings and functions ------------------------------------------------------------------- */

static bool mapping_read(struct pprof_reader *reader, struct protobuf message)
{
	uint64_t numbers[MAPPING_BUILD_ID + 1] = { 0 };
	const unsigned char *start = message.at;
	struct protobuf_field field;
	struct place_mapping mapping;
	size_t count = reader->mapping_ids.count;

	while (protobuf_next(&message, &field))
		if (field.number <= MAPPING_BUILD_ID && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	if (!pprof_message_whole(reader, &message) ||
	    !id_add(reader, &reader->mapping_ids, numbers[MAPPING_ID], start))
		return false;
	mapping = (struct place_mapping){ .start = numbers[MAPPING_MEMORY_START],
					  .limit = numbers[MAPPING_MEMORY_LIMIT],
					  .offset = numbers[MAPPING_FILE_OFFSET] };
	mapping.file = profile_file(reader->profile, pprof_chars(reader, numbers[MAPPING_FILENAME]),
				    pprof_chars(reader, numbers[MAPPING_BUILD_ID]));
	grow(reader->mappings, count, reader->mapping_room);
	reader->mappings[count] = mapping;
	profile_mapping(reader->profile, (struct mapping){ .process = reader->process,
							   .file = mapping.file,
							   .start = mapping.start,
							   .end = mapping.limit,
							   .offset = mapping.offset });
	return true;
}

static bool function_read(struct pprof_reader *reader, struct protobuf message)
{
	uint64_t numbers[FUNCTION_FILENAME + 1] = { 0 };
	const unsigned char *start = message.at;
	struct protobuf_field field;
	size_t count = reader->function_ids.count;

	while (protobuf_next(&message, &field))
		if (field.number <= FUNCTION_FILENAME && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	if (!pprof_message_whole(reader, &message) ||
	    !id_add(reader, &reader->function_ids, numbers[FUNCTION_ID], start))
		return false;
	grow(reader->functions, count, reader->function_room);
	reader->functions[count] =
		(struct pprof_function_row){ .name = numbers[FUNCTION_NAME],
					 .system_name = numbers[FUNCTION_SYSTEM_NAME],
					 .path = numbers[FUNCTION_FILENAME] };
	return true;
}

/* --- Locations -------------------------------------------------------------------------------- */

static bool line_read(struct pprof_reader *reader, struct protobuf message, size_t line_count)
{
	struct place_line line = { 0 };
	const unsigned char *start = message.at;
	struct protobuf_field field;
	uint64_t function = 0;
	uint32_t index;

	while (protobuf_next(&message, &field)) {
		if (field.number == LINE_FUNCTION_ID)
			function = field.value;
		if (field.number == LINE_LINE && field.value <= UINT32_MAX)
			line.line = (uint32_t)field.value;
		if (field.number == LINE_COLUMN && field.value <= UINT32_MAX)
			line.column = (uint32_t)field.value;
	}
	if (!pprof_message_whole(reader, &message))
		return false;
	index = id_find(&reader->function_ids, function);
	if (index == UINT32_MAX)
		return pprof_damaged(reader, start, "a line refers to a function that is not there");
	line.name = pprof_text(reader, reader->functions[index].name);
	if (!line.name.index)
		line.name = pprof_text(reader, reader->functions[index].system_name);
	line.path = pprof_text(reader, reader->functions[index].path);
	grow(reader->lines, line_count, reader->line_room);
	reader->lines[line_count] = line;
	return true;
}

static bool place_read(struct pprof_reader *reader, struct protobuf message)
{
	uint64_t numbers[LOCATION_IS_FOLDED + 1] = { 0 };
	const unsigned char *start = message.at;
	struct protobuf_field field;
	uint32_t mapping = UINT32_MAX;
	size_t lines = 0;

	while (protobuf_next(&message, &field)) {
		if (field.number == LOCATION_LINE && protobuf_is_bytes(&field)) {
			if (!line_read(reader, protobuf_nested(&field), lines++))
				return false;
		} else if (field.number <= LOCATION_IS_FOLDED && !protobuf_is_bytes(&field)) {
			numbers[field.number] = field.value;
		}
	}
	if (!pprof_message_whole(reader, &message) ||
	    !id_add(reader, &reader->place_ids, numbers[LOCATION_ID], start))
		return false;
	if (numbers[LOCATION_MAPPING_ID]) {
		mapping = id_find(&reader->mapping_ids, numbers[LOCATION_MAPPING_ID]);
		if (mapping == UINT32_MAX)
			return pprof_damaged(reader, start,
					     "a location refers to a mapping that is not there");
	}
	reader->folded |= numbers[LOCATION_IS_FOLDED] != 0;
	(void)places_add(&reader->places, mapping == UINT32_MAX ? NULL : &reader->mappings[mapping],
			 numbers[LOCATION_ADDRESS], reader->lines, lines);
	return true;
}

/* --- All of them ------------------------------------------------------------------------------ */

static bool each(struct pprof_reader *reader, unsigned number,
		 bool (*read)(struct pprof_reader *reader, struct protobuf message))
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;

	while (protobuf_next(&file, &field))
		if (field.number == number && protobuf_is_bytes(&field) &&
		    !read(reader, protobuf_nested(&field)))
			return false;
	return !reader->damage;
}

static bool head_number(struct pprof_reader *reader, const struct protobuf_field *field)
{
	uint64_t *into = field->number == PROFILE_TIME_NANOS	       ? &reader->time_ns
			 : field->number == PROFILE_DURATION_NANOS     ? &reader->duration_ns
			 : field->number == PROFILE_PERIOD	       ? &reader->period.period
			 : field->number == PROFILE_DEFAULT_SAMPLE_TYPE ? &reader->default_type
			 : field->number == PROFILE_DROP_FRAMES	       ? &reader->drop_frames
			 : field->number == PROFILE_KEEP_FRAMES	       ? &reader->keep_frames
			 : field->number == PROFILE_DOC_URL	       ? &reader->doc_url
								       : NULL;

	if (field->number == PROFILE_TIME_NANOS && reader->time_ns)
		return pprof_damaged(reader, reader->bytes,
				     "several profiles were written one after the other");
	if (into && !protobuf_is_bytes(field))
		*into = field->value;
	return true;
}

/* The texts, and what stands alone; and whether the whole file is made of fields. */
static bool head_read(struct pprof_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;

	while (protobuf_next(&file, &field)) {
		if (field.number == PROFILE_STRING_TABLE && protobuf_is_bytes(&field)) {
			if (field.value > UINT32_MAX / 2)
				return pprof_damaged(reader, field.bytes, "a text is too long");
			text_read(reader, &field);
		} else if (!head_number(reader, &field)) {
			return false;
		}
		reader->sample_count += field.number == PROFILE_SAMPLE;
	}
	return pprof_message_whole(reader, &file);
}

bool pprof_read_tables(struct pprof_reader *reader)
{
	if (!head_read(reader))
		return false;
	if (reader->text_count && reader->texts[0].size)
		return pprof_damaged(reader, reader->texts[0].bytes,
				     "the first text is not the empty one");
	return each(reader, PROFILE_MAPPING, mapping_read) &&
	       each(reader, PROFILE_FUNCTION, function_read) &&
	       each(reader, PROFILE_LOCATION, place_read);
}
