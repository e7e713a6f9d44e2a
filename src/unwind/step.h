/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * The one step from a frame to its caller. The kernel half compiles it for samples as they happen, the user half for
 * stacks that were copied; so what one is tested with holds for the other.
 *
 * unwind_step(state, row, memory) takes the row that covers state->pc - 1 (state->pc where pc_is_exact), moves state to
 * the caller and returns UNWIND_GOES_ON, or says why it cannot. state->method tells how the caller was found. An
 * unreadable rbp is unknown, and no failure: compilers are wrong about it for an instruction or two.
 */
#include "unwind/row.h"

/* UNWIND_READ(memory, to, size, address): 0 where size bytes of the thread's memory were read. The kernel half, which reads
 * its own current task, defines it before; the user half is given somebody's memory. */
#ifndef UNWIND_READ
struct unwind_memory {
	int (*read)(void *context, void *to, __u32 size, __u64 address);
	void *context;
};
#define UNWIND_READ(memory, to, size, address) \
	((const struct unwind_memory *)(memory))->read(((const struct unwind_memory *)(memory))->context, (to), (size), (address))
#endif
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

enum { UNWIND_DWARF_RBP = 6, UNWIND_DWARF_RSP = 7, UNWIND_REGISTERS = 16, UNWIND_FRAME_MAXIMUM = 8 << 20 };
enum { UNWIND_SIGCONTEXT = 40, UNWIND_SIGCONTEXT_RBP = 10, UNWIND_SIGCONTEXT_RSP = 15 };        /* of struct rt_sigframe; words */

struct unwind_state {
	__u64 pc, sp, bp;
	__u64 registers[UNWIND_REGISTERS];      /* DWARF's numbers; only of the interrupted frame */
	__u8 pc_is_exact;                       /* interrupted here, by us or a signal: not a return address */
	__u8 registers_known, bp_known;
	__u8 method;                            /* enum unwind_method: how the present frame was found */
};

/* The chain of frame pointers, as far as it can be one. */
static __always_inline int unwind_by_frame_pointer(struct unwind_state *state, void *memory)
{
	__u64 frame[2];

	if (!state->bp_known || (state->bp & 7) || state->bp < state->sp || state->bp - state->sp > UNWIND_FRAME_MAXIMUM)
		return UNWIND_NO_ROW;
	if (UNWIND_READ(memory, frame, sizeof(frame), state->bp))
		return UNWIND_NO_ROW;
	state->sp = state->bp + 16;
	state->bp = frame[0];
	state->pc = frame[1];
	state->method = UNWIND_BY_FRAME_POINTER;
	state->pc_is_exact = state->registers_known = 0;
	return UNWIND_GOES_ON;
}

/* Whether the eight bytes before an address end in a call: E8 rel32, or FF /2 in its lengths of 2, 3, 4, 6 and 7 bytes. */
static __always_inline int unwind_ends_in_call(__u64 before)
{
	__u8 b1 = before >> 56, b2 = before >> 48, b3 = before >> 40, b5 = before >> 24, b6 = before >> 16, b7 = before >> 8;
	__u8 b4 = before >> 32;

	if (b5 == 0xe8)
		return 1;
	return (b2 == 0xff && (b1 & 0x38) == 0x10) || (b3 == 0xff && (b2 & 0x38) == 0x10) || (b4 == 0xff && (b3 & 0x38) == 0x10) ||
	       (b6 == 0xff && (b5 & 0x38) == 0x10) || (b7 == 0xff && (b6 & 0x38) == 0x10);
}

/* At the first instruction of a function, or in one without a frame, the word at rsp is the return address. */
static __always_inline int unwind_by_guess(struct unwind_state *state, void *memory)
{
	__u64 pc, before;

	if (!state->registers_known || UNWIND_READ(memory, &pc, sizeof(pc), state->sp) || pc < 4096 ||
	    UNWIND_READ(memory, &before, sizeof(before), pc - 8) || !unwind_ends_in_call(before))
		return UNWIND_NO_ROW;
	state->sp += 8;
	state->pc = pc;
	state->method = UNWIND_BY_GUESS;
	state->pc_is_exact = state->registers_known = 0;
	return UNWIND_GOES_ON;
}

/* Without a row. A caller whose frame pointer is 0 is the root: System V's supplement for AMD64 has the first frame marked so
 * (3.4.1), and musl's threads begin in code that has no other mark. */
static __always_inline int unwind_without_row(struct unwind_state *state, void *memory, int otherwise)
{
	if ((state->method == UNWIND_BY_FRAME_POINTER || state->method == UNWIND_BY_ROW) && state->bp_known && !state->bp)
		return UNWIND_COMPLETE;
	if (unwind_by_frame_pointer(state, memory) == UNWIND_GOES_ON || unwind_by_guess(state, memory) == UNWIND_GOES_ON)
		return UNWIND_GOES_ON;
	return otherwise;
}

static __always_inline int unwind_signal(struct unwind_state *state, void *memory)
{
	__u64 at = state->sp + UNWIND_SIGCONTEXT, bp, pair[2];          /* rsp, then rip */

	if (UNWIND_READ(memory, &bp, sizeof(bp), at + UNWIND_SIGCONTEXT_RBP * 8) ||
	    UNWIND_READ(memory, pair, sizeof(pair), at + UNWIND_SIGCONTEXT_RSP * 8))
		return UNWIND_FAULT;
	state->bp = bp;
	state->bp_known = 1;
	state->sp = pair[0];
	state->pc = pair[1];
	state->pc_is_exact = 1;
	state->registers_known = 0;
	state->method = UNWIND_BY_SIGNAL;
	return UNWIND_GOES_ON;
}

static __always_inline int unwind_interpreter(struct unwind_state *state, void *memory)
{
	__u64 frame[3];                                                 /* the sender's rsp, its rbp, the return address */

	if (!state->bp_known || state->bp < state->sp || UNWIND_READ(memory, frame, sizeof(frame), state->bp - 8))
		return UNWIND_FAULT;
	state->sp = frame[0] > state->bp ? frame[0] : state->bp + 16;
	state->bp = frame[1];
	state->pc = frame[2];
	state->pc_is_exact = state->registers_known = 0;
	state->method = UNWIND_BY_GENERATED_ROW;
	return UNWIND_GOES_ON;
}

/* What a frame is counted from, where that is no frame pointer: the register of the interrupted thread, or what the function that
 * was called has saved of it; rsp, where the register holds the return address. */
static __always_inline int unwind_base(const struct unwind_state *state, struct unwind_row row, void *memory, __u64 *ret)
{
	if (state->registers_known) {
		*ret = (row.kind & 15) == UNWIND_REGISTER ? state->registers[row.cfa & (UNWIND_REGISTERS - 1)] : state->sp;
		return 1;
	}
	return row.kind == UNWIND_REGISTER && row.rbp && !state->pc_is_exact &&
	       !UNWIND_READ(memory, ret, sizeof(*ret), state->sp + (__s64)row.rbp * 8);
}

static __always_inline void unwind_caller_rbp(struct unwind_state *state, __u8 rule, __s8 words, __u64 cfa, void *memory)
{
	__u64 from = rule == UNWIND_RBP_AT_RBP ? state->bp : cfa;

	if (rule == UNWIND_RBP_SAME)
		return;
	if (rule == UNWIND_RBP_UNKNOWN || (rule == UNWIND_RBP_AT_RBP && !state->bp_known) ||
	    UNWIND_READ(memory, &state->bp, sizeof(state->bp), from + (__s64)words * 8))
		state->bp_known = 0;
	else
		state->bp_known = 1;
}

static __always_inline int unwind_step(struct unwind_state *state, struct unwind_row row, void *memory)
{
	__u8 kind = row.kind & 15, first = state->registers_known;
	__u64 cfa, base, return_address;

	switch (kind) {
	case UNWIND_RSP:
		cfa = state->sp + (__u64)row.cfa * 8;
		break;
	case UNWIND_RBP:
	case UNWIND_OTHER_STACK:
		if (!state->bp_known)
			return UNWIND_UNSUPPORTED_ROW;
		cfa = state->bp + (__u64)row.cfa * 8;
		break;
	case UNWIND_PLT:
		cfa = state->sp + 8 + ((state->pc & 15) >= row.cfa ? 8 : 0);
		break;
	case UNWIND_AT_RSP:
	case UNWIND_AT_RBP:
		if (kind == UNWIND_AT_RBP && !state->bp_known)
			return UNWIND_UNSUPPORTED_ROW;
		base = (kind == UNWIND_AT_RSP ? state->sp : state->bp) + (__s64)((__s16)row.cfa >> 4) * 8;
		if (UNWIND_READ(memory, &cfa, sizeof(cfa), base))
			return UNWIND_FAULT;
		cfa += (row.cfa & 15) * 8;
		break;
	case UNWIND_REGISTER:
	case UNWIND_RETURN_REGISTER:
		if (!unwind_base(state, row, memory, &base))
			return UNWIND_UNSUPPORTED_ROW;
		cfa = base + (__u64)(row.cfa >> 8) * 8;
		break;
	case UNWIND_SIGNAL:
		return unwind_signal(state, memory);
	case UNWIND_INTERPRETER:
		return unwind_interpreter(state, memory);
	case UNWIND_STOP:
		return UNWIND_COMPLETE;
	case UNWIND_NONE:
	case UNWIND_FRAME_POINTER:
		return unwind_without_row(state, memory, UNWIND_NO_ROW);
	default:
		return UNWIND_UNSUPPORTED_ROW;
	}
	/* Only the interrupted frame may lie where its caller's does: it has pushed nothing of its own yet. */
	if (kind != UNWIND_OTHER_STACK && (first ? cfa < state->sp : cfa <= state->sp))
		return UNWIND_STUCK;
	if (kind == UNWIND_RETURN_REGISTER)
		return_address = state->registers[row.cfa & (UNWIND_REGISTERS - 1)];
	else if (UNWIND_READ(memory, &return_address, sizeof(return_address), cfa - 8))
		return UNWIND_FAULT;
	unwind_caller_rbp(state, row.kind >> 4, row.rbp, cfa, memory);
	state->sp = cfa;
	state->pc = return_address;
	state->pc_is_exact = state->registers_known = 0;
	state->method = UNWIND_BY_ROW;
	return return_address ? UNWIND_GOES_ON : UNWIND_ZERO_PC;
}
