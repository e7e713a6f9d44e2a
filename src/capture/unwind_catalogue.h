/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Each file's rows once, however many processes have mapped it: known by build id, by path where it has none. They stay in
 * the kernel's maps while there is room, used or not; when there is none, those that nobody has mapped make way.
 *
 * Reading a file takes time that its owner decides on, and the drain must go on: reading may take two seconds of CPU time, and after that
 * a tenth of the time that passes. A file that must wait, or for which there was no room, is read when its turn comes: first
 * those of the process for which the fewest were read, so that one with thousands of them takes the time from nobody else.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/unwind_file.h"
#include "capture/unwind_store.h"

struct harvest;
struct unwind_catalogue;
struct wire_mapping;

struct unwind_catalogue_table { uint64_t base; struct unwind_place place; };

struct unwind_catalogue_file {
	struct unwind_catalogue_table *tables;  /* in order of base */
	size_t table_count;
	struct unwind_segment *segments;
	size_t segment_count;
	bool tried, waits;                      /* waits: it is in the queue */
	uint64_t refused_ns;                    /* when there was no room for its rows; 0: there was */
};

struct unwind_catalogue_statistics {
	uint64_t files, files_without, files_refused;   /* with rows, without any, and for whose rows there was no room */
	uint64_t files_put_off;                         /* that had to wait for their turn */
	uint64_t build_ns;                              /* of all tables built */
};

struct unwind_catalogue_options {
	struct unwind_store *store;             /* borrowed, as the harvest is */
	struct harvest *harvest;
	void (*mark)(void *context, bool *used);        /* sets used[file] for each file that somebody has mapped */
	void (*loaded)(void *context, uint32_t file);   /* a file that waited has rows now */
	void *context;
};

struct unwind_catalogue *unwind_catalogue_new(const struct unwind_catalogue_options *options);
void unwind_catalogue_free(struct unwind_catalogue *catalogue);
DEFINE_CLEANUP(unwind_catalogue)

/* The number of the file that a process has mapped; its rows are read now if they never were and there is time. */
uint32_t unwind_catalogue_find(struct unwind_catalogue *catalogue, uint32_t pid, const struct wire_mapping *mapping,
			       const char *path, const char *build_id);
/* Reads files that wait, as far as the time allows. */
void unwind_catalogue_go_on(struct unwind_catalogue *catalogue);
const struct unwind_catalogue_file *unwind_catalogue_at(const struct unwind_catalogue *catalogue, uint32_t file);
void unwind_catalogue_statistics(const struct unwind_catalogue *catalogue, struct unwind_catalogue_statistics *ret);
