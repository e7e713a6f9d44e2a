/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From addresses and how they were found to stacks of the profile: the file that each lies in, an interpreter's frames in
 * place of its evaluator's, the kernel's part on top of the user's.
 */
#include "probe/decoder_state.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/number_map.h"
#include "base/young_map.h"
#include "probe/merge.h"
#include "probe/space.h"
#include "unwind/row.h"

#include <string.h>

/* Processes that come and go would fill any map, since each has addresses of its own: when the younger half is full, the older
 * one is forgotten. Who is asked for moves to the younger. */
static void put_young(struct number_map *halves[2], size_t limit, uint64_t id, uint32_t stack)
{
	if (!id)                                        /* on the wire that is none */
		return;
	if (number_map_count(halves[0]) >= limit) {
		struct number_map *older = halves[1];

		halves[1] = halves[0];
		halves[0] = older;
		number_map_clear(older);
	}
	number_map_put(halves[0], id, stack);
}

struct stack_id decoder_stack_of(struct decoder *decoder, uint64_t id)
{
	const uint32_t *stack = number_map_find(decoder->stacks[0], id);

	if (stack)
		return (struct stack_id){ *stack };
	stack = number_map_find(decoder->stacks[1], id);
	if (stack) {
		struct stack_id found = { *stack };

		put_young(decoder->stacks, KNOWN_STACK_LIMIT, id, found.index);
		return found;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(decoder->copied) && !stack; i++)
		stack = number_map_find(decoder->copied[i], id);
	return (struct stack_id){ stack ? *stack : 0 };
}

/* Joined stacks can be made again: they are forgotten all at once. */
static void put_joined(struct decoder *decoder, const struct stack_pair *pair, struct stack_id stack)
{
	if (map_count(decoder->joined) >= JOINED_STACK_LIMIT)
		map_clear(decoder->joined);
	*map_put(decoder->joined, pair, NULL) = stack.index;
}

struct stack_id decoder_stack(struct decoder *decoder, uint64_t user, uint64_t kernel)
{
	struct stack_pair pair = { user, kernel };
	struct stack_id below = decoder_stack_of(decoder, user), top = decoder_stack_of(decoder, kernel), frames[WIRE_STACK_DEPTH];
	enum stack_status status;
	size_t depth = 0;
	uint32_t *joined;

	if (!top.index)
		return below;
	if (!below.index && !user)              /* it has none: a thread of the kernel's, or one that exits */
		return top;
	joined = map_find(decoder->joined, &pair);
	if (joined)
		return (struct stack_id){ *joined };
	for (; top.index && depth < WIRE_STACK_DEPTH; depth++) {
		frames[depth] = top;
		top = profile_stack_at(decoder->profile, top.index).parent;
	}
	/* The user's part decides, which may have been lost on its way: the kernel's is its own. */
	status = below.index ? profile_stack_at(decoder->profile, below.index).status : STACK_FAILED;
	while (depth--)
		below = profile_stack(decoder->profile, below, profile_stack_at(decoder->profile, frames[depth].index).frame, status);
	if (number_map_find(decoder->stacks[0], user))        /* one that was copied has an id that comes once */
		put_joined(decoder, &pair, below);
	return below;
}

static struct frame_id user_frame(struct decoder *decoder, uint32_t pid, uint64_t address, enum frame_method method)
{
	struct space_mapping *mapping = spaces_find(decoder->spaces, pid, address);
	const uint32_t *process;

	if (!mapping)                           /* one frame for all: a wild pointer must not make a million of them */
		return profile_frame(decoder->profile, (struct frame){ .file = decoder->unmapped, .method = method });
	process = map_find(decoder->processes, &pid);
	if (!mapping->recorded && process) {
		mapping->recorded = true;
		profile_mapping(decoder->profile, (struct mapping){
			.process = { *process }, .file = mapping->file, .start = mapping->start, .end = mapping->end,
			.offset = mapping->offset });
	}
	return profile_frame(decoder->profile, (struct frame){
		.file = mapping->file, .offset = address - mapping->start + mapping->offset, .method = method });
}

/* The walk runs inside our own programs: what they put on top of the stack is not the thread's. */
static bool is_machinery(const char *name)
{
	static const char *const prefixes[] = { "bpf_prog_", "bpf_trace_run", "__bpf_trace", "__traceiter_", "bpf_get_stack",
						"__bpf_get_stack", "bpf_trampoline_", "__probestub_" };

	for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* The words of the walk → those of the profile. A walk whose method or status nobody knows was no walk of ours. */
static const enum stack_status statuses[UNWIND_STATUS_COUNT] = {
	[UNWIND_GOES_ON] = STACK_FAILED, [UNWIND_COMPLETE] = STACK_COMPLETE, [UNWIND_TRUNCATED] = STACK_TRUNCATED,
	[UNWIND_NO_MAPPING] = STACK_NO_MAPPING, [UNWIND_NO_TABLE] = STACK_NO_TABLE, [UNWIND_NO_ROW] = STACK_NO_ROW,
	[UNWIND_UNSUPPORTED_ROW] = STACK_UNSUPPORTED_ROW, [UNWIND_FAULT] = STACK_FAULT, [UNWIND_STUCK] = STACK_STUCK,
	[UNWIND_ZERO_PC] = STACK_ZERO_PC, [UNWIND_NO_PROCESS] = STACK_NO_PROCESS, [UNWIND_COMPATIBLE] = STACK_COMPATIBLE,
};
static const enum frame_method methods[UNWIND_METHOD_COUNT] = {
	[UNWIND_BY_NOTHING] = METHOD_NONE, [UNWIND_BY_LEAF] = METHOD_LEAF, [UNWIND_BY_ROW] = METHOD_CFI,
	[UNWIND_BY_GENERATED_ROW] = METHOD_GENERATED, [UNWIND_BY_FRAME_POINTER] = METHOD_FRAME_POINTER,
	[UNWIND_BY_GUESS] = METHOD_GUESS, [UNWIND_BY_SIGNAL] = METHOD_SIGNAL,
};

/* The frame between a handler and what its signal interrupted: no call led there, so its address is exact too. */
static bool is_trampoline(const struct wire_stack *wire, const uint64_t *words, size_t index)
{
	return index && index + 1 < wire->depth && words[index + 1] >> WIRE_METHOD_SHIFT == UNWIND_BY_SIGNAL;
}

static struct frame_id native_frame(struct decoder *decoder, const struct wire_stack *wire, const uint64_t *words, size_t index)
{
	uint64_t word = words[index], method = word >> WIRE_METHOD_SHIFT, address = word & ((1ull << WIRE_METHOD_SHIFT) - 1);

	if (!wire->process)
		return profile_frame(decoder->profile, (struct frame){
			.file = decoder->kernel, .offset = word, .name = decoder_kernel_name(decoder, word), .method = METHOD_KERNEL });
	if (is_trampoline(wire, words, index))
		method = UNWIND_BY_SIGNAL;
	return user_frame(decoder, wire->process, address, method < UNWIND_METHOD_COUNT ? methods[method] : METHOD_NONE);
}

static struct frame_id interpreted_frame(struct decoder *decoder, uint32_t process, struct wire_interpreted frame)
{
	struct code_key key = { frame.code, frame.instruction & ~WIRE_INTERPRETED_ENTRY, process };
	uint32_t id;

	if (young_map_find(decoder->codes, &key, &id))
		return (struct frame_id){ id };
	return profile_frame(decoder->profile, (struct frame){
		.file = profile_file(decoder->profile, "[interpreter]", NULL), .method = METHOD_INTERPRETER });
}

/* Leaf first, as both halves are: how many frames stand in ret. */
static size_t merge_frames(const struct decoder *decoder, const struct wire_stack *wire, const uint64_t *words, struct merged *ret)
{
	const uint32_t *index = map_find(decoder->evaluators, &wire->process);
	struct evaluator evaluator = index ? decoder->evaluator_rows[*index] : (struct evaluator){ 0 };

	return merge_stack(words, wire->depth, (const void *)(words + wire->depth), index ? wire->interpreted : 0, evaluator.start,
			   evaluator.end, wire->status == UNWIND_COMPLETE, ret);
}

void decoder_decode_stack(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_stack *wire = (const void *)record;
	const uint64_t *words = (const void *)(wire + 1);
	const struct wire_interpreted *interpreted = (const void *)(words + wire->depth);
	struct merged merged[WIRE_STACK_DEPTH_LIMIT + UINT8_MAX];
	struct stack_id stack = { 0 };
	size_t first = 0, count;

	if (wire->depth > WIRE_STACK_DEPTH_LIMIT || wire->status >= UNWIND_STATUS_COUNT ||
	    sizeof(*wire) + wire->depth * 8ul + wire->interpreted * sizeof(*interpreted) > record->size) {
		decoder->malformed++;
		return;
	}
	if (!wire->process)
		while (first < wire->depth && is_machinery(profile_text(decoder->profile, decoder_kernel_name(decoder, words[first]))))
			first++;
	count = merge_frames(decoder, wire, words, merged);
	for (size_t i = count; i-- > first;) {
		struct frame_id frame = merged[i].interpreted ?
			interpreted_frame(decoder, wire->process, interpreted[merged[i].index]) :
			native_frame(decoder, wire, words, merged[i].index);

		stack = profile_stack(decoder->profile, stack, frame, statuses[wire->status]);
	}
	if (record->reserved & WIRE_FROM_COPY)          /* such an id is of no other */
		put_young(decoder->copied, COPIED_STACK_LIMIT, wire->id, stack.index);
	else
		put_young(decoder->stacks, KNOWN_STACK_LIMIT, wire->id, stack.index);
}

void decoder_decode_evaluator(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_evaluator *wire = (const void *)record;
	bool added;
	uint32_t *index = map_put(decoder->evaluators, &wire->process, &added);

	if (added) {
		*index = (uint32_t)decoder->evaluator_count;
		grow(decoder->evaluator_rows, decoder->evaluator_count, decoder->evaluator_room);
		decoder->evaluator_count++;
	}
	decoder->evaluator_rows[*index] = (struct evaluator){ wire->start, wire->end };
}

/* The file is the source's; a line of it is not where a name is looked up, so there is no offset. */
void decoder_decode_code_name(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_code_name *wire = (const void *)record;
	struct code_key key = { wire->code, wire->instruction, wire->process };
	const char *function = wire_text(record, sizeof(*wire), 0), *file = wire_text(record, sizeof(*wire), 1);

	young_map_put(decoder->codes, &key, profile_frame(decoder->profile, (struct frame){
		.file = profile_file(decoder->profile, *file ? file : "[interpreter]", NULL),
		.name = profile_string(decoder->profile, function), .line = wire->line, .method = METHOD_INTERPRETER }).index);
}
