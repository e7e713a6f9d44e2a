/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary. Entry 0 of every table is its zero value; all that follow are there because
 * something refers to them. Values of attributes stand inline: receivers look no further for them.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/choice.h"
#include "format/otlp_fields.h"
#include "format/otlp_writer.h"
#include "format/protobuf.h"
#include "format/utf8_text.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { OLD_MAPPING_HAS_FUNCTIONS = 6 };

void otlp_writer_init(struct otlp_writer *writer, const struct profile *profile, bool old)
{
	*writer = (struct otlp_writer){ .profile = profile, .old = old };
	writer->strings = intern_new();
	writer->entries = map_new(2 * sizeof(uint64_t));
	writer->mappings = writer->locations = writer->functions = writer->links =
		writer->attributes = writer->stacks = TEXT(OTLP_TABLE_LIMIT);
	writer->mapping_count = writer->location_count = writer->function_count =
		writer->link_count = writer->attribute_count = writer->stack_count = 1;
	writer->location_of = xcalloc(profile_frame_count(profile), sizeof(uint32_t));
	writer->stack_of = xcalloc(profile_stack_count(profile), sizeof(uint32_t));
}

void otlp_writer_done(struct otlp_writer *writer)
{
	intern_free(writer->strings);
	map_free(writer->entries);
	text_done(&writer->mappings);
	text_done(&writer->locations);
	text_done(&writer->functions);
	text_done(&writer->links);
	text_done(&writer->attributes);
	text_done(&writer->stacks);
	free(writer->location_of);
	free(writer->stack_of);
}

uint64_t otlp_string(struct otlp_writer *writer, const char *text)
{
	CLEANUP_TEXT char *clean = utf8_cleaned(text);   /* a collector refuses the whole request for one byte that is none */

	return intern_put(writer->strings, clean ? clean : text);
}

/* Two entries of a table are the same where their bytes are. */
static uint32_t entry_put(struct otlp_writer *writer, unsigned table, struct text *into,
			  uint32_t *count, const struct text *message)
{
	uint64_t key[2] = { hash_bytes(text_string(message), message->size),
			    (uint64_t)message->size << 4 | table };
	bool added;
	uint32_t *index = map_put(writer->entries, key, &added);

	if (added) {
		*index = (*count)++;
		protobuf_message(into, table, message);
	}
	return *index;
}

/* --- Attributes and links --------------------------------------------------------------------- */

void otlp_key_text(struct text *to, unsigned field, const char *key, const char *value)
{
	struct text pair = TEXT(OTLP_MESSAGE_LIMIT), any = TEXT(OTLP_MESSAGE_LIMIT);

	CLEANUP_TEXT char *clean = utf8_cleaned(value);

	value = clean ? clean : value;
	protobuf_bytes(&any, ANY_STRING, value, strlen(value));
	protobuf_string(&pair, KEY_VALUE_KEY, key);
	protobuf_message(&pair, KEY_VALUE_VALUE, &any);
	protobuf_message(to, field, &pair);
	text_done(&pair);
	text_done(&any);
}

static void any_number(struct text *any, int64_t value)
{
	static const unsigned char zero[] = { ANY_INT << 3, 0 };

	if (value)
		protobuf_number(any, ANY_INT, (uint64_t)value);
	else
		text_append(any, zero, sizeof(zero));    /* a oneof is set even where it is 0 */
}

void otlp_key_number(struct text *to, unsigned field, const char *key, int64_t value)
{
	struct text pair = TEXT(OTLP_MESSAGE_LIMIT), any = TEXT(64);

	any_number(&any, value);
	protobuf_string(&pair, KEY_VALUE_KEY, key);
	protobuf_message(&pair, KEY_VALUE_VALUE, &any);
	protobuf_message(to, field, &pair);
	text_done(&pair);
	text_done(&any);
}

static uint64_t attribute_put(struct otlp_writer *writer, const char *key, const struct text *any,
			      const char *unit)
{
	struct text message = TEXT(OTLP_MESSAGE_LIMIT);
	uint64_t index;

	if (writer->old)
		protobuf_string(&message, KEY_VALUE_KEY, key);
	else
		protobuf_number(&message, ATTRIBUTE_KEY, otlp_string(writer, key));
	protobuf_message(&message, ATTRIBUTE_VALUE, any);
	if (!writer->old && unit && *unit)
		protobuf_number(&message, ATTRIBUTE_UNIT, otlp_string(writer, unit));
	index = entry_put(writer, DICTIONARY_ATTRIBUTES, &writer->attributes,
			  &writer->attribute_count, &message);
	text_done(&message);
	return index;
}

uint64_t otlp_text_attribute(struct otlp_writer *writer, const char *key, const char *value)
{
	struct text any = TEXT(OTLP_MESSAGE_LIMIT);
	uint64_t index;

	protobuf_bytes(&any, ANY_STRING, value, strlen(value));
	index = attribute_put(writer, key, &any, NULL);
	text_done(&any);
	return index;
}

uint64_t otlp_number_attribute(struct otlp_writer *writer, const char *key, int64_t value,
			       const char *unit)
{
	struct text any = TEXT(64);
	uint64_t index;

	any_number(&any, value);
	index = attribute_put(writer, key, &any, unit);
	text_done(&any);
	return index;
}

static bool hex_bytes(const char *hex, unsigned char *to, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(hex) != 2 * size)
		return false;
	for (size_t i = 0; i < 2 * size; i++) {
		const char *digit = strchr(digits, hex[i]);

		if (!digit)
			return false;
		to[i / 2] = (unsigned char)(i % 2 ? to[i / 2] | (digit - digits)
						  : (digit - digits) << 4);
	}
	return true;
}

uint64_t otlp_link_put(struct otlp_writer *writer, const char *trace_id, const char *span_id)
{
	unsigned char trace[16], span[8];
	struct text message = TEXT(64);
	uint64_t index = 0;

	if (trace_id && span_id && hex_bytes(trace_id, trace, sizeof(trace)) &&
	    hex_bytes(span_id, span, sizeof(span))) {
		protobuf_bytes(&message, LINK_TRACE_ID, trace, sizeof(trace));
		protobuf_bytes(&message, LINK_SPAN_ID, span, sizeof(span));
		index = entry_put(writer, DICTIONARY_LINKS, &writer->links, &writer->link_count,
				  &message);
	}
	text_done(&message);
	return index;
}

/* --- Mappings, functions, locations ----------------------------------------------------------- */

static const struct mapping *mapping_of(const struct profile *profile, const struct frame *frame)
{
	for (size_t i = 0; i < profile_mapping_count(profile); i++) {
		const struct mapping *row = profile_mapping_at(profile, i);

		if (file_is(row->file, frame->file) && frame->offset >= row->offset &&
		    frame->offset - row->offset < row->end - row->start)
			return row;
	}
	return NULL;
}

/* GNU build ids are what SHA-1 or a half of it are; anything else is told as what it is not. */
static const char *build_id_key(const char *build_id)
{
	return build_id[strspn(build_id, "0123456789abcdefABCDEF")]
		       ? "process.executable.build_id.go"
		       : "process.executable.build_id.gnu";
}

/* The mapping of a frame's file; without one that is known both ends are 0, as is allowed. */
static uint64_t mapping_put(struct otlp_writer *writer, const struct frame *frame,
			    uint64_t *ret_address)
{
	const struct profile *profile = writer->profile;
	const struct file *file = profile_file_at(profile, frame->file.index);
	const char *build_id = profile_text(profile, file->build_id);
	const struct mapping *row = mapping_of(profile, frame);
	struct text message = TEXT(OTLP_MESSAGE_LIMIT);
	uint64_t index, attribute;

	if (row) {
		protobuf_number(&message, OTLP_MAPPING_START, row->start);
		protobuf_number(&message, OTLP_MAPPING_LIMIT, row->end);
		protobuf_number(&message, OTLP_MAPPING_OFFSET, row->offset);
		*ret_address += row->start - row->offset;
	}
	protobuf_number(&message, OTLP_MAPPING_FILENAME,
			otlp_string(writer, profile_text(profile, file->path)));
	if (*build_id) {
		attribute = otlp_text_attribute(writer, build_id_key(build_id), build_id);
		protobuf_numbers(&message, OTLP_MAPPING_ATTRIBUTES, &attribute, 1);
	}
	if (writer->old)
		protobuf_number(&message, OLD_MAPPING_HAS_FUNCTIONS, 1);
	index = entry_put(writer, DICTIONARY_MAPPINGS, &writer->mappings, &writer->mapping_count,
			  &message);
	text_done(&message);
	return index;
}

static uint64_t function_put(struct otlp_writer *writer, const char *name, const char *path)
{
	struct text message = TEXT(64);
	uint64_t index;

	protobuf_number(&message, OTLP_FUNCTION_NAME, otlp_string(writer, name));
	protobuf_number(&message, OTLP_FUNCTION_SYSTEM_NAME, otlp_string(writer, name));
	protobuf_number(&message, OTLP_FUNCTION_FILENAME, otlp_string(writer, path));
	index = message.size ? entry_put(writer, DICTIONARY_FUNCTIONS, &writer->functions,
					 &writer->function_count, &message)
			     : 0;
	text_done(&message);
	return index;
}

static void line_put(struct otlp_writer *writer, struct text *location, const char *name,
		     const char *path, uint32_t number, uint32_t column)
{
	struct text line = TEXT(64);

	protobuf_number(&line, OTLP_LINE_FUNCTION, function_put(writer, name, path));
	protobuf_number(&line, OTLP_LINE_LINE, number);
	protobuf_number(&line, OTLP_LINE_COLUMN, column);
	protobuf_message(location, OTLP_LOCATION_LINES, &line);
	text_done(&line);
}

static void lines_put(struct otlp_writer *writer, struct text *location, struct frame_id id)
{
	const struct profile *profile = writer->profile;
	const struct frame *frame = profile_frame_at(profile, id.index);
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(profile, id, &count);

	for (size_t i = 0; i < count; i++)
		line_put(writer, location, profile_text(profile, symbols[i].name),
			 profile_text(profile, symbols[i].path), symbols[i].line, 0);
	if (!count && frame->name.index)
		line_put(writer, location, profile_text(profile, frame->name),
			 profile_text(profile, frame->path), frame->line, frame->column);
}

/* pprof looks addresses up as they are, and so does everybody here: inside the call. */
static uint64_t address_of(const struct frame *frame)
{
	bool behind = frame->method == METHOD_FRAME_POINTER || frame->method == METHOD_CFI ||
		      frame->method == METHOD_GENERATED || frame->method == METHOD_GUESS;

	return frame->offset - (behind && frame->offset);
}

uint32_t otlp_location(struct otlp_writer *writer, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(writer->profile, id.index);
	uint64_t address = address_of(frame), attribute;
	struct text message = TEXT(OTLP_MESSAGE_LIMIT);
	uint32_t index = writer->location_of[id.index];

	if (index)
		return index;
	if (frame->file.index)
		protobuf_number(&message, OTLP_LOCATION_MAPPING,
				mapping_put(writer, frame, &address));
	if (!frame->offset && frame->name.index)
		address = 0;                     /* a name without a place, whatever its file */
	protobuf_number(&message, OTLP_LOCATION_ADDRESS, address);
	lines_put(writer, &message, id);
	if (frame->method == METHOD_KERNEL) {
		attribute = otlp_text_attribute(writer, "profile.frame.type", "kernel");
		protobuf_numbers(&message,
				 writer->old ? OTLP_OLD_LOCATION_ATTRIBUTES : OTLP_LOCATION_ATTRIBUTES,
				 &attribute, 1);
	}
	if (message.size)
		index = entry_put(writer, DICTIONARY_LOCATIONS, &writer->locations,
				  &writer->location_count, &message);
	text_done(&message);
	return writer->location_of[id.index] = index;
}

static uint32_t location_named(struct otlp_writer *writer, const char *name)
{
	struct text message = TEXT(64);
	uint32_t index;

	line_put(writer, &message, name, "", 0, 0);
	index = entry_put(writer, DICTIONARY_LOCATIONS, &writer->locations, &writer->location_count,
			  &message);
	text_done(&message);
	return index;
}

/* --- Stacks ----------------------------------------------------------------------------------- */

uint32_t *otlp_places(struct otlp_writer *writer, struct stack_id stack, size_t *ret_count)
{
	const struct profile *profile = writer->profile;
	const struct choice choice = { .profile = profile };
	const char *cause = choice_cause(&choice, stack);
	uint32_t *places = NULL;
	size_t count = 0, room = 0;

	for (; stack.index; stack = profile_stack_at(profile, stack.index).parent) {
		struct frame_id frame = profile_stack_at(profile, stack.index).frame;

		grow(places, count, room);
		if (frame.index)
			places[count++] = otlp_location(writer, frame);
	}
	grow(places, count, room);
	if (cause)
		places[count++] = location_named(writer, cause);
	*ret_count = count;
	return places;
}

uint64_t otlp_stack(struct otlp_writer *writer, struct stack_id id)
{
	struct text message = TEXT(OTLP_MESSAGE_LIMIT);
	CLEANUP_TEXT uint64_t *wide = NULL;
	CLEANUP_TEXT uint32_t *places = NULL;
	size_t count;

	if (!id.index || writer->stack_of[id.index])
		return writer->stack_of[id.index];
	places = otlp_places(writer, id, &count);
	wide = xcalloc(count, sizeof(*wide));
	for (size_t i = 0; i < count; i++)
		wide[i] = places[i];
	if (count)
		protobuf_numbers(&message, STACK_LOCATIONS, wide, count);
	if (message.size)
		writer->stack_of[id.index] = entry_put(writer, DICTIONARY_STACKS, &writer->stacks,
						       &writer->stack_count, &message);
	text_done(&message);
	return writer->stack_of[id.index];
}

/* --- The dictionary --------------------------------------------------------------------------- */

static void table_write(struct text *to, unsigned table, const struct text *entries)
{
	protobuf_bytes(to, table, "", 0);        /* entry 0 */
	text_append(to, text_string(entries), entries->size);
}

void otlp_dictionary_write(struct otlp_writer *writer, struct text *to)
{
	struct text dictionary = TEXT(OTLP_TABLE_LIMIT);

	table_write(&dictionary, DICTIONARY_MAPPINGS, &writer->mappings);
	table_write(&dictionary, DICTIONARY_LOCATIONS, &writer->locations);
	table_write(&dictionary, DICTIONARY_FUNCTIONS, &writer->functions);
	table_write(&dictionary, DICTIONARY_LINKS, &writer->links);
	for (uint32_t i = 0; i < intern_count(writer->strings); i++) {
		const char *text = intern_text(writer->strings, i);

		protobuf_bytes(&dictionary, DICTIONARY_STRINGS, text, strlen(text));
	}
	table_write(&dictionary, DICTIONARY_ATTRIBUTES, &writer->attributes);
	if (!writer->old)
		table_write(&dictionary, DICTIONARY_STACKS, &writer->stacks);
	protobuf_message(to, DATA_DICTIONARY, &dictionary);
	text_done(&dictionary);
}
