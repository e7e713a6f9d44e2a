/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Carries out the instructions of a description: address by address, where the frame and its saved registers are.
 *
 *	frame_program_begin(&program, context, description, end);
 *	while (frame_program_next(&program))
 *		program.state holds from program.from on, and before program.to
 *
 * Of the registers only those are followed that a row tells of: rbp, rsp and the return address; and rbx, for its callers' rows.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame_section.h"
#include "unwind/gopclntab.h"

enum { FRAME_RBX = 3, FRAME_RBP = 6, FRAME_RSP = 7, FRAME_REMEMBER_LIMIT = 32 };

/* Where the caller's value of a register is. */
enum frame_rule_kind {
	FRAME_UNSET,
	FRAME_UNDEFINED,                /* lost */
	FRAME_SAME,
	FRAME_AT_CFA,                   /* *(CFA + offset) */
	FRAME_VALUE_CFA,                /* CFA + offset */
	FRAME_IN_REGISTER,              /* offset is its number */
	FRAME_AT_EXPRESSION,            /* *(expression) */
	FRAME_VALUE_EXPRESSION,
};

struct frame_rule {
	enum frame_rule_kind kind;
	uint32_t size;                  /* of the expression */
	int64_t offset;
	const uint8_t *expression;
};

/* The canonical frame address: register + offset, or the value of an expression. */
struct frame_address {
	uint64_t reg;
	int64_t offset;
	const uint8_t *expression;      /* NULL: none */
	uint32_t size;
};

struct frame_state {
	struct frame_address cfa;
	struct frame_rule rbx, rbp, rsp, return_address;
};

/* A common entry, and the state after its instructions, in which every description that names it begins. */
struct frame_context {
	struct frame_common common;
	struct frame_state initial;

	/* Of Go's functions (go_frame.h), whose descriptions hold the stack pointer's distances instead of instructions. */
	bool is_go;
	bool saves_rbp;                 /* where the distance is not 0: at CFA - 16; else it is lost there */
	uint64_t before;                /* the distances begin this far before a description does */
	bool is_other_stack;            /* the frame lies on another stack than its callee's */
	bool bad;                       /* its instructions are damaged: nothing that follows can be trusted */
};

struct frame_program {
	const struct frame_context *context;
	struct cursor cursor;
	uint64_t from, to, end;
	struct frame_state state;
	struct frame_state remembered[FRAME_REMEMBER_LIMIT];
	size_t remembered_count;
	struct go_values distances;
	bool bad;                       /* from here on nothing is known */
};

void frame_context_init(struct frame_context *context, const struct frame_common *common);

/* end: where the description ends, or the next one begins. */
void frame_program_begin(struct frame_program *program, const struct frame_context *context,
			 const struct frame_description *description, uint64_t end);

/* Moves to the next stretch of code of one state; false at the end. One that ends by damage is `bad` from `from` on. */
bool frame_program_next(struct frame_program *program);
