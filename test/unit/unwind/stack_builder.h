/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A stack in memory, of words from STACK on, for tests of the step and the walk. What lies elsewhere cannot be read, but
 * for the code of one call instruction whose return address is CALLED.
 */
#include <stdint.h>
#include <string.h>

#include "unwind/step.h"

enum { STACK = 0x7000, STACK_WORDS = 256, CALLED = 0x1010 };

static uint64_t stack[STACK_WORDS];
static int stack_reads;

static int stack_read(void *context, void *to, __u32 size, __u64 address)
{
	static const uint8_t call[8] = { 0x90, 0x90, 0x90, 0xe8, 1, 2, 3, 4 };

	(void)context;
	stack_reads++;
	if (address == CALLED - 8 && size == sizeof(call)) {
		memcpy(to, call, size);
		return 0;
	}
	if (address < STACK || address + size > STACK + sizeof(stack) || address + size < address)
		return -1;
	memcpy(to, (const char *)stack + (address - STACK), size);
	return 0;
}

static inline uint64_t *stack_word(uint64_t address)
{
	return &stack[(address - STACK) / 8];
}

static inline void stack_clear(void)
{
	memset(stack, 0, sizeof(stack));
	stack_reads = 0;
}

/* Interrupted at a pc, with sp at STACK + 0x100 and bp 0x40 above it. */
static inline struct unwind_state interrupted(uint64_t pc)
{
	struct unwind_state state = { .pc = pc, .sp = STACK + 0x100, .bp = STACK + 0x140, .pc_is_exact = 1, .registers_known = 1,
				      .bp_known = 1, .method = UNWIND_BY_LEAF };

	for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
		state.registers[i] = i == UNWIND_DWARF_RBP ? state.bp : i == UNWIND_DWARF_RSP ? state.sp : STACK + 0x200 + 8 * i;
	return state;
}
