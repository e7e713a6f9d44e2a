/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A return address may be the first of the next function, where the callee never returns: so all but an interrupted pc is
 * looked up one byte before.
 */
#include "unwind/walk.h"

const struct unwind_mapping *unwind_mapping_at(const struct unwind_process *process, uint64_t address)
{
	size_t low = 0, high = process->count;
	const struct unwind_mapping *mapping;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	mapping = low ? &process->mappings[low - 1] : NULL;
	return mapping && address < mapping->end ? mapping : NULL;
}

static bool is_chained(const struct unwind_state *state)
{
	return state->method == UNWIND_BY_FRAME_POINTER || state->method == UNWIND_BY_GUESS;
}

/* A chain of frame pointers ends in a frame whose saved rbp and return address are 0. */
static enum unwind_status zero_pc(const struct unwind_state *state)
{
	return state->method == UNWIND_BY_FRAME_POINTER && state->bp_known && !state->bp ? UNWIND_COMPLETE : UNWIND_ZERO_PC;
}

static enum unwind_status step(const struct unwind_process *process, const struct unwind_mapping *mapping, struct unwind_state *state,
			       uint64_t address, void *memory)
{
	const struct unwind_table *table = process->table ? process->table(process->context, mapping) : mapping->table;
	const struct unwind_row *row;
	int status;

	if (!table)
		return (enum unwind_status)unwind_without_row(state, memory, UNWIND_NO_TABLE);
	row = unwind_table_row(table, address - mapping->bias);
	status = unwind_step(state, row ? *row : (struct unwind_row){ .kind = UNWIND_NONE }, memory);
	if (mapping->generated && status == UNWIND_GOES_ON && state->method == UNWIND_BY_ROW)
		state->method = UNWIND_BY_GENERATED_ROW;
	return (enum unwind_status)status;
}

enum unwind_status unwind_walk(const struct unwind_process *process, struct unwind_state state, size_t most,
			       struct unwind_frame *ret_frames, size_t *ret_count)
{
	struct unwind_memory memory = process->memory;
	enum unwind_status status = UNWIND_GOES_ON;
	const struct unwind_mapping *mapping;
	uint64_t address;
	size_t count = 0;

	while (status == UNWIND_GOES_ON) {
		if (!state.pc) {
			status = zero_pc(&state);
			break;
		}
		address = state.pc - !state.pc_is_exact;
		mapping = unwind_mapping_at(process, address);
		if (!mapping && is_chained(&state)) {
			status = UNWIND_NO_ROW;                 /* the chain was none */
			break;
		}
		if (count == most) {
			status = UNWIND_TRUNCATED;
			break;
		}
		ret_frames[count++] = (struct unwind_frame){ .address = state.pc, .method = state.method };
		status = mapping ? step(process, mapping, &state, address, &memory) : UNWIND_NO_MAPPING;
	}
	*ret_count = count;
	return status;
}

const char *unwind_status_name(enum unwind_status status)
{
	static const char *const names[] = {
		[UNWIND_GOES_ON] = "goes-on", [UNWIND_COMPLETE] = "complete", [UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_MAPPING] = "no-mapping", [UNWIND_NO_TABLE] = "no-table", [UNWIND_NO_ROW] = "no-row",
		[UNWIND_UNSUPPORTED_ROW] = "unsupported-row", [UNWIND_FAULT] = "fault", [UNWIND_STUCK] = "stuck",
		[UNWIND_ZERO_PC] = "zero-pc", [UNWIND_NO_PROCESS] = "no-process", [UNWIND_COMPATIBLE] = "32-bit",
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == UNWIND_STATUS_COUNT, "a name for each");

	return (unsigned int)status < UNWIND_STATUS_COUNT ? names[status] : "unknown";
}

const char *unwind_method_name(enum unwind_method method)
{
	static const char *const names[] = {
		[UNWIND_BY_NOTHING] = "nothing", [UNWIND_BY_LEAF] = "leaf", [UNWIND_BY_ROW] = "cfi",
		[UNWIND_BY_GENERATED_ROW] = "generated-cfi", [UNWIND_BY_FRAME_POINTER] = "frame-pointer", [UNWIND_BY_GUESS] = "guess",
		[UNWIND_BY_SIGNAL] = "signal",
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == UNWIND_METHOD_COUNT, "a name for each");

	return (unsigned int)method < UNWIND_METHOD_COUNT ? names[method] : "unknown";
}
