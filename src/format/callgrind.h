/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A call graph, as callgrind and profilers for PHP and Python write it: what each function cost by itself, and what each
 * call from one to another cost with all that was called in turn. Private to the callgrind*.c files.
 *
 * https://valgrind.org/docs/manual/cl-format.html
 */
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "format/import.h"

struct format_options;
struct output;

enum { CALLGRIND_EVENT_LIMIT = 64, CALLGRIND_DEPTH_LIMIT = 512, CALLGRIND_NODE_LIMIT = 1 << 18, CALLGRIND_STEP_LIMIT = 1 << 26 };

#define CALLGRIND_BLANK "\xc2\xa0"              /* in an event's name, which blanks end */
/* Where in an event's name its unit begins, "ns)" of "Time_(ns)"; NULL where it has none. */
const char *callgrind_unit(const char *name);

struct callgrind_function { struct frame_id frame; uint32_t first_call, last_call; };     /* of the chain of its calls */
struct callgrind_call { uint32_t caller, callee, next; uint64_t times; };

struct callgrind_graph {
	struct thread_id thread;
	size_t events;                               /* costs of each function and call */
	struct callgrind_function *functions;
	struct callgrind_call *calls;
	uint64_t *own, *inclusive;                   /* events × functions, events × calls */
	size_t function_count, function_room, call_count, call_room, own_room, inclusive_room;
	struct map *function_ids, *call_ids;
};

void callgrind_graph_init(struct callgrind_graph *graph, size_t events, struct thread_id thread);
void callgrind_graph_done(struct callgrind_graph *graph);
uint32_t callgrind_function(struct callgrind_graph *graph, struct frame_id frame);
void callgrind_cost(struct callgrind_graph *graph, uint32_t function, const uint64_t *costs);
void callgrind_called(struct callgrind_graph *graph, uint32_t caller, uint32_t callee, uint64_t times,
		      const uint64_t *costs);

/* Adds one event of the graph to the import: exact costs of functions and calls, and stacks that the graph allows. Takes
 * from *steps, which all graphs and events of a file share, one for each call that it looks at. */
void callgrind_stacks(const struct callgrind_graph *graph, size_t event, const struct import_event *name,
		      size_t *steps, struct import *import);

int callgrind_read(struct input *from, struct profile *into, struct error *err);
int callgrind_write(const struct profile *profile, const struct format_options *options, struct output *to,
		    struct error *err);
