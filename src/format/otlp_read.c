/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads OTLP profiles (ProfilesData, or the body of an export request, which are the same bytes):
 * resources, scopes, and in them profiles. What a resource says of its process holds for all of its
 * samples; the rest of it is kept as provenance.
 */
#include "format/content.h"
#include "format/otlp.h"

#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/otlp_fields.h"
#include "format/otlp_reader.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct format otlp_format;

static void resource_label(struct otlp_reader *reader, const struct otlp_attribute_row *row)
{
	const char *key = otlp_chars(reader, row->key);
	struct label *label;
	char meta[128];

	if (!strcmp(key, "process.executable.name") || !strcmp(key, "process.command"))
		reader->process_comm = otlp_chars(reader, row->text);
	if (!strcmp(key, "process.pid") && reader->resource_label_count == 0) {
		label = &reader->resource_labels[reader->resource_label_count++];
		*label = (struct label){ .key = "process.pid", .number = row->number };
		if (row->is_text)
			label->text = otlp_chars(reader, row->text);
	} else if (row->is_text && *key) {
		bool own = !strncmp(key, "crosscut.", 9) && (content_travels(key + 9) || !strncmp(key + 9, "pprof.", 6));

		(void)snprintf(meta, sizeof(meta), "%s%s", own ? "" : "resource.", own ? key + 9 : key);
		if (!profile_meta(reader->profile, meta))
			profile_set_meta(reader->profile, meta, otlp_chars(reader, row->text));
	}
}

static bool resource_read(struct otlp_reader *reader, struct protobuf message)
{
	struct otlp_attribute_row attribute;
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number != RESOURCE_ATTRIBUTES || !protobuf_is_bytes(&field))
			continue;
		if (!otlp_key_value(reader, protobuf_nested(&field), &attribute))
			return false;
		resource_label(reader, &attribute);
	}
	if (reader->process_comm && reader->resource_label_count && !reader->resource_labels[0].text &&
	    reader->resource_labels[0].number >= 0 && reader->resource_labels[0].number <= UINT32_MAX)
		(void)import_process(reader->import, (uint32_t)reader->resource_labels[0].number,
				     reader->process_comm);
	return otlp_message_whole(reader, &message);
}

static void scope_read(struct otlp_reader *reader, struct protobuf message)
{
	char name[128] = "", version[64] = "", source[200];
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		char *into = field.number == SCOPE_NAME ? name : field.number == SCOPE_VERSION ? version : NULL;
		size_t room = into == name ? sizeof(name) : sizeof(version);

		if (into && protobuf_is_bytes(&field))
			(void)snprintf(into, room, "%.*s", (int)(field.value < room ? field.value : room - 1),
				       (const char *)field.bytes);
	}
	(void)snprintf(source, sizeof(source), "%s%s%s", name, *version ? " " : "", version);
	if (*name)
		import_source(reader->import, source);
}

static bool scope_profiles_read(struct otlp_reader *reader, struct protobuf message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == SCOPE_PROFILES_SCOPE && protobuf_is_bytes(&field))
			scope_read(reader, protobuf_nested(&field));
		if (field.number == SCOPE_PROFILES_PROFILES && protobuf_is_bytes(&field) &&
		    !otlp_read_profile(reader, protobuf_nested(&field)))
			return false;
	}
	return otlp_message_whole(reader, &message);
}

static bool resource_profiles_read(struct otlp_reader *reader, struct protobuf message)
{
	struct protobuf again = message;
	struct protobuf_field field;

	reader->resource_label_count = 0;
	reader->process_comm = NULL;
	while (protobuf_next(&again, &field))
		if (field.number == RESOURCE_PROFILES_RESOURCE && protobuf_is_bytes(&field) &&
		    !resource_read(reader, protobuf_nested(&field)))
			return false;
	while (protobuf_next(&message, &field))
		if (field.number == RESOURCE_PROFILES_SCOPES && protobuf_is_bytes(&field) &&
		    !scope_profiles_read(reader, protobuf_nested(&field)))
			return false;
	return otlp_message_whole(reader, &message);
}

static void mappings_put(struct otlp_reader *reader)
{
	struct process_id process = import_process(reader->import, 0, NULL);

	for (size_t i = 1; i < reader->mapping_count; i++)
		profile_mapping(reader->profile, (struct mapping){ .process = process,
								   .file = reader->mappings[i].file,
								   .start = reader->mappings[i].start,
								   .end = reader->mappings[i].limit,
								   .offset = reader->mappings[i].offset });
}

static bool all_read(struct otlp_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;

	if (!otlp_read_dictionary(reader))
		return false;
	mappings_put(reader);
	while (protobuf_next(&file, &field))
		if (field.number == DATA_RESOURCE_PROFILES && protobuf_is_bytes(&field) &&
		    !resource_profiles_read(reader, protobuf_nested(&field)))
			return false;
	return !reader->damage;
}

static void reader_done(struct otlp_reader *reader)
{
	free(reader->texts);
	free(reader->attributes);
	free(reader->links);
	free(reader->mappings);
	free(reader->functions);
	free(reader->stacks);
	free(reader->stack_places);
	free(reader->lines);
	otlp_profile_read_free(reader->read);
	places_done(&reader->places);
}

int otlp_read_bytes(struct import *import, const void *bytes, size_t size, bool own, struct error *err)
{
	struct otlp_reader reader = { .import = import, .profile = import_profile(import), .bytes = bytes, .size = size };
	bool whole;

	places_init(&reader.places, import);
	reader.read = otlp_profile_read_new();
	whole = all_read(&reader);
	reader_done(&reader);
	return whole ? 0 : import_refuse(import, err, own ? "byte" : NULL, reader.damage_at, "%s",
					 reader.damage ? reader.damage : "it is no OTLP profile");
}

int otlp_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &otlp_format);
	const unsigned char *bytes;
	size_t size;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r >= 0)
		r = otlp_read_bytes(import, bytes, size, true, err);
	return r < 0 ? r : import_finish(import, err);
}
