/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What pprof, its ancestors, jemalloc and OTLP have in common: a table of places (an address in a
 * mapping, or lines of source, or both), and stacks that are lists of places. Turns places into
 * frames and lists into stacks of a profile.
 *
 *	address in a mapping that has a file      one frame: file and offset in it
 *	address alone                             one frame whose offset is the address
 *	lines without an address                  a frame per line, for there is nothing they share
 *
 * Several lines of a place with an address become the symbols of its frame. Addresses are taken as the
 * formats mean them: inside the call, so that they are looked up as they are.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct import;
struct profile;

enum { PLACES_DEPTH_LIMIT = 16 * 1024, PLACES_LIMIT = 64 << 20 };

struct place_mapping { struct file_id file; uint64_t start, limit, offset; bool kernel; };
struct place_line { struct string_id name, path; uint32_t line, column; };       /* innermost first */

struct place { uint32_t first, count; };         /* its frames, innermost first */
struct places {
	struct import *import;
	struct profile *profile;
	struct place *rows;
	size_t count, room;
	struct frame_id *frames;
	size_t frame_count, frame_room;
	bool *named;                             /* by frame: it has symbols */
	size_t named_room;
	/* The last stack from its root on: the next one often begins alike. */
	struct frame_id *path_frames;
	struct stack_id *path_stacks;
	size_t path_count;
	bool checked;                            /* the file says of each stack whether it is complete, as ours do */
	struct frame_id *stack_frames;
};

void places_init(struct places *places, struct import *import);
void places_done(struct places *places);
/* The new place's index, from 0 on. A mapping without a file is like none; address 0 is none. */
uint32_t places_add(struct places *places, const struct place_mapping *mapping, uint64_t address,
		    const struct place_line *lines, size_t line_count);
/* Of stacks from here on. */
void places_checked(struct places *places, bool checked);
/* Indexes below places->count, leaf first. */
struct stack_id places_stack(struct places *places, const uint32_t *leaf_first, size_t count);
