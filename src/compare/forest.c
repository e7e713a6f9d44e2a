/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node is found by its parent and name through one index. Within a walk each of the capture's stacks is looked up once per
 * root that it hangs from, since the stacks themselves are a tree: a million stacks cost a million look-ups, not their depths.
 */
#include "compare/forest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis/naming.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/row_index.h"
#include "base/text.h"
#include "compare/canonical.h"
#include "profile/profile.h"

enum { NAME_SIZE = 1024, MARK = 0x1f };      /* between function and module: no name holds this byte */

struct node { uint32_t parent, root, name; };

struct forest {
	struct node *nodes;
	size_t count, room;
	struct row_index *index;             /* by parent and name */
	struct intern *names, *shown;        /* with and without the module */
};

static void node_key(const void *rows, uint32_t row, void *ret)
{
	const struct node *node = (const struct node *)rows + row;
	const uint32_t key[2] = { node->parent, node->name };

	memcpy(ret, key, sizeof(key));
}

struct forest *forest_new(void)
{
	struct forest *forest = xcalloc(1, sizeof(*forest));

	forest->index = row_index_new(&(struct row_index_options){
		.key_size = 2 * sizeof(uint32_t), .key_of = node_key });
	forest->names = intern_new();
	forest->shown = intern_new();
	grow(forest->nodes, forest->count, forest->room);
	forest->nodes[forest->count++] = (struct node){ 0 };
	return forest;
}

void forest_free(struct forest *forest)
{
	if (!forest)
		return;
	free(forest->nodes);
	row_index_free(forest->index);
	intern_free(forest->names);
	intern_free(forest->shown);
	free(forest);
}

/* Beyond the limit a path ends where it is: its weight stays in the sums. */
static uint32_t child_of(struct forest *forest, uint32_t parent, uint32_t name)
{
	const uint32_t key[2] = { parent, name };
	uint32_t node = row_index_find(forest->index, forest->nodes, key);

	if (node != ROW_NONE)
		return node;
	if (forest->count >= FOREST_NODE_LIMIT)
		return parent;
	node = (uint32_t)forest->count;
	grow(forest->nodes, forest->count, forest->room);
	forest->nodes[forest->count++] =
		(struct node){ .parent = parent, .name = name, .root = parent ? forest->nodes[parent].root : node };
	row_index_add(forest->index, forest->nodes, node);
	return node;
}

/* --- Walking one capture -------------------------------------------------------------------------------------------------- */

struct hanging { uint32_t root; uint32_t *nodes; };                  /* by stack; 0: not walked yet */
struct canonical_names { uint32_t first, count; };                   /* of a frame, in spread */

struct forest_walk {
	struct forest *forest;
	const struct profile *profile;
	struct naming *naming;
	struct canonical_names *frames;
	uint32_t *spread;
	size_t spread_count, spread_room;
	struct hanging *hangings;
	size_t hanging_count, hanging_room;
	bool *programs;                      /* by file: a process' executable */
	struct forest_weights weights;       /* in no order yet */
	uint32_t *weight_of;                 /* by node: its row there plus 1; most nodes have none */
	size_t weight_room;
};

static void find_programs(struct forest_walk *walk)
{
	const struct profile *profile = walk->profile;
	CLEANUP(map) struct map *executables = map_new(sizeof(uint32_t));

	for (size_t i = 1; i < profile_process_count(profile); i++) {
		uint32_t path = profile_process_at(profile, i)->executable.index;

		if (path)
			*map_put(executables, &path, NULL) = 1;
	}
	for (size_t i = 1; i < profile_file_count(profile); i++) {
		uint32_t path = profile_file_at(profile, i)->path.index;

		walk->programs[i] = path && map_find(executables, &path);
	}
}

struct forest_walk *forest_walk_new(struct forest *forest, const struct profile *profile)
{
	struct forest_walk *walk = xcalloc(1, sizeof(*walk));

	walk->forest = forest;
	walk->profile = profile;
	walk->naming = naming_new(profile);
	walk->frames = xcalloc(profile_frame_count(profile), sizeof(*walk->frames));
	walk->programs = xcalloc(profile_file_count(profile), sizeof(*walk->programs));
	find_programs(walk);
	return walk;
}

static void spread_name(struct forest_walk *walk, const char *function, const char *module)
{
	char name[NAME_SIZE], text[2 * NAME_SIZE];

	(void)canonical_function(function, name, sizeof(name));
	if (*module && *name != '[')
		(void)snprintf(text, sizeof(text), "%s%c%s", name, MARK, module);
	else
		(void)snprintf(text, sizeof(text), "%s", name);
	grow(walk->spread, walk->spread_count, walk->spread_room);
	walk->spread[walk->spread_count++] = intern_put(walk->forest->names, text);
}

static struct canonical_names names_of(struct forest_walk *walk, struct frame_id frame)
{
	struct canonical_names *names = &walk->frames[frame.index];
	const struct frame *row = profile_frame_at(walk->profile, frame.index);
	const struct file *file = profile_file_at(walk->profile, row->file.index);
	char module[NAME_SIZE] = "";
	const uint32_t *found;
	size_t count;

	if (names->count)
		return *names;
	if (row->file.index && !walk->programs[row->file.index])
		(void)canonical_module(profile_text(walk->profile, file->path), module, sizeof(module));
	found = naming_frame(walk->naming, frame, &count);
	names->first = (uint32_t)walk->spread_count;
	for (size_t i = 0; i < count; i++)
		spread_name(walk, naming_text(walk->naming, found[i]), module);
	names->count = (uint32_t)count;
	return *names;
}

static uint32_t *nodes_below(struct forest_walk *walk, uint32_t root)
{
	for (size_t i = 0; i < walk->hanging_count; i++)
		if (walk->hangings[i].root == root)
			return walk->hangings[i].nodes;
	grow(walk->hangings, walk->hanging_count, walk->hanging_room);
	walk->hangings[walk->hanging_count] = (struct hanging){
		.root = root, .nodes = xcalloc(profile_stack_count(walk->profile), sizeof(uint32_t)),
	};
	return walk->hangings[walk->hanging_count++].nodes;
}

/* Up to the nearest caller that was walked before, then down again. */
static uint32_t walk_stack(struct forest_walk *walk, uint32_t root, struct stack_id stack)
{
	uint32_t *nodes = nodes_below(walk, root), path[NAMING_DEPTH_LIMIT], node = root;
	size_t depth = 0;

	while (stack.index && !nodes[stack.index] && depth < NAMING_DEPTH_LIMIT) {
		path[depth++] = stack.index;
		stack = profile_stack_at(walk->profile, stack.index).parent;
	}
	if (stack.index && nodes[stack.index])
		node = nodes[stack.index];
	while (depth) {
		struct stack row = profile_stack_at(walk->profile, path[--depth]);
		struct canonical_names names = names_of(walk, row.frame);

		for (uint32_t i = 0; i < names.count; i++)
			node = child_of(walk->forest, node, walk->spread[names.first + i]);
		nodes[path[depth]] = node;
	}
	return node;
}

static void make_room(struct forest_walk *walk, uint32_t node)
{
	size_t room = walk->weight_room, wider = walk->forest->count + walk->forest->count / 2 + 64;

	if (node < room)
		return;
	walk->weight_of = xreallocarray(walk->weight_of, wider, sizeof(uint32_t));
	memset(walk->weight_of + room, 0, (wider - room) * sizeof(uint32_t));
	walk->weight_room = wider;
}

static struct forest_weight *weight_of(struct forest_walk *walk, uint32_t node)
{
	struct forest_weights *weights = &walk->weights;

	make_room(walk, node);
	if (!walk->weight_of[node]) {
		grow(weights->rows, weights->count, weights->room);
		weights->rows[weights->count++] = (struct forest_weight){ .node = node };
		walk->weight_of[node] = (uint32_t)weights->count;
	}
	return &weights->rows[walk->weight_of[node] - 1];
}

/* The node of the function that the leaf was compiled into: above what was inlined there. */
static uint32_t compiled_node(struct forest_walk *walk, uint32_t node, struct stack_id stack)
{
	struct canonical_names names = { 0 };

	if (stack.index)
		names = names_of(walk, profile_stack_at(walk->profile, stack.index).frame);
	for (uint32_t i = 1; i < names.count; i++)
		node = walk->forest->nodes[node].parent;
	return node;
}

void forest_walk_add(struct forest_walk *walk, const char *root, struct stack_id stack, double weight, double events)
{
	uint32_t node = child_of(walk->forest, FOREST_NONE, intern_put(walk->forest->names, root));
	const char *cause = naming_cause(walk->naming, stack);
	struct forest_weight *own;

	if (cause)
		node = child_of(walk->forest, node, intern_put(walk->forest->names, cause));
	node = walk_stack(walk, node, stack);
	own = weight_of(walk, node);
	own->weight += weight;
	own->events += events;
	weight_of(walk, compiled_node(walk, node, stack))->compiled += weight;
}

/* By node; what weighs nothing is left out. */
static struct forest_weights in_order(const struct forest_walk *walk)
{
	struct forest_weights weights = { .rows = xcalloc(walk->weights.count + 1, sizeof(*weights.rows)) };

	weights.room = walk->weights.count + 1;
	for (size_t node = 0; node < walk->weight_room; node++) {
		const struct forest_weight *row = walk->weight_of[node] ? &walk->weights.rows[walk->weight_of[node] - 1] : NULL;

		if (row && (row->weight != 0 || row->events != 0 || row->compiled != 0))
			weights.rows[weights.count++] = *row;
	}
	return weights;
}

void forest_walk_end(struct forest_walk *walk, struct forest_weights *ret)
{
	*ret = in_order(walk);
	for (size_t i = 0; i < walk->hanging_count; i++)
		free(walk->hangings[i].nodes);
	free(walk->hangings);
	free(walk->frames);
	free(walk->spread);
	free(walk->programs);
	free(walk->weights.rows);
	free(walk->weight_of);
	naming_free(walk->naming);
	free(walk);
}

/* --- Reading -------------------------------------------------------------------------------------------------------------- */

size_t forest_count(const struct forest *forest)
{
	return forest->count;
}

uint32_t forest_parent(const struct forest *forest, uint32_t node)
{
	return forest->nodes[node].parent;
}

uint32_t forest_root(const struct forest *forest, uint32_t node)
{
	return forest->nodes[node].root;
}

uint32_t forest_name(const struct forest *forest, uint32_t node)
{
	return forest->nodes[node].name;
}

size_t forest_name_count(const struct forest *forest)
{
	return intern_count(forest->names);
}

/* The module is for matching only: it is cut off for people. */
const char *forest_text(const struct forest *forest, uint32_t name)
{
	const char *text = intern_text(forest->names, name), *mark = strchr(text, MARK);

	return mark ? intern_text(forest->shown, intern_put_size(forest->shown, text, (size_t)(mark - text))) : text;
}

uint32_t forest_module(const struct forest *forest, uint32_t name)
{
	const char *text = intern_text(forest->names, name), *mark = strchr(text, MARK);

	return *text == '[' ? FOREST_NO_MODULE : intern_put(forest->shown, mark ? mark + 1 : "");
}

size_t forest_text_count(const struct forest *forest)
{
	return intern_count(forest->shown);
}

char *forest_line(const struct forest *forest, uint32_t node, size_t most)
{
	struct text line = TEXT(64 * 1024);
	size_t count = 0;

	for (; node && forest->nodes[node].parent; node = forest->nodes[node].parent) {
		if (count++ >= most)
			continue;
		text_print(&line, "%s%s", count > 1 ? " < " : "", forest_text(forest, forest->nodes[node].name));
	}
	if (count > most)
		text_print(&line, " < … %zu more", count - most);
	return text_take(&line);
}

static void sum_inclusive(const struct forest *forest, double *sums)
{
	for (size_t i = forest->count; i-- > 1;)
		sums[forest->nodes[i].parent] += sums[i];
}

void forest_sum(const struct forest *forest, const struct forest_weights *weights, double scale, double *sums)
{
	for (size_t i = 0; i < weights->count; i++)
		sums[weights->rows[i].node] += scale * weights->rows[i].weight;
	sum_inclusive(forest, sums);
}

void forest_sum_events(const struct forest *forest, const struct forest_weights *weights, double *sums)
{
	for (size_t i = 0; i < weights->count; i++)
		sums[weights->rows[i].node] += weights->rows[i].events;
	sum_inclusive(forest, sums);
}
