/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a profile is made of. Private to src/profile: everyone else reads it through profile.h.
 *
 * Every noun has one array that only grows, or pages, where rows of what ended go again. Dictionaries that deduplicate have a map from their key
 * to the row's index, those that can have millions of rows an index without the keys; these go at
 * the freeze, for from then on nothing is added.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct intern;
struct map;
struct pages;
struct row_index;

/* Limits of the tables that profile.h does not name: what a file or a kernel could make large. */
enum {
	PROFILE_STRING_LIMIT = 16 << 20,
	PROFILE_PROCESS_LIMIT = 4 << 20,
	PROFILE_FILE_LIMIT = 1 << 20,
	PROFILE_MAPPING_LIMIT = 8 << 20,
	PROFILE_OBJECT_LIMIT = 4 << 20,
	PROFILE_MEASURE_LIMIT = 4096,
	PROFILE_SLICE_LIMIT = 4 << 20,
	PROFILE_FACT_LIMIT = 64 << 20,
	PROFILE_SMALL_FACT_LIMIT = 4 << 20,
	PROFILE_SYMBOL_LIMIT = 32 << 20,
	PROFILE_META_LIMIT = 4096,
};

#define FOR_EACH_DICTIONARY(x)                                                                    \
	x(dimension) x(measure) x(slice) x(file) x(frame) x(object) x(evidence)
#define FOR_EACH_LIST(x)                                                                \
	x(cell) x(interval) x(link) x(request) x(part) x(completion) x(loss) x(own_cost) \
		x(guard_step) x(symbol)
#define FOR_EACH_PAGED(x) x(process) x(thread) x(mapping)
#define FOR_EACH_MAP(x) \
	x(file) x(object) x(evidence) x(completion) x(loss) x(own_cost)

struct meta_entry { struct string_id key; char *value; };

/* A stretch of one process' address space and the mapping that holds it; stretches of a process
 * never overlap. */
struct stretch { uint64_t start, end; uint32_t mapping; };
struct address_space { struct stretch *stretches; size_t count, room; uint32_t process; };

/* Of 64 rows: which have a parent that is not the row before, and how many such there are before the first. */
struct stack_block { uint64_t apart; uint32_t before; };
struct stacks {
	uint32_t *words;
	struct stack_block *blocks;
	uint32_t *parents;
	size_t count, room, block_count, block_room, parent_count, parent_room;
};

struct profile {
	struct intern *strings;
	struct stacks stacks;
#define TABLE(noun) struct noun *noun##_rows; size_t noun##_count, noun##_room;
	FOR_EACH_DICTIONARY(TABLE)
	FOR_EACH_LIST(TABLE)
#undef TABLE
#define PAGED(noun) struct pages *noun##_pages;
	FOR_EACH_PAGED(PAGED)
#undef PAGED
#define MAP(noun) struct map *noun##_ids;
	FOR_EACH_MAP(MAP)
#undef MAP
	struct row_index *process_index, *frame_index, *stack_index, *cell_index;
	struct meta_entry *metas;
	size_t meta_count, meta_room;
	/* of processes that have something mapped, in no order; space_ids says whose is where */
	struct address_space *spaces;
	struct map *space_ids;
	size_t space_count, space_room;
	/* per frame and one more: its first symbol; NULL until the freeze */
	uint32_t *symbol_first;
	uint32_t cell_slice;                         /* whose cells cell_index finds; see facts.c */
	/* slices came in no order: cell_index finds all cells */
	bool cells_mixed;
	/* rows of what ended go: somebody has stored them */
	bool forgets;
	bool frozen;
};

/* The keys of rows, without padding. */
struct process_key { uint32_t pid, generation; };
struct frame_key { uint64_t offset; uint32_t file, name, line, method, path, column; };
struct stack_key { uint32_t parent, frame, status; };
struct cell_key { uint32_t slice, thread, measure, evidence, stack, object, other, other_stack, p_log2_length_log2; };

static inline struct process_key process_key_of(const struct process *process)
{
	return (struct process_key){ process->pid, process->generation };
}

static inline struct frame_key frame_key_of(const struct frame *frame)
{
	return (struct frame_key){ frame->offset, frame->file.index, frame->name.index, frame->line,
				   frame->method, frame->path.index, frame->column };
}

static inline struct stack_key stack_key_of(const struct stack *stack)
{
	return (struct stack_key){ stack->parent.index, stack->frame.index, stack->status };
}

static inline struct cell_key cell_key_of(const struct cell *cell)
{
	return (struct cell_key){ cell->slice.index,
				  cell->thread.index,
				  cell->measure.index,
				  cell->evidence.index,
				  cell->stack.index,
				  cell->object.index,
				  cell->other.index,
				  cell->other_stack.index,
				  (uint32_t)cell->p_log2 << 8 | cell->length_log2 };
}

/* Appends a row and returns its index. */
#define append(profile, noun, row)                                                              \
	({                                                                                      \
		grow((profile)->noun##_rows, (profile)->noun##_count, (profile)->noun##_room);   \
		(profile)->noun##_rows[(profile)->noun##_count] = (row);                         \
		(uint32_t)(profile)->noun##_count++;                                             \
	})

/* Counts one thing that no longer fitted, in the newest slice. */
void profile_count_limit(struct profile *profile);
/* Whether a table has room for one more; counts a loss where it has not. */
bool profile_has_room(struct profile *profile, size_t count, size_t limit);

/* Of processes, threads and mappings, with their rows 0. */
void profile_make_pages(struct profile *profile);
void address_space_map(struct profile *profile, struct process_id process, uint32_t mapping);
/* Of processes whose rows went. */
void mappings_forget(struct profile *profile);
/* Row 0, and the index that finds those that lie apart from their parent. */
struct row_index *stacks_make(struct stacks *stacks);
void stacks_done(struct stacks *stacks);
void symbols_index(struct profile *profile);
