/* SPDX-License-Identifier: Apache-2.0 */
/* Cells to weights, and frames to names, each once. */
#include "format/flat.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>

enum { NAME_LIMIT = 4096 };

static void weights_gather(struct flat *flat)
{
	CLEANUP(map) struct map *known = map_new(3 * sizeof(uint32_t));
	const struct profile *profile = flat->choice.profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct flat_weight row = { cell->thread, choice_stack(&flat->choice, cell), 0, 0,
					   flat->functions ? (struct slice_id){ 0 } : cell->slice };
		uint32_t key[3] = { row.thread.index, row.stack.index, row.slice.index }, *index;
		bool added;

		if (!choice_has(&flat->choice, cell) || !cell->value)
			continue;
		index = map_put(known, key, &added);
		if (added) {
			*index = (uint32_t)flat->weight_count;
			grow(flat->weights, flat->weight_count, flat->weight_room);
			flat->weights[flat->weight_count++] = row;
		}
		flat->weights[*index].count += cell->count;
		flat->weights[*index].weight += choice_weight(cell);
		if (flat->weights[*index].weight > INT64_MAX)        /* where readers end */
			flat->weights[*index].weight = INT64_MAX;
	}
}

static uint32_t thread_of(const struct flat_weight *row, const uint32_t *ranks)
{
	(void)ranks;
	return row->thread.index;
}

static uint32_t slice_of(const struct flat_weight *row, const uint32_t *ranks) { return ranks[row->slice.index]; }

static int by_start(const void *left, const void *right, void *profile)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t a_ns = profile_slice_at(profile, a)->start_ns, b_ns = profile_slice_at(profile, b)->start_ns;

	return a_ns != b_ns ? (a_ns < b_ns ? -1 : 1) : a < b ? -1 : a > b;
}

/* The place in time of each slice: records out of order have made them as they came. */
static uint32_t *slice_ranks(const struct profile *profile)
{
	size_t count = profile_slice_count(profile);
	uint32_t *order = xcalloc(count, sizeof(*order)), *ranks = xcalloc(count, sizeof(*ranks));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (count > 1)
		qsort_r(order + 1, count - 1, sizeof(*order), by_start, (void *)(uintptr_t)profile);
	for (uint32_t i = 0; i < count; i++)
		ranks[order[i]] = i;
	free(order);
	return ranks;
}

/* Stable: counting sort by a number below count. */
static void weights_order(struct flat *flat, size_t count, uint32_t (*number)(const struct flat_weight *row, const uint32_t *ranks),
			  const uint32_t *ranks)
{
	size_t *starts = xcalloc(count + 1, sizeof(*starts));
	struct flat_weight *ordered = xcalloc(flat->weight_count + 1, sizeof(*ordered));

	for (size_t i = 0; i < flat->weight_count; i++)
		starts[number(&flat->weights[i], ranks) + 1]++;
	for (size_t i = 1; i <= count; i++)
		starts[i] += starts[i - 1];
	for (size_t i = 0; i < flat->weight_count; i++)
		ordered[starts[number(&flat->weights[i], ranks)]++] = flat->weights[i];
	free(flat->weights);
	free(starts);
	flat->weights = ordered;
}

int flat_make(const struct profile *profile, const struct format_options *options, enum flat_frames frames,
	      struct flat *ret, struct error *err)
{
	struct flat flat = { .functions = frames == FLAT_FUNCTIONS };
	int r = choice_make(profile, options, &flat.choice, err);
	uint32_t *ranks;

	*ret = (struct flat){ 0 };
	if (r < 0)
		return r;
	flat.texts = intern_new();
	flat.known = map_new(4 * sizeof(uint32_t));
	weights_gather(&flat);
	ranks = slice_ranks(profile);
	weights_order(&flat, profile_slice_count(profile), slice_of, ranks);
	weights_order(&flat, profile_thread_count(profile), thread_of, NULL);
	free(ranks);
	*ret = flat;
	return 0;
}

void flat_done(struct flat *flat)
{
	intern_free(flat->texts);
	map_free(flat->known);
	free(flat->weights);
	free(flat->frames);
	free(flat->path.frames);
	free(flat->stack);
}

size_t flat_thread_end(const struct flat *flat, size_t from)
{
	size_t end = from;

	while (end < flat->weight_count && thread_is(flat->weights[end].thread, flat->weights[from].thread))
		end++;
	return end;
}

static uint32_t frame_put(struct flat *flat, const char *name, const char *path, uint32_t line, uint32_t inlined,
			  struct frame_id frame)
{
	uint32_t key[4] = { intern_put(flat->texts, name), intern_put(flat->texts, path) }, *index;
	bool added;

	if (!flat->functions) {
		key[2] = line;
		key[3] = frame.index;
	}
	index = map_put(flat->known, key, &added);
	if (added) {
		*index = (uint32_t)flat->frame_count;
		grow(flat->frames, flat->frame_count, flat->frame_room);
		flat->frames[flat->frame_count++] = (struct flat_frame){
			intern_text(flat->texts, key[0]), intern_text(flat->texts, key[1]), line, inlined, frame };
	}
	return *index;
}

uint32_t flat_named(struct flat *flat, const char *name)
{
	return frame_put(flat, name, "", 0, 0, (struct frame_id){ 0 });
}

static void stack_append(struct flat *flat, uint32_t frame)
{
	grow(flat->stack, flat->stack_count, flat->stack_room);
	flat->stack[flat->stack_count++] = frame;
}

/* Outermost call first, as a stack from its root goes. */
static void frame_flatten(struct flat *flat, struct frame_id id)
{
	const struct profile *profile = flat->choice.profile;
	const struct frame *frame = profile_frame_at(profile, id.index);
	const char *path = profile_text(profile, frame->path.index
							 ? frame->path
							 : profile_file_at(profile, frame->file.index)->path);
	char name[NAME_LIMIT];
	size_t symbol_count;
	uint32_t depth = 0;
	const struct symbol *symbols = profile_frame_symbols(profile, id, &symbol_count);

	if (!symbol_count)
		stack_append(flat, frame_put(flat, choice_frame_name(profile, id, name, sizeof(name)), path, frame->line, 0, id));
	while (symbol_count-- > 0) {
		const struct symbol *symbol = &symbols[symbol_count];
		const char *text = profile_text(profile, symbol->name);

		if (!*text)
			text = choice_frame_name(profile, id, name, sizeof(name));
		stack_append(flat, frame_put(flat, text, profile_text(profile, symbol->path), symbol->line, depth++, id));
	}
}

size_t flat_stack(struct flat *flat, struct stack_id stack, const uint32_t **ret_frames)
{
	const char *cause = choice_cause(&flat->choice, stack);

	flat->stack_count = 0;
	if (cause)
		stack_append(flat, flat_named(flat, cause));
	choice_frames(&flat->choice, stack, &flat->path);
	for (size_t left = flat->path.count; left-- > 0;)
		frame_flatten(flat, flat->path.frames[left]);
	*ret_frames = flat->stack;
	return flat->stack_count;
}
