/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A pprof file as it is read: its tables, found by the ids that the file gave them. Private to the
 * pprof_read*.c files. The first thing that makes no sense is kept, with the byte where it stands.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/labels.h"
#include "format/places.h"
#include "format/protobuf.h"
#include "format/values.h"

/* What the file's ids stand for. Most files number from 1 on, and then no map is needed. */
struct pprof_ids { struct map *others; uint64_t *ids; size_t count, room; };

struct pprof_text { const unsigned char *bytes; uint32_t size, id; };        /* id: once it was used */
struct pprof_function_row { uint64_t name, system_name, path; };
struct pprof_period { uint64_t type, unit, period; };

struct pprof_reader {
	struct import *import;
	struct profile *profile;
	const unsigned char *bytes;
	size_t size;
	const char *damage;                      /* NULL: none so far */
	size_t damage_at;

	struct pprof_text *texts;
	size_t text_count, text_room;
	struct pprof_ids mapping_ids, function_ids, place_ids;
	struct place_mapping *mappings;
	size_t mapping_room;
	struct pprof_function_row *functions;
	size_t function_room;
	struct place_line *lines;
	size_t line_room;

	struct places places;
	struct values values;
	struct process_id process;
	uint64_t time_ns, duration_ns;
	struct pprof_period period;
	uint64_t default_type, drop_frames, keep_frames, doc_url;
	bool folded;                             /* a location stands for several functions */
	bool ours;                               /* our writer's mark is its first comment */

	uint32_t *stack;                         /* of one sample */
	size_t stack_room;
	int64_t *numbers;
	size_t number_room;
	uint64_t sample_count;
};

bool pprof_damaged(struct pprof_reader *reader, const unsigned char *at, const char *what);
/* Marks the damage where a message ended before its time. */
bool pprof_message_whole(struct pprof_reader *reader, const struct protobuf *message);
struct string_id pprof_text(struct pprof_reader *reader, uint64_t index);
const char *pprof_chars(struct pprof_reader *reader, uint64_t index);       /* "" for none */

/* Reads all tables; what refers to another is looked up after both are there. */
bool pprof_read_tables(struct pprof_reader *reader);
/* UINT32_MAX and a damage where there is no such place. */
uint32_t pprof_place(struct pprof_reader *reader, uint64_t id, const unsigned char *at);
void pprof_reader_done(struct pprof_reader *reader);
