/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Profiles of raw addresses, as gperftools, jemalloc and the old agents of Go and Java write them:
 * numbers and a stack of addresses per sample, and somewhere the map of the process' memory. The
 * readers of those formats fill this; addresses_into() puts it into a profile. Java has names in
 * place of addresses: addresses_name() gives them.
 *
 * What upstream's readers mend is mended here in the same way (github.com/google/pprof,
 * profile/legacy_profile.go), so that the same file gives the same places.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct import;
struct map;

enum { ADDRESSES_NUMBERS = 4, ADDRESSES_ATTRIBUTES = 16,
       ADDRESSES_MAPPINGS = 16 * 1024 };

struct address_sample {
	size_t first;                            /* of its addresses, leaf first */
	uint32_t count;
	uint32_t tid;
	struct string_id comm;
	int64_t numbers[ADDRESSES_NUMBERS];
	int64_t block_bytes;                     /* mean size of what was allocated; below 0 unknown */
};
struct address_mapping { uint64_t start, limit, offset; struct string_id path, build_id; };
struct address_name {
	struct string_id name, path;
	uint32_t line;
	bool at_address;                         /* else the address was but a number for the name */
};

struct addresses_type { const char *name, *unit; };
struct addresses_head {
	const char *source;
	struct addresses_type types[ADDRESSES_NUMBERS];
	size_t type_count;
	enum weighting weighting;
	struct addresses_type period_type;
	uint64_t period;                         /* in units of period_type */
	uint64_t duration_ns;
	const char *drop_frames;                 /* as pprof names them; NULL for none */
	const char *keep_frames;
};

struct addresses {
	struct import *import;
	struct profile *profile;
	uint64_t *list;
	size_t count, room;
	struct address_sample *samples;
	size_t sample_count, sample_room;
	struct address_mapping *mappings;
	size_t mapping_count, mapping_room;
	struct map *names;                       /* by address */
	struct address_name *name_rows;
	size_t name_count, name_room;
	char *attributes[ADDRESSES_ATTRIBUTES];  /* "name=value" of the map's text */
	size_t attribute_count;
};

void addresses_init(struct addresses *addresses, struct import *import);
void addresses_done(struct addresses *addresses);

/* A sample is begun, gets its addresses leaf first, and may still be changed until the next one. */
struct address_sample *addresses_begin(struct addresses *addresses);
void addresses_push(struct addresses *addresses, uint64_t address);
/* All numbers of a text that begin with 0x, each less `back`. False where one does not fit. */
bool addresses_push_text(struct addresses *addresses, const char *text, size_t size,
			 uint64_t back);
void addresses_name(struct addresses *addresses, uint64_t address, struct address_name name);
bool addresses_has_name(const struct addresses *addresses, uint64_t address);
/* The sample's second address, if it is this one. */
void addresses_drop_second(struct addresses *addresses, size_t sample, uint64_t address);
/* The second of two addresses is the first one's own frame again: the handler saw it twice. */
void addresses_drop_duplicate_leaf(struct addresses *addresses);

/* The map of the memory: /proc/PID/maps or one of its older likenesses. Other lines are passed over. */
void addresses_map_line(struct addresses *addresses, const char *line, size_t size);
void addresses_map_text(struct addresses *addresses, const char *text, size_t size);
bool addresses_is_map_head(const char *line, size_t size);

void addresses_into(struct addresses *addresses, const struct addresses_head *head);

/* What pprof leaves out of its pictures of such profiles: the measuring itself. */
extern const char addresses_drop_cpu[], addresses_drop_heap[], addresses_keep_heap[],
	addresses_drop_lock[];
