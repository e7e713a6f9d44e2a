/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes to stacks, samples to weights. Nodes are a list whose members name their children or their parent, or, before
 * Chrome 58, a tree in which they lie (protocol domain "Profiler" of the Chrome DevTools protocol, type Profile).
 *
 * V8 samples where its interrupts are checked only in interpreted code; compiled code is sampled by a signal, so no
 * bias is claimed. A sample counts once; the time to the next one is a second measure, for it is what V8's tools show.
 */
#include "format/v8.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/import.h"

#include <stdlib.h>

enum { NAME_LIMIT = IMPORT_NAME_LIMIT, NODE_LIMIT = 1 << 24, NS_PER_US = 1000 };

struct node { struct frame_id frame; uint32_t parent; int64_t id, hits; bool done; struct stack_id stack; };

struct v8_reader {
	struct import *import;
	struct thread_id thread;
	struct import_measure samples, time;
	struct node *nodes;                          /* [0] is none */
	size_t count, room;
	struct map *ids;
	struct text scratch, other;
};

int v8_is(struct json_value profile)
{
	return json_get(profile, "nodes").kind == JSON_ARRAY || json_get(profile, "head").kind == JSON_OBJECT;
}

/* Lines and columns are counted from 0 in "callFrame", from 1 in the older form. */
static struct frame_id frame_read(struct v8_reader *reader, struct json_value node)
{
	struct json_value call = json_get(node, "callFrame");
	bool old = call.kind != JSON_OBJECT;
	struct json_value from = old ? node : call;
	int64_t line = json_whole(json_get(from, "lineNumber"), -1) + !old;
	int64_t column = json_whole(json_get(from, "columnNumber"), -1) + !old;
	struct import_name name = { .function = import_name_whole(reader->import, json_decoded(json_get(from, "functionName"), &reader->scratch)),
				    .path = json_decoded(json_get(from, "url"), &reader->other),
				    .line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
				    .column = column > 0 && column < UINT32_MAX ? (uint32_t)column : 0 };

	if (!*name.function)
		name.function = "(anonymous)";
	return import_frame(reader->import, &name);
}

static uint32_t node_put(struct v8_reader *reader, struct json_value value, uint32_t parent)
{
	struct node node = { .frame = frame_read(reader, value), .parent = parent,
			     .id = json_whole(json_get(value, "id"), -1),
			     .hits = json_whole(json_get(value, "hitCount"), 0) };

	if (reader->count >= NODE_LIMIT)
		return 0;
	grow(reader->nodes, reader->count, reader->room);
	reader->nodes[reader->count] = node;
	*map_put(reader->ids, &node.id, NULL) = (uint32_t)reader->count;
	return (uint32_t)reader->count++;
}

/* As deep as JSON may nest. */
static void tree_read(struct v8_reader *reader, struct json_value value, uint32_t parent)
{
	uint32_t node = node_put(reader, value, parent);

	for (struct json_items items = json_items(json_get(value, "children")); node && json_next(&items);)
		if (items.value.kind == JSON_OBJECT)
			tree_read(reader, items.value, node);
}

static uint32_t node_of(const struct v8_reader *reader, struct json_value id)
{
	int64_t key = json_whole(id, -1);
	const uint32_t *node = map_find(reader->ids, &key);

	return node ? *node : 0;
}

static void list_read(struct v8_reader *reader, struct json_value list)
{
	uint32_t node = 1;

	for (struct json_items items = json_items(list); json_next(&items);)
		(void)node_put(reader, items.value, 0);
	for (struct json_items items = json_items(list); json_next(&items) && node < reader->count; node++) {
		uint32_t parent = node_of(reader, json_get(items.value, "parent"));

		if (parent)
			reader->nodes[node].parent = parent;
		for (struct json_items children = json_items(json_get(items.value, "children")); json_next(&children);) {
			uint32_t child = node_of(reader, children.value);

			if (child)
				reader->nodes[child].parent = node;
			else
				import_warn(reader->import, "a node's child does not exist", "node", node);
		}
	}
}

/* Up to a node whose stack is known, and back down; a circle ends after as many steps as there are nodes. */
static struct stack_id node_stack(struct v8_reader *reader, uint32_t index)
{
	uint32_t *path = NULL, at = index;
	size_t depth = 0, room = 0;
	struct stack_id stack;

	while (at && !reader->nodes[at].done) {
		reader->nodes[at].done = true;       /* also ends circles */
		grow(path, depth, room);
		path[depth++] = at;
		at = reader->nodes[at].parent;
	}
	stack = reader->nodes[at].stack;
	while (depth-- > 0) {
		struct node *node = &reader->nodes[path[depth]];

		stack = node->stack = import_stack(reader->import, stack, node->frame);
	}
	free(path);
	return stack;
}

static int64_t span(int64_t from_ns, int64_t to_ns)
{
	int64_t ns;

	return __builtin_sub_overflow(to_ns, from_ns, &ns) ? 0 : ns;
}

static void sample_add(struct v8_reader *reader, struct stack_id stack, uint64_t count, int64_t ns, uint64_t time_ns)
{
	struct import_sample sample = { .measure = reader->samples, .thread = reader->thread, .stack = stack,
					.count = count, .value = count, .time_ns = time_ns };

	import_sample(reader->import, &sample);
	sample.measure = reader->time;
	sample.more = true;
	sample.value = ns > 0 ? (uint64_t)ns : 0;
	if (sample.value)
		import_sample(reader->import, &sample);
}

struct v8_sample { int64_t time_ns; uint32_t node, order; };

static int compare_samples(const void *left, const void *right)
{
	const struct v8_sample *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* A clock that was set back, or records that came late. None lies before the start. */
static void samples_sort(struct v8_reader *reader, struct v8_sample *rows, size_t count, int64_t start_ns)
{
	size_t early = count;

	for (size_t i = 1; i < count && early == count; i++)
		if (rows[i].time_ns < rows[i - 1].time_ns)
			early = i;
	if (early == count)
		return;
	import_warn(reader->import, "time runs backwards: samples are put in the order of their times", "sample", early + 1);
	for (size_t i = 0; i < count; i++)
		rows[i].time_ns = rows[i].time_ns < start_ns ? start_ns : rows[i].time_ns;
	qsort(rows, count, sizeof(*rows), compare_samples);
}

static struct v8_sample *samples_take(struct v8_reader *reader, struct json_value profile, struct json_value samples,
				      size_t *ret_count)
{
	struct json_items nodes = json_items(samples), deltas = json_items(json_get(profile, "timeDeltas"));
	struct json_items stamps = json_items(json_get(profile, "timestamps"));
	struct v8_sample *rows = NULL;
	int64_t start_ns = 0, now_ns, delta;
	size_t count = 0, room = 0;

	(void)json_decimal(json_get(profile, "startTime"), 3, &start_ns);
	now_ns = start_ns;
	while (json_next(&nodes)) {
		uint32_t node = node_of(reader, nodes.value);

		if (json_next(&deltas) && json_decimal(deltas.value, 3, &delta) &&
		    __builtin_add_overflow(now_ns, delta, &now_ns))
			now_ns = 0;
		if (json_next(&stamps))
			(void)json_decimal(stamps.value, 3, &now_ns);
		if (!node)
			import_skipped(reader->import, "a sample's node does not exist", "sample", nodes.index);
		grow(rows, count, room);
		rows[count] = (struct v8_sample){ now_ns, node, (uint32_t)count };
		count++;
	}
	samples_sort(reader, rows, count, start_ns);
	*ret_count = count;
	return rows;
}

/* What a sample lasted is known from the next one. */
static void samples_read(struct v8_reader *reader, struct json_value profile, struct json_value samples)
{
	size_t count;
	struct v8_sample *rows = samples_take(reader, profile, samples, &count);
	int64_t end_ns = 0;

	if (json_decimal(json_get(profile, "endTime"), json_get(profile, "nodes").kind == JSON_ARRAY ? 3 : 9, &end_ns) && count &&
	    end_ns < rows[count - 1].time_ns)
		end_ns = rows[count - 1].time_ns;
	for (size_t i = 0; i < count; i++) {
		int64_t time_ns = rows[i].time_ns, until_ns = i + 1 < count ? rows[i + 1].time_ns : end_ns ? end_ns : time_ns;

		if (rows[i].node)
			sample_add(reader, node_stack(reader, rows[i].node), 1, span(time_ns, until_ns),
				   time_ns > 0 ? (uint64_t)time_ns : 0);
	}
	free(rows);
}

/* Profiles without a list of samples still say how often each node was hit. */
static void hits_read(struct v8_reader *reader)
{
	for (uint32_t i = 1; i < reader->count; i++)
		if (reader->nodes[i].hits > 0)
			sample_add(reader, node_stack(reader, i), (uint64_t)reader->nodes[i].hits, 0, 0);
}

void v8_read(struct import *import, struct json_value profile, struct thread_id thread)
{
	struct v8_reader reader = { .import = import, .thread = thread, .ids = map_new(sizeof(int64_t)),
				    .scratch = TEXT(NAME_LIMIT), .other = TEXT(NAME_LIMIT) };
	struct json_value samples = json_get(profile, "samples");

	reader.samples = import_measure(import, &(struct import_event){
		.name = "samples", .unit = "samples", .source = "v8", .meaning = "times the sampler found it" });
	reader.time = import_measure(import, &(struct import_event){
		.name = "time", .unit = "ns", .source = "v8", .meaning = "from a sample to the next one" });
	grow(reader.nodes, reader.count, reader.room);
	reader.nodes[reader.count++] = (struct node){ .done = true };
	if (json_get(profile, "head").kind == JSON_OBJECT)
		tree_read(&reader, json_get(profile, "head"), 0);
	else
		list_read(&reader, json_get(profile, "nodes"));
	if (json_count(samples))
		samples_read(&reader, profile, samples);
	else
		hits_read(&reader);
	map_free(reader.ids);
	free(reader.nodes);
	text_done(&reader.scratch);
	text_done(&reader.other);
}
