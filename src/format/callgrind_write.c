/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one dimension as a call graph for KCachegrind and callgrind_annotate: a part per thread. Where the profile came
 * from a call graph its calls are written as they were; else they are taken from the stacks, and the number of calls,
 * which samples do not know, is the number of samples that were in the call.
 */
#include "format/callgrind.h"

#include "base/memory.h"
#include "base/output.h"
#include "format/flat.h"
#include "format/format.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct edge { uint32_t caller, callee; uint64_t times, weight; size_t stack; };      /* stack: the last that held it */

struct graph_writer {
	struct flat flat;
	struct output *to;
	uint64_t *own;                               /* by frame of flat, which grows */
	size_t own_room;
	struct edge *edges;
	size_t edge_count, edge_room, stack;
	struct map *known;
	char *written;                               /* frames whose name stands in the file: 1 as function, 2 its path */
	uint32_t *path_ids;
	size_t named;
};

/* --- Gathering -------------------------------------------------------------------------------------- */

static void own_add(struct graph_writer *writer, uint32_t frame, uint64_t weight)
{
	size_t before = writer->own_room;

	while (frame >= writer->own_room)
		writer->own_room = writer->own_room ? 2 * writer->own_room : 1024;
	if (writer->own_room > before) {
		writer->own = xreallocarray(writer->own, writer->own_room, sizeof(*writer->own));
		memset(writer->own + before, 0, (writer->own_room - before) * sizeof(*writer->own));
	}
	writer->own[frame] += weight;
}

/* A call that a stack holds more than once, by recursion, counts once. */
static void edge_add(struct graph_writer *writer, uint32_t caller, uint32_t callee, uint64_t times, uint64_t weight)
{
	uint32_t key[2] = { caller, callee }, *index;
	bool added;

	index = map_put(writer->known, key, &added);
	if (added) {
		*index = (uint32_t)writer->edge_count;
		grow(writer->edges, writer->edge_count, writer->edge_room);
		writer->edges[writer->edge_count++] = (struct edge){ caller, callee, 0, 0, 0 };
	}
	if (writer->edges[*index].stack == writer->stack)
		return;
	writer->edges[*index].stack = writer->stack;
	writer->edges[*index].times += times;
	writer->edges[*index].weight += weight;
}

static void stack_edges(struct graph_writer *writer, const uint32_t *frames, size_t count, const struct flat_weight *row)
{
	writer->stack++;
	for (size_t i = 1; i < count; i++)
		edge_add(writer, frames[i - 1], frames[i], row->count, row->weight);
}

/* The calls that a call graph's reader kept: of caller and callee, with the role DETAIL. */
static bool detail_edges(struct graph_writer *writer, struct thread_id thread)
{
	const struct profile *profile = writer->flat.choice.profile;
	const uint32_t *frames;
	bool any = false;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role != ROLE_DETAIL ||
		    !thread_is(cell->thread, thread) ||
		    !dimension_is(profile_cell_dimension(profile, cell), writer->flat.choice.dimension) ||
		    flat_stack(&writer->flat, cell->stack, &frames) != 2)
			continue;
		writer->stack++;
		edge_add(writer, frames[0], frames[1], cell->count, choice_weight(cell));
		any = true;
	}
	return any;
}

static int edge_order(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

static void thread_gather(struct graph_writer *writer, size_t from, size_t end)
{
	const uint32_t *frames;
	bool details;

	writer->edge_count = 0;
	map_clear(writer->known);
	if (writer->own)
		memset(writer->own, 0, writer->own_room * sizeof(*writer->own));
	details = detail_edges(writer, writer->flat.weights[from].thread);
	for (size_t i = from; i < end; i++) {
		size_t count = flat_stack(&writer->flat, writer->flat.weights[i].stack, &frames);

		/* without a stack its weight is no function's, and yet there */
		own_add(writer, count ? frames[count - 1] : flat_named(&writer->flat, "[no stack]"), writer->flat.weights[i].weight);
		if (!details)
			stack_edges(writer, frames, count, &writer->flat.weights[i]);
	}
	if (writer->edge_count)
		qsort(writer->edges, writer->edge_count, sizeof(*writer->edges), edge_order);
}

/* --- Writing ---------------------------------------------------------------------------------------- */

/* Names stand on one line, and one that begins like a number of a compressed name would be taken for it. */
static void name_print(struct output *to, const char *name)
{
	for (const char *at = name; *at; at++)
		output_write(to, *at == '\n' || *at == '\r' ? " " : at, 1);
}

static void name_write(struct graph_writer *writer, const char *key, uint32_t id, const char *name, char bit)
{
	output_print(writer->to, "%s=(%u)", key, id + 1);
	if (!(writer->written[id] & bit)) {
		output_puts(writer->to, " ");
		name_print(writer->to, *name ? name : "???");
	}
	writer->written[id] |= bit;
	output_puts(writer->to, "\n");
}

/* Frames are told apart by name and path; each path is named once, by the first frame that has it. */
static void names_number(struct graph_writer *writer)
{
	struct flat *flat = &writer->flat;
	CLEANUP(map) struct map *paths = map_new(sizeof(uintptr_t));

	writer->written = xreallocarray(writer->written, flat->frame_count + 1, 1);
	writer->path_ids = xreallocarray(writer->path_ids, flat->frame_count + 1, sizeof(*writer->path_ids));
	for (size_t i = 0; i < flat->frame_count; i++) {
		uintptr_t key = (uintptr_t)flat->frames[i].path;     /* interned: one text, one pointer */
		bool added;
		uint32_t *known = map_put(paths, &key, &added);

		if (added)
			*known = (uint32_t)i;
		writer->path_ids[i] = *known;
		if (i >= writer->named)
			writer->written[i] = 0;
	}
	writer->named = flat->frame_count;
}

static void frame_write(struct graph_writer *writer, uint32_t frame, const char *file_key, const char *function_key)
{
	const struct flat_frame *row = &writer->flat.frames[frame];

	name_write(writer, file_key, writer->path_ids[frame], row->path, 2);
	name_write(writer, function_key, frame, row->name, 1);
}

static void function_write(struct graph_writer *writer, uint32_t frame, size_t *edge)
{
	uint64_t own = frame < writer->own_room ? writer->own[frame] : 0;
	bool calls = *edge < writer->edge_count && writer->edges[*edge].caller == frame;

	if (!own && !calls)
		return;
	output_puts(writer->to, "\n");
	frame_write(writer, frame, "fl", "fn");
	output_print(writer->to, "%u %" PRIu64 "\n", writer->flat.frames[frame].line, own);
	for (; *edge < writer->edge_count && writer->edges[*edge].caller == frame; ++*edge) {
		const struct edge *row = &writer->edges[*edge];

		frame_write(writer, row->callee, "cfi", "cfn");
		output_print(writer->to, "calls=%" PRIu64 " %u\n%u %" PRIu64 "\n", row->times,
			     writer->flat.frames[row->callee].line, writer->flat.frames[frame].line, row->weight);
	}
}

/* Blanks part events, so that those inside of a name are such as do not break, and so is what would end the line. */
static void word_write(struct output *to, const char *word)
{
	for (const char *at = word; *at; at++)
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			output_puts(to, CALLGRIND_BLANK);
		else
			output_write(to, at, 1);
}

/* "oncpu_(ns)": a unit stands behind the name, as xdebug does it; a count needs none, unless the name looks as if it had one. A
 * number in front of it is how many of them one is. */
static void events_write(struct graph_writer *writer)
{
	const struct choice *choice = &writer->flat.choice;
	CLEANUP_TEXT char *name = choice_name(choice->profile, choice->dimension);
	const char *unit = choice_unit(choice);

	output_puts(writer->to, "events: ");
	word_write(writer->to, name);
	if (strcmp(unit, "count") != 0 || callgrind_unit(name)) {
		output_puts(writer->to, *unit >= '0' && *unit <= '9' ? "_(1" CALLGRIND_BLANK : "_(");
		word_write(writer->to, unit);
		output_puts(writer->to, ")");
	}
	output_puts(writer->to, "\n");
}

static void part_write(struct graph_writer *writer, size_t from, size_t end, size_t part)
{
	const struct profile *profile = writer->flat.choice.profile;
	const struct thread *thread = profile_thread_at(profile, writer->flat.weights[from].thread.index);
	size_t edge = 0;

	thread_gather(writer, from, end);
	names_number(writer);
	output_print(writer->to, "\npid: %u\npart: %zu\nthread: %u\npositions: line\n",
		     profile_process_at(profile, thread->process.index)->pid, part, thread->tid);
	events_write(writer);
	for (uint32_t i = 0; i < writer->flat.frame_count; i++)
		function_write(writer, i, &edge);
}

int callgrind_write(const struct profile *profile, const struct format_options *options, struct output *to,
		    struct error *err)
{
	struct graph_writer writer = { .to = to };
	size_t part = 1;
	int r = flat_make(profile, options, FLAT_FUNCTIONS, &writer.flat, err);

	if (r < 0)
		return r;
	writer.known = map_new(2 * sizeof(uint32_t));
	output_puts(to, "# callgrind format\nversion: 1\ncreator: crosscut@" CROSSCUT_VERSION "\n");
	for (size_t from = 0, end; from < writer.flat.weight_count; from = end) {
		end = flat_thread_end(&writer.flat, from);
		part_write(&writer, from, end, part++);
	}
	map_free(writer.known);
	flat_done(&writer.flat);
	free(writer.own);
	free(writer.edges);
	free(writer.written);
	free(writer.path_ids);
	return 0;
}
