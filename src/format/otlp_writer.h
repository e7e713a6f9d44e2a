/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An OTLP profiles file as it is written: the dictionary fills as things are referred to, so that it
 * holds no orphan, and each thing is looked up before it is added, so that it holds none twice.
 * Private to the otlp_write*.c files.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "profile/id.h"

struct intern;
struct map;
struct profile;

enum { OTLP_MESSAGE_LIMIT = 64 << 20, OTLP_TABLE_LIMIT = 1 << 30 };

struct otlp_writer {
	const struct profile *profile;
	bool old;                                /* the schema of 1.7 */
	struct intern *strings;
	struct text mappings, locations, functions, links, attributes, stacks;
	uint32_t mapping_count, location_count, function_count, link_count, attribute_count,
		stack_count;
	struct map *entries;                     /* by table and key: the index */
	uint32_t *location_of;                   /* by frame; 0 none yet */
	uint32_t *stack_of;                      /* by stack and cause */
};

void otlp_writer_init(struct otlp_writer *writer, const struct profile *profile, bool old);
void otlp_writer_done(struct otlp_writer *writer);
uint64_t otlp_string(struct otlp_writer *writer, const char *text);
uint64_t otlp_text_attribute(struct otlp_writer *writer, const char *key, const char *value);
uint64_t otlp_number_attribute(struct otlp_writer *writer, const char *key, int64_t value,
			       const char *unit);
uint64_t otlp_link_put(struct otlp_writer *writer, const char *trace_id, const char *span_id);
uint32_t otlp_location(struct otlp_writer *writer, struct frame_id frame);
/* The places of a stack, leaf first, the cause of a cut one at the root; the caller frees them. */
uint32_t *otlp_places(struct otlp_writer *writer, struct stack_id stack, size_t *ret_count);
uint64_t otlp_stack(struct otlp_writer *writer, struct stack_id stack);
/* "key": value, as resources, scopes and the dictionary of 1.7 have it. */
void otlp_key_text(struct text *to, unsigned field, const char *key, const char *value);
void otlp_key_number(struct text *to, unsigned field, const char *key, int64_t value);
void otlp_dictionary_write(struct otlp_writer *writer, struct text *to);
