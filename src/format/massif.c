/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads massif's recordings: snapshots of a heap, some with a tree of who allocated what was in use. The tree of the peak
 * becomes stacks (of the last tree, where no snapshot is marked as the peak); it goes from the allocation up to its callers:
 *
 *	n2: 12500 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n1: 10000 0x401136: leafy (m.c:3)
 *	  n0: 10000 0x401190: main (m.c:7)
 *	 n0: 2500 in 3 places, all below massif's threshold (1.00%)
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

extern const struct format massif_format;

enum { DEPTH_LIMIT = 512, NODE_LIMIT = 1 << 20 };

struct massif_node { struct frame_id frame; uint64_t bytes; uint32_t depth; };
struct massif_snapshot { uint64_t heap, extra, stacks; };

struct massif_reader {
	struct import *import;
	struct input *from;
	struct massif_snapshot now, kept;
	struct massif_node *nodes;                   /* of the tree that is kept, as its lines come */
	size_t count, room;
	size_t snapshots;
	uint64_t owed;                               /* lines that the present snapshot must still have: what a line announces below it */
	bool peak;                                   /* the tree that is kept is the peak's */
};

/* "0x401136: leafy (m.c:3)", "0x401136: leafy (in /bin/m)", or what stands for many. */
static struct frame_id frame_read(struct massif_reader *reader, const char *text)
{
	struct import_name name = { .function = text };
	const char *colon = strstr(text, ": "), *open, *end = text + strlen(text);
	CLEANUP_TEXT char *place = NULL;
	char *line;

	if (strncmp(text, "0x", 2) != 0 || !colon)
		return import_frame(reader->import, &(struct import_name){
			.function = strstr(text, "places") ? "[below massif's threshold]" : text });
	name.address = strtoull(text, NULL, 16);
	name.function = colon + 2;
	open = end > text && end[-1] == ')' ? strrchr(text, '(') : NULL;
	if (!open || open <= name.function + 1)
		return import_frame(reader->import, &name);
	name.function_size = (size_t)(open - 1 - name.function);
	place = xstrndup(open + 1, (size_t)(end - open - 2));
	if (!strncmp(place, "in ", 3)) {
		name.module = place + 3;
	} else {
		line = strrchr(place, ':');
		name.line = line ? (uint32_t)strtoul(line + 1, NULL, 10) : 0;
		if (line)
			*line = '\0';
		name.path = place;
	}
	return import_frame(reader->import, &name);
}

/* A line of a tree: its depth is how far it is indented. */
static bool node_line(struct massif_reader *reader, const char *line, bool keep)
{
	size_t depth = strspn(line, " ");
	struct massif_node node = { .depth = (uint32_t)depth };
	uint64_t below;
	char *end;

	if (line[depth] != 'n')
		return false;
	below = strtoull(line + depth + 1, &end, 10) & UINT32_MAX;
	if (end == line + depth + 1 || strncmp(end, ": ", 2) != 0)
		return false;
	reader->owed += below;
	reader->owed -= reader->owed > 0;
	node.bytes = strtoull(end + 2, &end, 10) & INT64_MAX;
	if (!keep)
		return true;
	if (depth >= DEPTH_LIMIT || reader->count == NODE_LIMIT) {
		import_skipped(reader->import, "a tree is deeper or larger than is kept", "line",
			       input_line_number(reader->from));
		return true;
	}
	node.frame = frame_read(reader, end + strspn(end, " "));
	grow(reader->nodes, reader->count, reader->room);
	reader->nodes[reader->count++] = node;
	return true;
}

/* --- To stacks -------------------------------------------------------------------------------------- */

/* What a node has beside its callers' lines, on the stack from the outermost caller down to the allocation. */
static void tree_add(struct massif_reader *reader, const struct import_sample *peak)
{
	struct frame_id path[DEPTH_LIMIT] = { 0 };
	struct import_sample sample = *peak;

	for (size_t i = 0; i < reader->count; i++) {
		const struct massif_node *node = &reader->nodes[i];
		uint64_t left = node->bytes;

		path[node->depth] = node->frame;
		for (size_t j = i + 1; j < reader->count && reader->nodes[j].depth > node->depth; j++)
			if (reader->nodes[j].depth == node->depth + 1)
				left -= reader->nodes[j].bytes < left ? reader->nodes[j].bytes : left;
		sample.value = left;
		sample.stack = (struct stack_id){ 0 };
		for (size_t depth = node->depth + 1; depth-- > 1;)       /* the first line is no function */
			sample.stack = import_stack(reader->import, sample.stack, path[depth]);
		if (left)
			import_sample(reader->import, &sample);
	}
}

static struct import_measure measure_of(struct massif_reader *reader, const char *name, const char *meaning)
{
	return import_measure(reader->import, &(struct import_event){
		.name = name, .unit = "bytes", .kind = DIMENSION_LEVEL, .weighting = WEIGHTING_EXACT, .source = "massif",
		.meaning = meaning });
}

static void peak_add(struct massif_reader *reader)
{
	struct import_sample sample = { .thread = import_thread(reader->import, 0, 0, NULL) };

	sample.measure = measure_of(reader, "heap", "in use when most was, as the program asked for it");
	sample.value = reader->kept.heap;
	if (reader->count)
		tree_add(reader, &sample);
	else if (sample.value)
		import_sample(reader->import, &sample);
	sample.measure = measure_of(reader, "heap-overhead", "what the allocator added to that");
	sample.value = reader->kept.extra;
	if (sample.value)
		import_sample(reader->import, &sample);
	sample.measure = measure_of(reader, "thread-stacks", "stacks in use at that moment");
	sample.value = reader->kept.stacks;
	if (sample.value)
		import_sample(reader->import, &sample);
}

/* --- The file --------------------------------------------------------------------------------------- */

static bool value_of(const char *line, const char *key, const char **ret)
{
	size_t size = strlen(key);

	*ret = line + size;
	return !strncmp(line, key, size);
}

/* Whether the tree that follows is one to keep. */
static bool tree_begins(struct massif_reader *reader, const char *kind)
{
	bool peak = !strcmp(kind, "peak");
	bool keep = peak || (!reader->peak && !strcmp(kind, "detailed"));

	if (!keep && (reader->count || reader->peak || reader->now.heap <= reader->kept.heap))
		return false;
	reader->kept = reader->now;
	reader->count = 0;
	reader->peak |= peak;
	return keep;
}

static void snapshot_ends(struct massif_reader *reader)
{
	if (reader->owed)
		import_skipped(reader->import, "a snapshot ends before all that it announces was listed", "line",
			       input_line_number(reader->from));
	reader->owed = 0;
}

static void lines_read(struct massif_reader *reader)
{
	const char *line, *value;
	bool keep = false;
	size_t size;

	while ((line = input_line(reader->from, &size))) {
		if (value_of(line, "snapshot=", &value)) {
			snapshot_ends(reader);
			reader->snapshots++;
			reader->owed = 1;               /* whether it has a tree */
		} else if (value_of(line, "mem_heap_B=", &value))
			reader->now.heap = strtoull(value, NULL, 10) & INT64_MAX;
		else if (value_of(line, "mem_heap_extra_B=", &value))
			reader->now.extra = strtoull(value, NULL, 10) & INT64_MAX;
		else if (value_of(line, "mem_stacks_B=", &value))
			reader->now.stacks = strtoull(value, NULL, 10) & INT64_MAX;
		else if (value_of(line, "heap_tree=", &value)) {
			keep = tree_begins(reader, value);
			reader->owed = strcmp(value, "empty") != 0;
		} else if (value_of(line, "cmd: ", &value))
			profile_set_meta(import_profile(reader->import), "capture.command", value);
		else if (*line && *line != '#' && strncmp(line, "time", 4) != 0 && strncmp(line, "desc:", 5) != 0 &&
			 !node_line(reader, line, keep))
			import_skipped(reader->import, "a line is of no known kind", "line",
				       input_line_number(reader->from));
	}
	snapshot_ends(reader);
}

static int massif_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &massif_format);
	struct massif_reader reader = { .import = import, .from = from };

	lines_read(&reader);
	peak_add(&reader);
	free(reader.nodes);
	if (reader.snapshots > 1)
		import_warn(import, "snapshots beside the peak's are left out", NULL, 0);
	import_bias(import, "allocation");
	return import_finish(import, err);
}

static int massif_recognise(const void *head, size_t size)
{
	return memmem(head, size, "\nmem_heap_B=", 12) && memmem(head, size, "snapshot=", 9) ? 95 : 0;
}

const struct format massif_format = {
	.name = "massif",
	.summary = "massif's recordings of a heap, the peak's stacks",
	.recognise = massif_recognise,
	.read = massif_read,
};
