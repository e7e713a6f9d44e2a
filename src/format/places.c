/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places to frames, and lists of places to stacks. A stack that begins at the root like the one
 * before it takes the common part over, since samples of one program mostly share it: what is left
 * to look up is the part that differs.
 */
#include "format/places.h"

#include "base/memory.h"
#include "format/choice.h"
#include "format/import.h"
#include "profile/profile.h"

#include <string.h>

enum { LINES_LIMIT = 256 };              /* inlined at one place */

void places_init(struct places *places, struct import *import)
{
	*places = (struct places){ .import = import, .profile = import_profile(import) };
	places->path_frames = xcalloc(PLACES_DEPTH_LIMIT, sizeof(*places->path_frames));
	places->path_stacks = xcalloc(PLACES_DEPTH_LIMIT, sizeof(*places->path_stacks));
	places->stack_frames = xcalloc(PLACES_DEPTH_LIMIT, sizeof(*places->stack_frames));
}

void places_done(struct places *places)
{
	free(places->rows);
	free(places->frames);
	free(places->named);
	free(places->path_frames);
	free(places->path_stacks);
	free(places->stack_frames);
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* Two places may be one frame, then the first one's names stay. */
static bool frame_is_new(struct places *places, struct frame_id frame)
{
	while (frame.index >= places->named_room) {
		size_t room = places->named_room;

		places->named_room = room ? 2 * room : 1024;
		places->named = xreallocarray(places->named, places->named_room, sizeof(bool));
		memset(places->named + room, 0, places->named_room - room);
	}
	if (!frame.index || places->named[frame.index])
		return false;
	return places->named[frame.index] = true;
}

static struct import_name name_of(const struct places *places, const struct place_line *line)
{
	return (struct import_name){ .function = profile_text(places->profile, line->name),
				     .path = profile_text(places->profile, line->path),
				     .line = line->line,
				     .column = line->column };
}

static void inlined_add(struct places *places, struct frame_id frame,
			const struct place_line *lines, size_t count)
{
	struct import_name names[LINES_LIMIT];

	if (count > LINES_LIMIT)
		import_warn(places->import, "more than 256 calls inlined at one place were cut",
			    NULL, 0);
	for (size_t i = 0; i < count && i < LINES_LIMIT; i++)
		names[i] = name_of(places, &lines[i]);
	if (count > 1 && frame_is_new(places, frame))
		import_inlined(places->import, frame, names,
			       count < LINES_LIMIT ? count : LINES_LIMIT);
}

static void place_frame(struct places *places, struct frame_id frame)
{
	grow(places->frames, places->frame_count, places->frame_room);
	places->frames[places->frame_count++] = frame;
}

/* Where an address lies. One outside of its mapping is kept as it is, and said. */
static uint64_t offset_of(struct places *places, const struct place_mapping *mapping,
			  uint64_t address)
{
	if (!mapping || !mapping->file.index)
		return address;
	if (address >= mapping->start && (address < mapping->limit || !mapping->limit))
		return address - mapping->start + mapping->offset;
	import_warn(places->import, "addresses lie outside of their mapping", NULL, 0);
	return address;
}

static void module_put(const struct places *places, const struct place_mapping *mapping,
		       struct import_name *name)
{
	const struct file *file;

	name->kernel = mapping && mapping->kernel;
	if (!mapping || !mapping->file.index)
		return;
	file = profile_file_at(places->profile, mapping->file.index);
	name->module = profile_text(places->profile, file->path);
	name->build_id = profile_text(places->profile, file->build_id);
}

/* The frame has the name of the function itself; what was inlined into it are its symbols. */
static void place_address(struct places *places, const struct place_mapping *mapping,
			  uint64_t address, const struct place_line *lines, size_t count)
{
	struct import_name name = { 0 };
	struct frame_id frame;

	if (count)
		name = name_of(places, &lines[count - 1]);
	module_put(places, mapping, &name);
	name.address = offset_of(places, mapping, address);
	frame = import_frame(places->import, &name);
	inlined_add(places, frame, lines, count);
	place_frame(places, frame);
}

static void place_lines(struct places *places, const struct place_mapping *mapping,
			const struct place_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct import_name name = name_of(places, &lines[i]);

		module_put(places, mapping, &name);
		place_frame(places, import_frame(places->import, &name));
	}
}

uint32_t places_add(struct places *places, const struct place_mapping *mapping, uint64_t address,
		    const struct place_line *lines, size_t line_count)
{
	struct place place = { .first = (uint32_t)places->frame_count };

	if (address || !line_count)
		place_address(places, mapping, address, lines, line_count);
	else
		place_lines(places, mapping, lines, line_count);
	place.count = (uint32_t)places->frame_count - place.first;
	grow(places->rows, places->count, places->room);
	places->rows[places->count] = place;
	return (uint32_t)places->count++;
}

/* --- Stacks ----------------------------------------------------------------------------------- */

/* The frames of a list, leaf first; what is deeper is cut off at the root. */
static size_t stack_frames(struct places *places, const uint32_t *leaf_first, size_t count,
			   bool *ret_cut)
{
	size_t depth = 0;

	*ret_cut = false;
	for (size_t i = 0; i < count; i++) {
		struct place place = places->rows[leaf_first[i]];

		for (uint32_t j = 0; j < place.count; j++) {
			if (depth == PLACES_DEPTH_LIMIT) {
				*ret_cut = true;
				return depth;
			}
			places->stack_frames[depth++] = places->frames[place.first + j];
		}
	}
	return depth;
}

/* What our writers put at the root of a stack that does not reach its root. */
static enum stack_status root_status(const struct places *places, struct frame_id root)
{
	const struct frame *frame = profile_frame_at(places->profile, root.index);

	if (frame->file.index || frame->offset || !frame->name.index)
		return 0;
	return choice_cause_status(profile_text(places->profile, frame->name));
}

static enum stack_status whole_status(const struct places *places)
{
	return places->checked ? STACK_COMPLETE : STACK_UNVERIFIED;
}

void places_checked(struct places *places, bool checked)
{
	if (places->checked != checked)
		places->path_count = 0;
	places->checked = checked;
}

static struct stack_id stack_push(struct places *places, size_t depth, struct stack_id parent,
				  struct frame_id frame, enum stack_status status)
{
	struct stack_id stack = profile_stack(places->profile, parent, frame, status);

	if (status == whole_status(places)) {
		places->path_frames[depth] = frame;
		places->path_stacks[depth] = stack;
		places->path_count = depth + 1;
	}
	return stack;
}

struct stack_id places_stack(struct places *places, const uint32_t *leaf_first, size_t count)
{
	struct frame_id *frames = places->stack_frames;
	enum stack_status whole = whole_status(places), status = whole, root = 0;
	struct stack_id stack = { 0 };
	bool cut;
	size_t left = stack_frames(places, leaf_first, count, &cut), depth = 0;

	if (left)
		root = root_status(places, frames[left - 1]);
	if (root)
		left--;
	if (root || cut)
		status = root ? root : STACK_TRUNCATED;
	if (cut)
		import_warn(places->import, "stacks of more than 16384 frames were cut", NULL, 0);
	while (status == whole && left && depth < places->path_count &&
	       frame_is(places->path_frames[depth], frames[left - 1])) {
		stack = places->path_stacks[depth++];
		left--;
	}
	if (status == whole)
		places->path_count = depth;
	if (root && !left)
		return stack_push(places, 0, stack, (struct frame_id){ 0 }, status);
	for (; left; left--, depth++)
		stack = stack_push(places, depth, stack, frames[left - 1], status);
	return stack;
}
