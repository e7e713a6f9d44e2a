/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * All functions that a file describes, sorted by where they start; where two descriptions start alike, .eh_frame's comes
 * first, then .gopclntab's, which knows where Go's stacks begin, then .debug_frame's. Those of no code are left out: linkers leave descriptions of functions they have discarded, at 0 or at numbers
 * that are no address.
 */
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame_program.h"
#include "unwind/frame_section.h"
#include "unwind/image.h"

struct frame_set {
	struct frame_description *descriptions;
	size_t count, room;
	struct frame_context *contexts;         /* description.common is an index into these */
	size_t context_count, context_room;
	struct map *context_of;                 /* by where a common entry begins */
	const uint8_t *last_common;             /* the one that was asked for last: mostly the next one too */
	uint32_t last_context;
	uint64_t dropped;

	/* Instructions that may still be carried out. Entries of a true file share no bytes, so that their sections' size is
	 * enough; entries of a false one may all lead to the same long list. */
	uint64_t budget_bytes;
	size_t callees_looked_for;              /* frame_callee.h */
	struct image *image;
	struct frame_section sectionless;       /* .eh_frame, where only PT_GNU_EH_FRAME leads to it */
};

void frame_set_read(struct frame_set *set, struct image *image);        /* zeroed before */
void frame_set_done(struct frame_set *set);

/* For readers of other tables: a context, UINT32_MAX beyond their limit; and a description that names one. */
uint32_t frame_set_add_context(struct frame_set *set, const struct frame_context *context);
void frame_set_add(struct frame_set *set, const struct frame_description *description);
