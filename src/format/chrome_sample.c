/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and their tree of frames. A sample weighs what it says: how often it was seen, not the time to the next one. */
#include "format/chrome_sample.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/chrome_thread.h"
#include "format/import.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = IMPORT_NAME_LIMIT };

/* parent: the profile's string of its key. The stack is found once, however many samples end there. */
struct tree_frame { uint32_t parent; struct frame_id frame; enum { STACK_UNKNOWN, STACK_SOUGHT, STACK_FOUND } known;
		    struct stack_id stack; };

struct tree {
	struct import *import;
	struct map *ids;                             /* by the profile's string of a key */
	struct tree_frame *frames;
	size_t count;
	struct tree_frame **path;                    /* leaf first */
	size_t path_room;
	struct text scratch;
};

void chrome_samples_keep(struct chrome_samples *samples, const char *key, struct json_value value, size_t end)
{
	bool frames = !strcmp(key, "stackFrames");
	char **text = frames ? &samples->frames : &samples->samples;

	free(*text);
	*text = xmalloc(end - value.offset + 1);
	memcpy(*text, value.json->text + value.offset, end - value.offset);
	*(frames ? &samples->frames_size : &samples->samples_size) = end - value.offset;
}

void chrome_samples_done(struct chrome_samples *samples)
{
	free(samples->frames);
	free(samples->samples);
}

/* Keys of the tree are strings; what refers to them may be a number. */
static uint32_t key_of(struct tree *tree, struct json_value id)
{
	if (id.kind != JSON_NUMBER && id.kind != JSON_STRING)
		return 0;
	return profile_string(import_profile(tree->import), json_decoded(id, &tree->scratch)).index;
}

static void frames_read(struct tree *tree, struct json_value object)
{
	struct json_items items = json_items(object);

	tree->frames = xcalloc(json_count(object) + 1, sizeof(*tree->frames));
	while (object.kind == JSON_OBJECT && json_next(&items)) {
		const char *function = json_decoded(json_get(items.value, "name"), &tree->scratch);
		struct import_name name = { .function = import_name_whole(tree->import, function),
					    .line = (uint32_t)json_whole(json_get(items.value, "line"), 0) };
		uint32_t key;

		tree->frames[tree->count].frame = import_frame(tree->import, &name);
		tree->frames[tree->count++].parent = key_of(tree, json_get(items.value, "parent"));
		key = key_of(tree, items.key);
		*map_put(tree->ids, &key, NULL) = (uint32_t)tree->count;
	}
}

static struct tree_frame *frame_of(struct tree *tree, uint32_t key)
{
	const uint32_t *slot = key ? map_find(tree->ids, &key) : NULL;

	return slot && *slot ? &tree->frames[*slot - 1] : NULL;
}

/* Up to a root or to a frame whose stack is known, and back down. A tree that leads round in a circle is cut where it closes. */
static struct stack_id stack_read(struct tree *tree, struct json_value id)
{
	struct tree_frame *at = frame_of(tree, key_of(tree, id));
	struct stack_id stack = { 0 };
	size_t depth = 0;

	for (; at && at->known == STACK_UNKNOWN; at = frame_of(tree, at->parent)) {
		at->known = STACK_SOUGHT;
		grow(tree->path, depth, tree->path_room);
		tree->path[depth++] = at;
	}
	if (at && at->known == STACK_SOUGHT)
		import_warn(tree->import, "frames call each other in a circle, which is cut", NULL, 0);
	else if (at)
		stack = at->stack;
	while (depth-- > 0) {
		at = tree->path[depth];
		stack = at->stack = import_stack(tree->import, stack, at->frame);
		at->known = STACK_FOUND;
	}
	return stack;
}

static void sample_read(struct tree *tree, struct chrome_threads *threads, struct json_value value, size_t index)
{
	struct import_event event = { .name = "samples", .unit = "samples", .source = "chrome",
				      .meaning = "times the sampler found it" };
	struct import_sample sample = { .thread = chrome_thread(threads, value), .count = 1, .value = 1 };
	int64_t number;

	if (json_decimal(json_get(value, "weight"), 0, &number) && number >= 0)
		sample.value = (uint64_t)number;
	if (json_decimal(json_get(value, "ts"), 3, &number) && number > 0)
		sample.time_ns = (uint64_t)number;
	sample.stack = stack_read(tree, json_get(value, "sf"));
	if (!sample.stack.index)
		import_warn(tree->import, "a sample's frame does not exist", "sample", index);
	sample.measure = import_measure(tree->import, &event);
	import_sample(tree->import, &sample);
}

void chrome_samples_read(struct chrome_samples *samples, struct import *import, struct chrome_threads *threads)
{
	struct tree tree = { .import = import, .ids = map_new(sizeof(uint32_t)), .scratch = TEXT(NAME_LIMIT) };
	struct json frames = json_of(samples->frames, samples->frames_size);
	struct json rows = json_of(samples->samples, samples->samples_size);
	struct json_value value;
	struct error unused;
	size_t at = 0;

	if (samples->frames && !json_parse(&frames, &at, &value, &unused))
		frames_read(&tree, value);
	at = 0;
	if (samples->samples && !json_parse(&rows, &at, &value, &unused) && value.kind == JSON_ARRAY)
		for (struct json_items items = json_items(value); json_next(&items);)
			sample_read(&tree, threads, items.value, items.index);
	json_done(&frames);
	json_done(&rows);
	map_free(tree.ids);
	free(tree.frames);
	free(tree.path);
	text_done(&tree.scratch);
}
