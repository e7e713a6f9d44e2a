/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that were copied, because their process was not known yet: walked here by the step that the kernel half takes, over
 * the same rows.
 */
#include "capture/unwinding_state.h"

#include <string.h>
#include <sys/uio.h>

#include "base/memory.h"
#include "unwind/walk.h"

enum { VIEW_BYTES = 4 << 20 };           /* rows that stay mapped from one copied stack to the next */

struct copied {
	const struct wire_stack_copy *copy;
	uint64_t from, to;
	struct unwinding *unwinding;
	struct unwind_process space;
	struct unwind_table table;              /* of the mapping that the walk came to last */
};

/* From the copy; what lies outside is asked of the process, if it still lives and it is code, which a guess looks at: the
 * stack beyond the copy is another one by now. */
static int read_copied(void *context, void *to, __u32 size, __u64 address)
{
	const struct copied *copied = context;
	struct iovec here = { .iov_base = to, .iov_len = size }, there = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	if (address >= copied->from && address <= copied->to && size <= copied->to - address) {
		memcpy(to, (const char *)(copied->copy + 1) + (address - copied->from), size);
		return 0;
	}
	if (!unwind_mapping_at(&copied->space, address))
		return -1;
	return process_vm_readv((pid_t)copied->copy->process, &here, 1, &there, 1, 0) == (ssize_t)size ? 0 : -1;
}

static void set_registers(const struct wire_stack_copy *copy, struct unwind_state *state)
{
	*state = (struct unwind_state){ .pc = copy->registers[UNWIND_REGISTERS], .sp = copy->registers[UNWIND_DWARF_RSP],
					.bp = copy->registers[UNWIND_DWARF_RBP], .pc_is_exact = 1, .registers_known = 1,
					.bp_known = 1, .method = UNWIND_BY_LEAF };
	memcpy(state->registers, copy->registers, sizeof(state->registers));
}

/* The walk in user space wants what the kernel's wants. */
static struct unwind_mapping *list_mappings(const struct unwinding *unwinding)
{
	struct unwind_mapping *mappings = xcalloc(unwinding->entry_count + 1, sizeof(*mappings));

	for (size_t i = 0; i < unwinding->entry_count; i++) {
		const struct wire_unwind_mapping *entry = &unwinding->entries[i];

		mappings[i] = (struct unwind_mapping){ .start = entry->start, .end = entry->end, .bias = entry->bias,
						       .generated = entry->generated };
	}
	return mappings;
}

/* Of all that a process maps a stack touches a few: only their rows are mapped here. */
static const struct unwind_table *find_table(void *context, const struct unwind_mapping *mapping)
{
	struct copied *copied = context;
	const struct wire_unwind_mapping *entry = &copied->unwinding->entries[mapping - copied->space.mappings];
	struct unwind_place place = { entry->chunk, entry->first, entry->count };
	const struct unwind_row *rows = entry->count ? unwind_store_rows(copied->unwinding->store, place) : NULL;

	copied->table = (struct unwind_table){ .rows = (struct unwind_row *)(uintptr_t)rows, .count = entry->count };
	return rows ? &copied->table : NULL;
}

void unwinding_walk(struct unwinding *unwinding, const struct wire_stack_copy *copy, uint32_t depth, struct unwinding_stack *ret)
{
	struct unwinding_process *process = unwinding_find(unwinding, copy->process);
	struct copied copied = { .copy = copy, .from = copy->registers[UNWIND_DWARF_RSP], .unwinding = unwinding };
	struct unwind_frame frames[WIRE_STACK_DEPTH_LIMIT];
	struct unwind_state state;
	size_t count = 1;

	copied.space = (struct unwind_process){ .memory = { .read = read_copied, .context = &copied }, .table = find_table, .context = &copied };
	set_registers(copy, &state);
	*ret = (struct unwinding_stack){ .stack = { .head = { .kind = WIRE_STACK, .reserved = WIRE_FROM_COPY, .time_ns = copy->head.time_ns }, .id = copy->id,
						    .process = copy->process, .status = UNWIND_NO_PROCESS } };
	frames[0] = (struct unwind_frame){ .address = state.pc, .method = UNWIND_BY_LEAF };
	if (process && sizeof(*copy) + copy->bytes <= copy->head.size) {
		CLEANUP_TEXT struct unwind_mapping *mappings = NULL;

		copied.to = copied.from + copy->bytes;
		unwind_store_unmap(unwinding->store, VIEW_BYTES);
		unwinding_list_entries(unwinding, process);
		copied.space.count = unwinding->entry_count;
		copied.space.mappings = mappings = list_mappings(unwinding);
		if (depth > WIRE_STACK_DEPTH_LIMIT)
			depth = WIRE_STACK_DEPTH_LIMIT;
		ret->stack.status = (uint8_t)unwind_walk(&copied.space, state, depth, frames, &count);
		unwinding->copies_walked++;
	}
	for (size_t i = 0; i < count; i++)
		ret->addresses[i] = frames[i].address | (uint64_t)frames[i].method << WIRE_METHOD_SHIFT;
	ret->stack.depth = (uint16_t)count;
	ret->stack.head.size = (uint32_t)(sizeof(ret->stack) + count * sizeof(*ret->addresses));
}
