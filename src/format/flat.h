/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What formats of names write: one dimension's weights by thread and stack, and frames that are a name, a source file and
 * a line. A call that was inlined becomes a frame of its own; a stack that does not reach its root begins with the cause.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/choice.h"

struct intern;
struct map;

struct flat_frame { const char *name, *path; uint32_t line, inlined; struct frame_id frame; };  /* path may be "" */
struct flat_weight { struct thread_id thread; struct stack_id stack; uint64_t count, weight; struct slice_id slice; };

struct flat {
	struct choice choice;
	bool functions;
	struct flat_weight *weights;                 /* by thread, in it by slice where that is asked for, else as they came */
	size_t weight_count, weight_room;
	struct flat_frame *frames;
	size_t frame_count, frame_room;
	struct intern *texts;
	struct map *known;
	struct choice_path path;                     /* of the stack that was asked for last, and the indices of its frames */
	uint32_t *stack;
	size_t stack_count, stack_room;
};

enum flat_frames {
	FLAT_PLACES,             /* one for each line and address; weights by slice, too, and in their order */
	FLAT_FUNCTIONS,          /* one for each name and path, at the first of its lines: viewers would not merge them */
};

/* Gathers the weights that are not 0. Release it with flat_done(), also after a failure. */
int flat_make(const struct profile *profile, const struct format_options *options, enum flat_frames frames,
	      struct flat *ret, struct error *err);
void flat_done(struct flat *flat);
/* The frames of a stack, root first, as indices of flat->frames, which grows. Returns their count; they are valid until the
 * next call. */
size_t flat_stack(struct flat *flat, struct stack_id stack, const uint32_t **ret_frames);
/* A frame that is nothing but a name. */
uint32_t flat_named(struct flat *flat, const char *name);
/* Where the rows of the next thread begin. */
size_t flat_thread_end(const struct flat *flat, size_t from);
