/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread whose registers, rows and stack are anybody's:
 *
 *	pc, sp, bp       2 bytes each, near where code and stack are
 *	flags            1 byte: what is known of them
 *	N                1 byte, then N rows of 4 bytes: kind, cfa, rbp
 *	stack            all that is left; half of it is addresses of code and stack if bit 7 of the flags is set
 *
 * A walk must end within its limit, by a reason that has a name; and no frame but the first may be the interrupted one.
 */
#include "base/cleanup.h"
#include "unwind/walk.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE = 0x10000, STACK = 0x70000, FRAMES = 64, ROWS = 255, HEAD = 8 };

struct bytes {
	const uint8_t *bytes;
	size_t size;
	bool is_bent;
};

/* Words whose lowest bit is set become addresses, so that chains are long without the fuzzer having to guess high bytes. */
static uint64_t bend(uint64_t word)
{
	return (word & 1 ? CODE : STACK) + (word >> 1 & 0x3fff);
}

static int read_stack(void *context, void *to, __u32 size, __u64 address)
{
	const struct bytes *stack = context;
	uint64_t word;

	if (address < STACK || address - STACK > stack->size || size > stack->size - (address - STACK))
		return -1;
	memcpy(to, stack->bytes + (address - STACK), size);
	for (uint32_t i = 0; stack->is_bent && i + 8 <= size; i += 8) {
		memcpy(&word, (char *)to + i, 8);
		word = bend(word);
		memcpy((char *)to + i, &word, 8);
	}
	return 0;
}

static struct unwind_state state_of(const uint8_t *head)
{
	uint8_t flags = head[6];
	struct unwind_state state = { .pc = CODE + (head[0] | head[1] << 8), .sp = STACK + (head[2] | head[3] << 8),
				      .bp = STACK + (head[4] | head[5] << 8), .pc_is_exact = flags & 1, .bp_known = flags >> 1 & 1,
				      .registers_known = flags >> 2 & 1, .method = UNWIND_BY_LEAF };

	for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
		state.registers[i] = STACK + 64 * i + head[2];
	return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_row rows[ROWS] = { 0 };
	struct unwind_table table = { .rows = rows, .base = 0x40 };
	const struct unwind_mapping mappings[] = {
		{ .start = CODE, .end = CODE + 0x2000, .bias = CODE, .table = &table },
		{ .start = CODE + 0x2000, .end = CODE + 0x2800 },
		{ .start = CODE + 0x3000, .end = CODE + 0x5000, .bias = CODE + 0x3000, .table = &table, .generated = true },
	};
	struct bytes stack;
	struct unwind_process process = { .mappings = mappings, .count = ARRAY_LENGTH(mappings), .memory = { read_stack, &stack } };
	struct unwind_frame frames[FRAMES];
	enum unwind_status status;
	size_t count, most;

	if (size < HEAD || size - HEAD < data[7] * 4u)
		return 0;
	table.count = data[7];
	for (size_t i = 0; i < table.count; i++) {
		const uint8_t *row = data + HEAD + 4 * i;

		rows[i] = (struct unwind_row){ .pc = (uint32_t)(32 * i), .kind = row[0], .cfa = (uint16_t)(row[1] | row[2] << 8),
					       .rbp = (int8_t)row[3] };
	}
	stack = (struct bytes){ data + HEAD + 4 * table.count, size - HEAD - 4 * table.count, data[6] >> 7 };
	most = data[6] >> 3 & 1 ? FRAMES : data[2] % 4;
	status = unwind_walk(&process, state_of(data), most, frames, &count);
	assert(count <= most && status > UNWIND_GOES_ON && status < UNWIND_STATUS_COUNT);
	assert(strcmp(unwind_status_name(status), "unknown") != 0);
	assert(status != UNWIND_TRUNCATED || count == most);
	for (size_t i = 0; i < count; i++) {
		assert((frames[i].method == UNWIND_BY_LEAF) == (i == 0) && frames[i].address);
		assert(strcmp(unwind_method_name(frames[i].method), "unknown") != 0);
	}
	return 0;
}
