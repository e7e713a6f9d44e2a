/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of an OTLP profiles file. Index 0 of every table is "not set" by the specification;
 * a table that lacks it is read all the same, since an index means what it means.
 */
#include "base/memory.h"
#include "format/otlp_fields.h"
#include "format/otlp_reader.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool otlp_damaged(struct otlp_reader *reader, const unsigned char *at, const char *what)
{
	if (!reader->damage) {
		reader->damage = what;
		reader->damage_at = (size_t)(at - reader->bytes);
	}
	return false;
}

bool otlp_message_whole(struct otlp_reader *reader, const struct protobuf *message)
{
	return !message->broken ||
	       otlp_damaged(reader, message->at, "a message does not fit its length");
}

const char *otlp_chars(struct otlp_reader *reader, struct string_id id)
{
	return profile_text(reader->profile, id);
}

/* --- Texts and attributes --------------------------------------------------------------------- */

struct string_id otlp_text(struct otlp_reader *reader, uint64_t index)
{
	struct otlp_text *text;

	if (!index)
		return (struct string_id){ 0 };
	if (index >= reader->text_count) {
		otlp_damaged(reader, reader->bytes + reader->size,
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

static struct string_id text_inline(struct otlp_reader *reader, const struct protobuf_field *field)
{
	return profile_string_size(reader->profile, (const char *)field->bytes, field->value);
}

static bool text_read(struct otlp_reader *reader, const struct protobuf_field *field)
{
	if (field->value > UINT32_MAX / 2)
		return otlp_damaged(reader, field->bytes, "a text is too long");
	grow(reader->texts, reader->text_count, reader->text_room);
	reader->texts[reader->text_count++] =
		(struct otlp_text){ .bytes = field->bytes, .size = (uint32_t)field->value };
	return true;
}

static void number_as_text(struct otlp_reader *reader, uint64_t bits, struct otlp_attribute_row *into)
{
	char text[40];
	double number;

	memcpy(&number, &bits, sizeof(number));
	(void)snprintf(text, sizeof(text), "%.17g", number);
	into->text = profile_string(reader->profile, text);
	into->is_text = true;
}

bool otlp_any(struct otlp_reader *reader, struct protobuf message, struct otlp_attribute_row *into)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		bool bytes = protobuf_is_bytes(&field);

		into->is_text = field.number != ANY_INT;
		if (field.number == ANY_STRING && bytes)
			into->text = text_inline(reader, &field);
		else if (field.number == ANY_STRING_STRINDEX && !bytes)
			into->text = otlp_text(reader, field.value);
		else if (field.number == ANY_INT && !bytes)
			into->number = (int64_t)field.value;
		else if (field.number == ANY_BOOL && !bytes)
			into->text = profile_string(reader->profile,
						    field.value ? "true" : "false");
		else if (field.number == ANY_DOUBLE && !bytes)
			number_as_text(reader, field.value, into);
		else
			import_warn(reader->import,
				    "attributes that are lists or bytes are not read", NULL, 0);
	}
	return otlp_message_whole(reader, &message) && !reader->damage;
}

bool otlp_key_value(struct otlp_reader *reader, struct protobuf message, struct otlp_attribute_row *ret)
{
	struct protobuf_field field;

	*ret = (struct otlp_attribute_row){ .is_text = true };
	while (protobuf_next(&message, &field)) {
		bool bytes = protobuf_is_bytes(&field);

		if (field.number == KEY_VALUE_KEY && bytes)
			ret->key = text_inline(reader, &field);
		else if (field.number == KEY_VALUE_KEY && !bytes)
			ret->key = otlp_text(reader, field.value);      /* of the dictionary */
		else if (field.number == KEY_VALUE_KEY_STRINDEX && !bytes && !ret->key.index)
			ret->key = otlp_text(reader, field.value);
		if (field.number == KEY_VALUE_VALUE && bytes &&
		    !otlp_any(reader, protobuf_nested(&field), ret))
			return false;
	}
	return otlp_message_whole(reader, &message) && !reader->damage;
}

/* {1 key index, 2 value, 3 unit index} since 1.8, {1 key, 2 value} before. */
static bool attribute_read(struct otlp_reader *reader, struct protobuf message)
{
	struct protobuf again = message;
	struct otlp_attribute_row attribute;
	struct protobuf_field field;
	bool by_index = false;

	if (!otlp_key_value(reader, message, &attribute))
		return false;
	while (protobuf_next(&again, &field)) {
		by_index |= field.number == ATTRIBUTE_KEY && !protobuf_is_bytes(&field);
		if (field.number == ATTRIBUTE_UNIT && by_index && !protobuf_is_bytes(&field))
			attribute.unit = otlp_text(reader, field.value);
	}
	grow(reader->attributes, reader->attribute_count, reader->attribute_room);
	reader->attributes[reader->attribute_count++] = attribute;
	return !reader->damage;
}

const struct otlp_attribute_row *otlp_attribute(struct otlp_reader *reader, uint64_t index,
					    const unsigned char *at)
{
	if (index < reader->attribute_count)
		return &reader->attributes[index];
	otlp_damaged(reader, at, "an attribute is referred to that is not in the table");
	return NULL;
}

/* --- Links ------------------------------------------------------------------------------------ */

static void hex_put(char *to, const struct protobuf_field *field, size_t size)
{
	*to = '\0';
	if (field->value != size)
		return;
	for (size_t i = 0; i < size; i++)
		(void)snprintf(to + 2 * i, 3, "%02x", field->bytes[i]);
}

static bool link_read(struct otlp_reader *reader, struct protobuf message)
{
	struct otlp_link_row link = { 0 };
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == LINK_TRACE_ID && protobuf_is_bytes(&field))
			hex_put(link.trace_id, &field, 16);
		if (field.number == LINK_SPAN_ID && protobuf_is_bytes(&field))
			hex_put(link.span_id, &field, 8);
	}
	grow(reader->links, reader->link_count, reader->link_room);
	reader->links[reader->link_count++] = link;
	return otlp_message_whole(reader, &message);
}

/* --- Mappings, functions, locations ----------------------------------------------------------- */

/* The best name of a build that the attributes give: GNU's, else Go's, else the profiler's hash. */
static struct string_id build_id_of(struct otlp_reader *reader, const struct protobuf_field *field,
				    struct string_id known)
{
	static const char *const keys[] = { "process.executable.build_id.htlhash",
					    "process.executable.build_id.go",
					    "process.executable.build_id.gnu" };
	uint64_t indices[32];
	bool broken = false;
	size_t count = protobuf_varints(field, indices, 32, &broken), best = 0;

	for (size_t i = 0; i < count && i < 32; i++) {
		const struct otlp_attribute_row *row = otlp_attribute(reader, indices[i], field->bytes ? field->bytes : reader->bytes);

		for (size_t j = best; row && j < ARRAY_LENGTH(keys); j++)
			if (!strcmp(otlp_chars(reader, row->key), keys[j])) {
				known = row->text;
				best = j;
			}
	}
	return known;
}

static bool mapping_read(struct otlp_reader *reader, struct protobuf message)
{
	uint64_t numbers[OTLP_MAPPING_FILENAME + 1] = { 0 };
	struct string_id build_id = { 0 }, path;
	struct place_mapping mapping = { 0 };
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.number == OTLP_MAPPING_ATTRIBUTES)
			build_id = build_id_of(reader, &field, build_id);
		else if (field.number <= OTLP_MAPPING_FILENAME && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	path = otlp_text(reader, numbers[OTLP_MAPPING_FILENAME]);
	mapping.start = numbers[OTLP_MAPPING_START];
	mapping.limit = numbers[OTLP_MAPPING_LIMIT];
	mapping.offset = numbers[OTLP_MAPPING_OFFSET];
	mapping.file = profile_file(reader->profile, otlp_chars(reader, path),
				    otlp_chars(reader, build_id));
	grow(reader->mappings, reader->mapping_count, reader->mapping_room);
	reader->mappings[reader->mapping_count++] = mapping;
	return otlp_message_whole(reader, &message) && !reader->damage;
}

static bool function_read(struct otlp_reader *reader, struct protobuf message)
{
	uint64_t numbers[OTLP_FUNCTION_FILENAME + 1] = { 0 };
	struct otlp_function_row function;
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.number <= OTLP_FUNCTION_FILENAME && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	function.name = otlp_text(reader, numbers[OTLP_FUNCTION_NAME]);
	if (!function.name.index)
		function.name = otlp_text(reader, numbers[OTLP_FUNCTION_SYSTEM_NAME]);
	function.path = otlp_text(reader, numbers[OTLP_FUNCTION_FILENAME]);
	grow(reader->functions, reader->function_count, reader->function_room);
	reader->functions[reader->function_count++] = function;
	return otlp_message_whole(reader, &message) && !reader->damage;
}

static bool line_read(struct otlp_reader *reader, struct protobuf message, size_t line_count)
{
	uint64_t numbers[OTLP_LINE_COLUMN + 1] = { 0 };
	const unsigned char *start = message.at;
	struct protobuf_field field;
	struct place_line line;

	while (protobuf_next(&message, &field))
		if (field.number <= OTLP_LINE_COLUMN && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	if (numbers[OTLP_LINE_FUNCTION] >= reader->function_count)
		return otlp_damaged(reader, start,
				    "a function is referred to that is not in the table");
	line = (struct place_line){
		.name = reader->functions[numbers[OTLP_LINE_FUNCTION]].name,
		.path = reader->functions[numbers[OTLP_LINE_FUNCTION]].path,
		.line = numbers[OTLP_LINE_LINE] > UINT32_MAX ? 0 : (uint32_t)numbers[OTLP_LINE_LINE],
		.column = numbers[OTLP_LINE_COLUMN] > UINT32_MAX ? 0
								 : (uint32_t)numbers[OTLP_LINE_COLUMN],
	};
	grow(reader->lines, line_count, reader->line_room);
	reader->lines[line_count] = line;
	return otlp_message_whole(reader, &message);
}

static bool is_kernel(struct otlp_reader *reader, const struct protobuf_field *field)
{
	uint64_t indices[32];
	bool broken = false;
	size_t count = protobuf_varints(field, indices, 32, &broken);

	for (size_t i = 0; i < count && i < 32; i++)
		if (indices[i] < reader->attribute_count &&
		    !strcmp(otlp_chars(reader, reader->attributes[indices[i]].key),
			    "profile.frame.type"))
			return !strcmp(otlp_chars(reader, reader->attributes[indices[i]].text),
				       "kernel");
	return false;
}

static bool location_read(struct otlp_reader *reader, struct protobuf message)
{
	const unsigned char *start = message.at;
	struct place_mapping mapping = { 0 };
	struct protobuf_field field;
	uint64_t address = 0;
	size_t lines = 0;

	while (protobuf_next(&message, &field)) {
		bool bytes = protobuf_is_bytes(&field);

		if (field.number == OTLP_LOCATION_MAPPING && !bytes) {
			if (field.value >= reader->mapping_count)
				return otlp_damaged(reader, start,
						    "a mapping is referred to that is not in the table");
			mapping = reader->mappings[field.value];
		} else if (field.number == OTLP_LOCATION_ADDRESS && !bytes) {
			address = field.value;
		} else if (field.number == OTLP_LOCATION_LINES && bytes) {
			if (!line_read(reader, protobuf_nested(&field), lines++))
				return false;
		} else if (bytes && (field.number == OTLP_LOCATION_ATTRIBUTES ||
				     field.number == OTLP_OLD_LOCATION_ATTRIBUTES)) {
			mapping.kernel |= is_kernel(reader, &field);
		}
	}
	(void)places_add(&reader->places, &mapping, address, reader->lines, lines);
	return otlp_message_whole(reader, &message);
}

static bool stack_read(struct otlp_reader *reader, struct protobuf message)
{
	struct otlp_stack_row stack = { .first = reader->stack_place_count };
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		struct protobuf packed = protobuf_nested(&field);
		uint64_t index = field.value;
		bool single = !protobuf_is_bytes(&field);

		while (field.number == STACK_LOCATIONS &&
		       (single || protobuf_next_varint(&packed, &index))) {
			if (index >= reader->places.count)
				return otlp_damaged(reader, message.at,
						    "a location is referred to that is not in the table");
			grow(reader->stack_places, reader->stack_place_count,
			     reader->stack_place_room);
			reader->stack_places[reader->stack_place_count++] = (uint32_t)index;
			stack.count++;
			if (single)
				break;
		}
		if (!otlp_message_whole(reader, &packed))
			return false;
	}
	grow(reader->stacks, reader->stack_count, reader->stack_room);
	reader->stacks[reader->stack_count++] = stack;
	return otlp_message_whole(reader, &message);
}

/* --- All of them ------------------------------------------------------------------------------ */

static bool is_attribute_units(struct protobuf message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (!protobuf_is_bytes(&field) && field.number == 2)
			return true;
	return false;
}

static bool each(struct otlp_reader *reader, struct protobuf dictionary, unsigned number,
		 bool (*read)(struct otlp_reader *reader, struct protobuf message))
{
	struct protobuf_field field;

	while (protobuf_next(&dictionary, &field)) {
		if (field.number != number || !protobuf_is_bytes(&field))
			continue;
		if (number == DICTIONARY_STACKS && is_attribute_units(protobuf_nested(&field)))
			continue;                /* of 1.7 */
		if (number == DICTIONARY_STRINGS ? !text_read(reader, &field)
						 : !read(reader, protobuf_nested(&field)))
			return false;
	}
	return otlp_message_whole(reader, &dictionary) && !reader->damage;
}

bool otlp_read_dictionary(struct otlp_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf dictionary = { 0 };
	struct protobuf_field field;

	while (protobuf_next(&file, &field)) {
		if (field.number != DATA_DICTIONARY || !protobuf_is_bytes(&field))
			continue;
		if (dictionary.at)
			return otlp_damaged(reader, field.bytes, "there are two dictionaries");
		dictionary = protobuf_nested(&field);
	}
	if (!otlp_message_whole(reader, &file))
		return false;
	if (!dictionary.at)
		return otlp_damaged(reader, reader->bytes + reader->size, "there is no dictionary");
	return each(reader, dictionary, DICTIONARY_STRINGS, NULL) &&
	       each(reader, dictionary, DICTIONARY_ATTRIBUTES, attribute_read) &&
	       each(reader, dictionary, DICTIONARY_LINKS, link_read) &&
	       each(reader, dictionary, DICTIONARY_MAPPINGS, mapping_read) &&
	       each(reader, dictionary, DICTIONARY_FUNCTIONS, function_read) &&
	       each(reader, dictionary, DICTIONARY_LOCATIONS, location_read) &&
	       each(reader, dictionary, DICTIONARY_STACKS, stack_read);
}
