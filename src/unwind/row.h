/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * One row of call-frame information: how to find the caller's frame from any address between this row's and the next.
 * Eight bytes, so that the tables of a whole machine are some 60 MiB; two compilers read this file.
 *
 * A table is sorted by pc, which counts from the table's base; the row that applies is the last one at or before the pc.
 * Where no rule is known a row of kind UNWIND_NONE says so. Numbers of registers are DWARF's for x86-64.
 *
 * Source of the rules: DWARF 5, section 6.4; System V ABI for x86-64, section 3.7; what files hold beyond them was read
 * from those of a distribution.
 */
#ifndef __bpf__
#include <linux/types.h>
#endif

/* Where the canonical frame address (the stack pointer before the call) is. The return address lies at CFA - 8 unless
 * the kind says otherwise. Append-only. */
enum unwind_cfa {
	UNWIND_NONE,            /* no rule: code that no call-frame information covers */
	UNWIND_RSP,             /* rsp + 8 * cfa */
	UNWIND_RBP,             /* rbp + 8 * cfa */
	UNWIND_PLT,             /* rsp + 8, and 8 more from byte cfa of a 16-byte entry on */
	UNWIND_AT_RSP,          /* *(rsp + 8 * (cfa >> 4)) + 8 * (cfa & 15), the upper 12 bits signed */
	UNWIND_AT_RBP,          /* the same from rbp: a frame that aligns its stack */
	UNWIND_SIGNAL,          /* a signal frame of Linux: all registers are in its sigcontext */
	UNWIND_REGISTER,        /* register (cfa & 255) + 8 * (cfa >> 8): only where registers are known; where rbp is the same, and `rbp`
				 * therefore free: below a call also where that is not 0, the register being at rsp + 8 * rbp */
	UNWIND_UNSUPPORTED,     /* a rule that does not fit these eight bytes */
	UNWIND_STOP,            /* the outermost frame: it has no caller */
	UNWIND_INTERPRETER,     /* HotSpot's interpreter: sp = *(rbp - 8), return address = *(rbp + 8), rbp = *rbp */
	UNWIND_FRAME_POINTER,   /* rbp + 16, return address *(rbp + 8), rbp = *rbp: as generated code promises */
	UNWIND_RETURN_REGISTER, /* rsp + 8 * (cfa >> 8), the return address in register (cfa & 255): vfork */
	UNWIND_OTHER_STACK,     /* rbp + 8 * cfa, on a stack that may lie below the callee's: Go's switches of stacks */
};

/* Where the caller's rbp is. */
enum unwind_rbp {
	UNWIND_RBP_SAME,
	UNWIND_RBP_AT_CFA,      /* *(CFA + 8 * rbp) */
	UNWIND_RBP_AT_RBP,      /* *(rbp + 8 * rbp) */
	UNWIND_RBP_UNKNOWN,     /* lost: fails only where a later rule needs it */
};

struct unwind_row {
	__u32 pc;
	__u16 cfa;
	__u8 kind;              /* enum unwind_cfa | enum unwind_rbp << 4 */
	__s8 rbp;
};

_Static_assert(sizeof(struct unwind_row) == 8, "eight bytes");

enum { UNWIND_ROW_LIMIT = 1 << 20, UNWIND_SEARCH_STEPS = 21 };  /* rows of one table; larger files are split by pc */

/* Why a walk ended. Append-only: it is stored. */
enum unwind_status {
	UNWIND_GOES_ON,
	UNWIND_COMPLETE,        /* reached the outermost frame */
	UNWIND_TRUNCATED,       /* deeper than the limit */
	UNWIND_NO_MAPPING,      /* the pc lies in no executable mapping */
	UNWIND_NO_TABLE,        /* its mapping has no rows, and frame pointers led nowhere */
	UNWIND_NO_ROW,          /* no row covers it, and frame pointers led nowhere */
	UNWIND_UNSUPPORTED_ROW, /* the rule is not among ours, or needs a register that is not known */
	UNWIND_FAULT,           /* the stack could not be read */
	UNWIND_STUCK,           /* the caller's frame would not lie above */
	UNWIND_ZERO_PC,         /* a return address of 0 where the rules promised a caller */
	UNWIND_NO_PROCESS,      /* nothing is known of this process yet */
	UNWIND_COMPATIBLE,      /* a 32-bit task */
	UNWIND_STATUS_COUNT,
};

/* How a frame was found. Append-only: it is stored. */
enum unwind_method {
	UNWIND_BY_NOTHING,
	UNWIND_BY_LEAF,         /* the interrupted pc itself */
	UNWIND_BY_ROW,          /* call-frame information */
	UNWIND_BY_GENERATED_ROW,        /* rows made from what a runtime tells of its generated code */
	UNWIND_BY_FRAME_POINTER,
	UNWIND_BY_GUESS,        /* the word at rsp, which follows a call instruction */
	UNWIND_BY_SIGNAL,       /* a signal frame's saved registers: a pc, not a return address */
	UNWIND_METHOD_COUNT,
};
