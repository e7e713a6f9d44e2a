/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An OTLP profiles file as it is read: the dictionary's tables, to which everything else refers by
 * index. Private to the otlp_read*.c files. The first thing that makes no sense is kept, with the
 * byte where it stands.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/import.h"
#include "format/labels.h"
#include "format/places.h"
#include "format/protobuf.h"

struct otlp_text { const unsigned char *bytes; uint32_t size, id; };         /* id: once it was used */
struct otlp_attribute_row { struct string_id key, text, unit; int64_t number; bool is_text; };
struct otlp_link_row { char trace_id[33], span_id[17]; };
struct otlp_function_row { struct string_id name, path; };
struct otlp_stack_row { size_t first, count; };
struct otlp_type { struct string_id name, unit; };

struct profile_read;

struct otlp_reader {
	struct import *import;
	struct profile *profile;
	const unsigned char *bytes;
	size_t size;
	const char *damage;
	size_t damage_at;

	struct otlp_text *texts;
	size_t text_count, text_room;
	struct otlp_attribute_row *attributes;
	size_t attribute_count, attribute_room;
	struct otlp_link_row *links;
	size_t link_count, link_room;
	struct place_mapping *mappings;
	size_t mapping_count, mapping_room;
	struct otlp_function_row *functions;
	size_t function_count, function_room;
	struct otlp_stack_row *stacks;
	size_t stack_count, stack_room;
	uint32_t *stack_places;
	size_t stack_place_count, stack_place_room;
	struct place_line *lines;
	size_t line_room;
	struct places places;

	/* Of the resource that is being read. */
	struct label resource_labels[4];
	size_t resource_label_count;
	const char *process_comm;
	struct profile_read *read;               /* room for one profile, used again and again */
	bool old;                                /* the profile that is being read is of 1.7 or before */
};

bool otlp_damaged(struct otlp_reader *reader, const unsigned char *at, const char *what);
bool otlp_message_whole(struct otlp_reader *reader, const struct protobuf *message);
struct string_id otlp_text(struct otlp_reader *reader, uint64_t index);
const char *otlp_chars(struct otlp_reader *reader, struct string_id id);
/* The value of a KeyValue or of a dictionary's attribute. */
bool otlp_any(struct otlp_reader *reader, struct protobuf message, struct otlp_attribute_row *into);
bool otlp_key_value(struct otlp_reader *reader, struct protobuf message, struct otlp_attribute_row *ret);
const struct otlp_attribute_row *otlp_attribute(struct otlp_reader *reader, uint64_t index,
					    const unsigned char *at);
bool otlp_read_dictionary(struct otlp_reader *reader);
struct profile_read *otlp_profile_read_new(void);
void otlp_profile_read_free(struct profile_read *read);
/* One profile message: what is counted, and its samples. */
bool otlp_read_profile(struct otlp_reader *reader, struct protobuf message);
