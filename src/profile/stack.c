/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks, of which a capture has by far the most rows. Most of them go on where one that is new as well ended, so that a row
 * lies behind its parent's: of such a one a word says all, and the index need not find it. Only of the others the parents are
 * kept, one after the other; how many there are before a row tells where its own lies.
 */
#include "base/memory.h"
#include "base/row_index.h"
#include "profile/storage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_BITS = 23, STATUS_BITS = 4, FOLLOWS = 1 << (FRAME_BITS + STATUS_BITS), BLOCK_ROWS = 64 };

_Static_assert(PROFILE_FRAME_LIMIT <= 1 << FRAME_BITS && STACK_STATUS_COUNT <= 1 << STATUS_BITS, "a word holds them");

static uint32_t word_of(struct frame_id frame, enum stack_status status)
{
	return frame.index | (uint32_t)status << FRAME_BITS;
}

static bool follows(const struct stacks *stacks, uint32_t row)
{
	return stacks->words[row] & FOLLOWS;
}

static struct stack_id parent_of(const struct stacks *stacks, uint32_t row)
{
	const struct stack_block *block = &stacks->blocks[row / BLOCK_ROWS];
	uint64_t before = block->apart & ((1ull << row % BLOCK_ROWS) - 1);

	if (follows(stacks, row))
		return (struct stack_id){ row - 1 };
	return (struct stack_id){ stacks->parents[block->before + (uint32_t)__builtin_popcountll(before)] };
}

static struct stack stacks_at(const struct stacks *stacks, uint32_t row)
{
	uint32_t word = stacks->words[row];

	return (struct stack){ .parent = parent_of(stacks, row),
			       .frame = { word & ((1u << FRAME_BITS) - 1) },
			       .status = word >> FRAME_BITS & ((1u << STATUS_BITS) - 1) };
}

static uint32_t add(struct stacks *stacks, struct stack_id parent, uint32_t word)
{
	uint32_t row = (uint32_t)stacks->count;

	if (row % BLOCK_ROWS == 0) {
		grow(stacks->blocks, stacks->block_count, stacks->block_room);
		stacks->blocks[stacks->block_count++] = (struct stack_block){ .before = (uint32_t)stacks->parent_count };
	}
	if (parent.index + 1 == row) {
		word |= FOLLOWS;
	} else {
		grow(stacks->parents, stacks->parent_count, stacks->parent_room);
		stacks->parents[stacks->parent_count++] = parent.index;
		stacks->blocks[row / BLOCK_ROWS].apart |= 1ull << row % BLOCK_ROWS;
	}
	grow(stacks->words, stacks->count, stacks->room);
	stacks->words[stacks->count++] = word;
	return row;
}

static void key_of(const void *rows, uint32_t row, void *ret)
{
	const struct stack stack = stacks_at(rows, row);
	const struct stack_key key = stack_key_of(&stack);

	memcpy(ret, &key, sizeof(key));
}

static bool is_elsewhere(const void *rows, uint32_t row)
{
	return follows(rows, row);
}

struct row_index *stacks_make(struct stacks *stacks)
{
	(void)add(stacks, (struct stack_id){ 0 }, 0);
	return row_index_new(&(struct row_index_options){
		.key_size = sizeof(struct stack_key), .key_of = key_of, .is_elsewhere = is_elsewhere });
}

void stacks_done(struct stacks *stacks)
{
	free(stacks->words);
	free(stacks->blocks);
	free(stacks->parents);
}

/* 0 where there is none. Nothing is above the newest. */
static uint32_t find(const struct profile *profile, const struct stack *stack)
{
	uint32_t next = stack->parent.index + 1, id;
	struct stack_key key = stack_key_of(stack);

	if (next == profile->stacks.count)
		return 0;
	if (profile->stacks.words[next] == (word_of(stack->frame, stack->status) | FOLLOWS))
		return next;
	id = row_index_find(profile->stack_index, &profile->stacks, &key);
	return id == ROW_NONE ? 0 : id;
}

struct stack_id profile_stack(struct profile *profile, struct stack_id parent,
			      struct frame_id frame, enum stack_status status)
{
	struct stack stack = { parent, frame, status };
	struct stacks *stacks = &profile->stacks;
	uint32_t id;

	assert(parent.index < stacks->count && frame.index < profile->frame_count && status < STACK_STATUS_COUNT);
	id = find(profile, &stack);
	if (!id && profile_has_room(profile, stacks->count, PROFILE_STACK_LIMIT)) {
		id = add(stacks, parent, word_of(frame, status));
		if (!follows(stacks, id))
			row_index_add(profile->stack_index, stacks, id);
	}
	return (struct stack_id){ id };
}

size_t profile_stack_count(const struct profile *profile)
{
	return profile->stacks.count;
}

struct stack profile_stack_at(const struct profile *profile, size_t index)
{
	assert(index < profile->stacks.count);
	return stacks_at(&profile->stacks, (uint32_t)index);
}
