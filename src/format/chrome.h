/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A trace in Chrome's format, on its way into a profile. Private to the chrome*.c files.
 *
 *	chrome_read.c     text to events: who, when, which phase
 *	chrome_slice.c    a thread's begins and ends to nested slices, and what each weighs by itself
 *	chrome_write.c    the other way
 *
 * From the "Trace Event Format" that chrome://tracing, Perfetto and speedscope read.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/import.h"

struct error;
struct format_options;
struct input;
struct output;
struct profile;

/* Something that begins. Its end is known where the event was complete ("X"), else another event says it. */
struct chrome_begin { int64_t start_ns, end_ns; struct string_id name; uint32_t order; bool complete, open, done; };
/* of: the complete event that this is the end of, or CHROME_NONE. */
struct chrome_end { int64_t at_ns; struct string_id name; uint32_t order, of; };

enum { CHROME_NONE = UINT32_MAX };
#define CHROME_STATE "crosscut.state"              /* the category of what we write of states */

/* A thread, or the events of one asynchronous id: what nests in itself. */
struct chrome_track {
	struct thread_id thread;
	struct chrome_begin *begins;
	size_t begin_count, begin_room;
	struct chrome_end *ends;
	size_t end_count, end_room;
};

struct chrome_slices {
	struct import *import;
	struct import_measure measure;               /* none: intervals alone */
	struct dimension_id dimension;               /* of the intervals */
};

/* Turns a track's events into intervals and weights, and empties it. */
void chrome_track_finish(struct chrome_slices *slices, struct chrome_track *track);

int chrome_read(struct input *from, struct profile *into, struct error *err);
int chrome_write(const struct profile *profile, const struct format_options *options, struct output *to,
		 struct error *err);
