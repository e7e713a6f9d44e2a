/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The tables of a pprof profile as they fill: texts, functions, locations and mappings, each
 * written the first time it is referred to. Private to the pprof*.c files.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/choice.h"
#include "profile/id.h"

struct intern;
struct map;

/* Numbers of the fields, from pprof's profile.proto. */
enum pprof_profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_SAMPLE_TYPE
};
enum pprof_value_type { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT };
enum pprof_sample { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum pprof_label { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };
enum pprof_mapping_field {
	MAPPING_ID = 1,
	MAPPING_MEMORY_START,
	MAPPING_MEMORY_LIMIT,
	MAPPING_FILE_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINE_NUMBERS,
	MAPPING_HAS_INLINE_FRAMES
};
enum pprof_location { LOCATION_ID = 1, LOCATION_MAPPING_ID, LOCATION_ADDRESS, LOCATION_LINE };
enum pprof_line { LINE_FUNCTION_ID = 1, LINE_LINE };
enum pprof_function { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

enum { PPROF_MESSAGE_LIMIT = 1 << 20, PPROF_TABLE_LIMIT = 1 << 30 };

/* Where a file's frames lie: a mapping of the profile, or one made up for a file whose mappings are
 * unknown. */
struct pprof_mapping {
	uint32_t file;
	uint64_t start, limit, offset;
	bool bare;               /* a frame of it has no name: the reader may still look it up */
	bool files, lines, inlined;
};

struct pprof {
	struct choice choice;
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
uint64_t pprof_location(struct pprof *pprof, struct frame_id frame);
/* without an address */
uint64_t pprof_location_named(struct pprof *pprof, const char *name);
void pprof_mappings_write(struct pprof *pprof, struct text *to);
