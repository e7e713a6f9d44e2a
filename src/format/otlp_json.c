/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP profiles as JSON: the same messages under the names of their fields, as protobuf's JSON mapping has them
 * (protobuf.dev/programming-guides/json) and OTLP amends it: ids of traces in hex. Also what a Collector's file exporter
 * writes, a message a line. The tables below name the fields; each text is brought back to the bytes that it stands for, and
 * otlp_read.c reads those, so that nothing is known twice. The schema of 1.7 and before is refused: its indexes mean other things.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/json_import.h"
#include "format/otlp.h"
#include "format/otlp_fields.h"
#include "format/protobuf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct format otlp_json_format;

enum { DEPTH_LIMIT = 8 };

enum field_type { NUMBER, TIME, REAL, FLAG, TEXT_OF, IDENTITY, MESSAGE };
/* A field that repeats is an array in JSON; numbers then are packed. */
struct json_field { const char *name; unsigned number; enum field_type type; const struct json_field *inside; };

static const struct json_field any_value_fields[] = {
	{ "stringValue", ANY_STRING, TEXT_OF, NULL }, { "boolValue", ANY_BOOL, FLAG, NULL }, { "intValue", ANY_INT, NUMBER, NULL },
	{ "doubleValue", ANY_DOUBLE, REAL, NULL }, { "stringValueStrindex", ANY_STRING_STRINDEX, NUMBER, NULL }, { 0 } };
static const struct json_field key_value_fields[] = {
	{ "key", KEY_VALUE_KEY, TEXT_OF, NULL }, { "value", KEY_VALUE_VALUE, MESSAGE, any_value_fields },
	{ "keyStrindex", KEY_VALUE_KEY_STRINDEX, NUMBER, NULL }, { 0 } };
static const struct json_field attribute_fields[] = {
	{ "keyStrindex", ATTRIBUTE_KEY, NUMBER, NULL }, { "value", ATTRIBUTE_VALUE, MESSAGE, any_value_fields },
	{ "unitStrindex", ATTRIBUTE_UNIT, NUMBER, NULL }, { 0 } };
static const struct json_field mapping_fields[] = {
	{ "memoryStart", OTLP_MAPPING_START, NUMBER, NULL }, { "memoryLimit", OTLP_MAPPING_LIMIT, NUMBER, NULL },
	{ "fileOffset", OTLP_MAPPING_OFFSET, NUMBER, NULL }, { "filenameStrindex", OTLP_MAPPING_FILENAME, NUMBER, NULL },
	{ "attributeIndices", OTLP_MAPPING_ATTRIBUTES, NUMBER, NULL }, { 0 } };
static const struct json_field line_fields[] = {
	{ "functionIndex", OTLP_LINE_FUNCTION, NUMBER, NULL }, { "line", OTLP_LINE_LINE, NUMBER, NULL },
	{ "column", OTLP_LINE_COLUMN, NUMBER, NULL }, { 0 } };
static const struct json_field location_fields[] = {
	{ "mappingIndex", OTLP_LOCATION_MAPPING, NUMBER, NULL }, { "address", OTLP_LOCATION_ADDRESS, NUMBER, NULL },
	{ "lines", OTLP_LOCATION_LINES, MESSAGE, line_fields }, { "line", OTLP_LOCATION_LINES, MESSAGE, line_fields },
	{ "attributeIndices", OTLP_LOCATION_ATTRIBUTES, NUMBER, NULL }, { 0 } };
static const struct json_field function_fields[] = {
	{ "nameStrindex", OTLP_FUNCTION_NAME, NUMBER, NULL }, { "systemNameStrindex", OTLP_FUNCTION_SYSTEM_NAME, NUMBER, NULL },
	{ "filenameStrindex", OTLP_FUNCTION_FILENAME, NUMBER, NULL }, { 0 } };
static const struct json_field link_fields[] = {
	{ "traceId", LINK_TRACE_ID, IDENTITY, NULL }, { "spanId", LINK_SPAN_ID, IDENTITY, NULL }, { 0 } };
static const struct json_field stack_fields[] = { { "locationIndices", STACK_LOCATIONS, NUMBER, NULL }, { 0 } };
static const struct json_field dictionary_fields[] = {
	{ "mappingTable", DICTIONARY_MAPPINGS, MESSAGE, mapping_fields }, { "locationTable", DICTIONARY_LOCATIONS, MESSAGE, location_fields },
	{ "functionTable", DICTIONARY_FUNCTIONS, MESSAGE, function_fields }, { "linkTable", DICTIONARY_LINKS, MESSAGE, link_fields },
	{ "stringTable", DICTIONARY_STRINGS, TEXT_OF, NULL }, { "attributeTable", DICTIONARY_ATTRIBUTES, MESSAGE, attribute_fields },
	{ "stackTable", DICTIONARY_STACKS, MESSAGE, stack_fields }, { 0 } };
static const struct json_field value_type_fields[] = {
	{ "typeStrindex", OTLP_TYPE, NUMBER, NULL }, { "unitStrindex", OTLP_UNIT, NUMBER, NULL }, { 0 } };
static const struct json_field sample_fields[] = {
	{ "stackIndex", OTLP_SAMPLE_STACK, NUMBER, NULL }, { "attributeIndices", OTLP_SAMPLE_ATTRIBUTES, NUMBER, NULL },
	{ "linkIndex", OTLP_SAMPLE_LINK, NUMBER, NULL }, { "values", OTLP_SAMPLE_VALUES, NUMBER, NULL },
	{ "timestampsUnixNano", OTLP_SAMPLE_TIMESTAMPS, TIME, NULL }, { 0 } };
static const struct json_field profile_fields[] = {
	{ "sampleType", OTLP_SAMPLE_TYPE, MESSAGE, value_type_fields }, { "samples", OTLP_SAMPLES, MESSAGE, sample_fields },
	{ "sample", OTLP_SAMPLES, MESSAGE, sample_fields }, { "timeUnixNano", OTLP_TIME, TIME, NULL },
	{ "durationNano", OTLP_DURATION, NUMBER, NULL }, { "periodType", OTLP_PERIOD_TYPE, MESSAGE, value_type_fields },
	{ "period", OTLP_PERIOD, NUMBER, NULL }, { "attributeIndices", OTLP_ATTRIBUTES, NUMBER, NULL }, { 0 } };
static const struct json_field scope_fields[] = {
	{ "name", SCOPE_NAME, TEXT_OF, NULL }, { "version", SCOPE_VERSION, TEXT_OF, NULL },
	{ "attributes", SCOPE_ATTRIBUTES, MESSAGE, key_value_fields }, { 0 } };
static const struct json_field scope_profiles_fields[] = {
	{ "scope", SCOPE_PROFILES_SCOPE, MESSAGE, scope_fields }, { "profiles", SCOPE_PROFILES_PROFILES, MESSAGE, profile_fields }, { 0 } };
static const struct json_field resource_fields[] = { { "attributes", RESOURCE_ATTRIBUTES, MESSAGE, key_value_fields }, { 0 } };
static const struct json_field resource_profiles_fields[] = {
	{ "resource", RESOURCE_PROFILES_RESOURCE, MESSAGE, resource_fields },
	{ "scopeProfiles", RESOURCE_PROFILES_SCOPES, MESSAGE, scope_profiles_fields }, { 0 } };
static const struct json_field data_fields[] = {
	{ "resourceProfiles", DATA_RESOURCE_PROFILES, MESSAGE, resource_profiles_fields },
	{ "dictionary", DATA_DICTIONARY, MESSAGE, dictionary_fields }, { 0 } };

struct transcription {
	struct text messages[DEPTH_LIMIT];       /* by depth: the tables nest no deeper */
	struct text scratch;
	uint64_t *numbers;
	size_t number_room;
	const char *damage;
	size_t damage_at;
};

static bool damaged(struct transcription *transcription, struct json_value value, const char *what)
{
	if (!transcription->damage) {
		transcription->damage = what;
		transcription->damage_at = value.offset;
	}
	return false;
}

/* --- Scalars ---------------------------------------------------------------------------------------------------------- */

/* 64 bits stand in quotes, for JavaScript's sake; addresses of a kernel take all of them. */
static bool number_of(struct transcription *transcription, struct json_value value, uint64_t *ret)
{
	const char *digits = json_decoded(value, &transcription->scratch);
	char *end;
	int64_t decimal;

	if (value.kind != JSON_NUMBER && value.kind != JSON_STRING)
		return damaged(transcription, value, "something else stands where a number belongs");
	errno = 0;
	*ret = *digits == '-' ? (uint64_t)strtoll(digits, &end, 10) : strtoull(digits, &end, 10);
	if (!errno && end != digits && !*end)
		return true;
	if (!json_decimal(value, 0, &decimal))
		return damaged(transcription, value, "something else stands where a number belongs");
	*ret = (uint64_t)decimal;
	return true;
}

static bool numbers_put(struct transcription *transcription, const struct json_field *field, struct json_value array,
			struct text *into)
{
	size_t count = 0;

	for (struct json_items items = json_items(array); json_next(&items); count++) {
		grow(transcription->numbers, count, transcription->number_room);
		if (!number_of(transcription, items.value, &transcription->numbers[count]))
			return false;
	}
	if (field->type == TIME)
		protobuf_fixed64s(into, field->number, transcription->numbers, count);
	else
		protobuf_numbers(into, field->number, transcription->numbers, count);
	return true;
}

static int hex_of(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

static bool identity_put(struct transcription *transcription, const struct json_field *field, struct json_value value,
			 struct text *into)
{
	const char *digits = json_decoded(value, &transcription->scratch);
	size_t size = strlen(digits);
	char bytes[16];

	if (size > 2 * sizeof(bytes) || size % 2 || strspn(digits, "0123456789abcdefABCDEF") != size)
		return damaged(transcription, value, "the id of a trace or span is not in hex");
	for (size_t i = 0; i < size / 2; i++)
		bytes[i] = (char)(hex_of(digits[2 * i]) << 4 | hex_of(digits[2 * i + 1]));
	protobuf_bytes(into, field->number, bytes, size / 2);
	return true;
}

static bool text_put(struct transcription *transcription, const struct json_field *field, struct json_value value,
		     struct text *into)
{
	if (value.kind != JSON_STRING)
		return damaged(transcription, value, "something else stands where a text belongs");
	(void)json_decoded(value, &transcription->scratch);
	protobuf_bytes(into, field->number, text_string(&transcription->scratch), transcription->scratch.size);
	return true;
}

static void flag_put(struct text *into, unsigned field, bool value)
{
	if (value)
		protobuf_number(into, field, 1);
	else
		protobuf_zero(into, field);
}

static bool scalar_put(struct transcription *transcription, const struct json_field *field, struct json_value value,
		       struct text *into)
{
	uint64_t number;

	switch (field->type) {
	case TEXT_OF: return text_put(transcription, field, value, into);
	case IDENTITY: return identity_put(transcription, field, value, into);
	case FLAG: flag_put(into, field->number, value.kind == JSON_TRUE); return true;
	case REAL: protobuf_double(into, field->number, json_double(value, 0)); return true;
	default: break;
	}
	if (!number_of(transcription, value, &number))
		return false;
	if (field->type == TIME)
		protobuf_fixed64(into, field->number, number);
	else if (number)
		protobuf_number(into, field->number, number);
	else
		protobuf_zero(into, field->number);
	return true;
}

/* --- Messages --------------------------------------------------------------------------------------------------------- */

/* As written in JSON, or as in the schema: keyStrindex, key_strindex. */
static bool name_is(const char *key, const char *name)
{
	for (; *key && *name; key++, name++) {
		bool joint = *key == '_' && key[1];

		key += joint;
		if (*name != (joint ? toupper((unsigned char)*key) : *key))
			return false;
	}
	return !*key && !*name;
}

static const struct json_field *field_of(const struct json_field *fields, const char *key)
{
	for (; fields->name; fields++)
		if (name_is(key, fields->name))
			return fields;
	return NULL;
}

static bool message_fill(struct transcription *transcription, const struct json_field *fields, struct json_value object,
			 size_t depth);

static bool one_put(struct transcription *transcription, const struct json_field *field, struct json_value value, size_t depth)
{
	struct text *into = &transcription->messages[depth];

	if (field->type != MESSAGE)
		return scalar_put(transcription, field, value, into);
	if (!message_fill(transcription, field->inside, value, depth + 1))
		return false;
	protobuf_message(into, field->number, &transcription->messages[depth + 1]);
	return true;
}

static bool field_put(struct transcription *transcription, const struct json_field *field, struct json_value value, size_t depth)
{
	if (value.kind == JSON_NULL)
		return true;
	if (value.kind != JSON_ARRAY)
		return one_put(transcription, field, value, depth);
	if (field->inside == value_type_fields)
		return damaged(transcription, value, "it is of the schema of 1.7 or before, which is read as protobuf alone");
	if (field->type == NUMBER || field->type == TIME)
		return numbers_put(transcription, field, value, &transcription->messages[depth]);
	for (struct json_items items = json_items(value); json_next(&items);)
		if (!one_put(transcription, field, items.value, depth))
			return false;
	return true;
}

static bool message_fill(struct transcription *transcription, const struct json_field *fields, struct json_value object,
			 size_t depth)
{
	text_clear(&transcription->messages[depth]);
	if (object.kind != JSON_OBJECT)
		return damaged(transcription, object, "something else stands where an object belongs");
	for (struct json_items items = json_items(object); json_next(&items);) {
		const struct json_field *field = field_of(fields, json_decoded(items.key, &transcription->scratch));

		if (field && !field_put(transcription, field, items.value, depth))
			return false;
	}
	return true;
}

/* --- The file --------------------------------------------------------------------------------------------------------- */

static int transcribe(struct import *import, struct transcription *transcription, struct json *json, size_t *at, struct error *err)
{
	struct json_value root;
	int r = json_parse(json, at, &root, err);

	if (r == -ENODATA)
		return import_refuse(import, err, "byte", json->size, "it ends in the middle");
	if (r < 0)
		return import_refuse(import, err, "byte", *at, r == -EBADMSG ? "it is no JSON from there on"
									      : "it is nested too deep or too large");
	if (!message_fill(transcription, data_fields, root, 0))
		return import_refuse(import, err, "byte", transcription->damage_at, "%s", transcription->damage);
	return otlp_read_bytes(import, text_string(&transcription->messages[0]), transcription->messages[0].size, false, err);
}

static void transcription_done(struct transcription *transcription)
{
	for (size_t i = 0; i < DEPTH_LIMIT; i++)
		text_done(&transcription->messages[i]);
	text_done(&transcription->scratch);
	free(transcription->numbers);
}

static int otlp_json_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &otlp_json_format);
	struct transcription transcription = { .scratch = TEXT(INPUT_WHOLE_LIMIT) };
	const unsigned char *bytes;
	struct json json;
	size_t size, at;
	int r = input_whole(from, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < DEPTH_LIMIT; i++)
		transcription.messages[i] = TEXT(INPUT_WHOLE_LIMIT);
	json = json_of((const char *)bytes, size);
	at = size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (r >= 0 && json_look(&json, &at))
		r = transcribe(import, &transcription, &json, &at, err);
	json_done(&json);
	transcription_done(&transcription);
	return r < 0 ? r : import_finish(import, err);
}

static int otlp_json_recognise(const void *head, size_t size)
{
	if (json_head_first(head, size) != '{')
		return 0;
	return json_head_has(head, size, "resourceProfiles") || json_head_has(head, size, "resource_profiles") ? 90
	       : json_head_has(head, size, "stringTable") && json_head_has(head, size, "locationTable")       ? 80 : 0;
}

const struct format otlp_json_format = {
	.name = "otlp-json",
	.summary = "OpenTelemetry profiles as JSON, also one message a line",
	.recognise = otlp_json_recognise,
	.read = otlp_json_read,
};
