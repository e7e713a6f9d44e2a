/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A pprof profile as it is written: its columns, and its tables as they fill: texts, functions,
 * locations and mappings, each written the first time it is referred to. Private to the pprof*.c
 * files.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/columns.h"
#include "format/pprof_fields.h"
#include "profile/id.h"

struct error;
struct format_options;
struct intern;
struct map;
struct output;

enum { PPROF_MESSAGE_LIMIT = 1 << 20, PPROF_TABLE_LIMIT = 1 << 30 };

/* Where a file's frames lie: a mapping of the profile, or one made up for a file whose mappings are
 * unknown. */
struct pprof_mapping {
	uint32_t file;
	uint64_t start, limit, offset;
	bool bare;               /* a frame of it has no name: the reader may still look it up */
	bool named, files, lines, inlined;
};

struct pprof {
	const struct profile *profile;
	struct columns columns;
	struct intern *strings;
	struct text functions, locations;            /* messages as they will stand in the file */
	struct map *function_ids;                    /* by name and path */
	uint64_t *location_ids;                      /* by frame */
	uint64_t location_count, function_count;
	uint32_t *mapping_order;                     /* the profile's mappings by file */
	struct pprof_mapping *mappings;
	size_t mapping_count, mapping_room;
};

void pprof_tables_init(struct pprof *pprof);
void pprof_tables_done(struct pprof *pprof);
uint64_t pprof_string(struct pprof *pprof, const char *text);
/* A profile of one process keeps all of its mappings, the executable's first. */
void pprof_mappings_of_one(struct pprof *pprof);
uint64_t pprof_location(struct pprof *pprof, struct frame_id frame);
/* without an address */
uint64_t pprof_location_named(struct pprof *pprof, const char *name);
void pprof_mappings_write(struct pprof *pprof, struct text *to);
/* Everything but the samples and the tables: types, time, period, comments. */
void pprof_head_write(struct pprof *pprof, struct text *to);
int pprof_write(const struct profile *profile, const struct format_options *options,
		struct output *to, struct error *err);
