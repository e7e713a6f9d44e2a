/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions are not evaluated by the kernel half, so the few shapes in use are recognised here: nearly all are
 * *(register + n) + m, of frames that align their stack and of OpenSSL's assembly, and the linker's own for its PLT. All
 * else is UNWIND_UNSUPPORTED, some five rows of 100,000.
 */
#include "unwind/frame_row.h"

#include <string.h>

#include "unwind/cursor.h"

enum { OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_PLUS = 0x22, OP_PLUS_UCONST = 0x23, OP_LIT0 = 0x30, OP_BREG0 = 0x70 };
enum { WORD = 8, REGISTER_COUNT = 16, SIGNAL_CFA_OFFSET = 160 };        /* a sigcontext's rsp, from the rsp of its frame */

/* register + offset; or *(register + offset) + plus */
struct place {
	uint64_t reg;
	int64_t offset, plus;
	bool is_loaded;
};

/* " + constant" in the ways to write it; false where what follows is something else. */
static bool read_plus(struct cursor *cursor, int64_t *into)
{
	uint8_t op = (uint8_t)cursor_number(cursor, 1);
	uint64_t constant;

	if (op == OP_PLUS_UCONST) {
		*into = (int64_t)((uint64_t)*into + cursor_uleb(cursor));
		return true;
	}
	if (op != OP_CONST1U && (op < OP_LIT0 || op > OP_LIT0 + 31))
		return false;
	constant = op == OP_CONST1U ? cursor_number(cursor, 1) : (uint64_t)(op - OP_LIT0);
	*into = (int64_t)((uint64_t)*into + constant);
	return cursor_number(cursor, 1) == OP_PLUS;
}

static bool read_place(const uint8_t *expression, size_t size, struct place *ret)
{
	struct cursor cursor = { .at = expression, .end = expression + size };
	uint64_t op = cursor_number(&cursor, 1);

	if (op < OP_BREG0 || op > OP_BREG0 + 31)
		return false;
	*ret = (struct place){ .reg = op - OP_BREG0, .offset = cursor_sleb(&cursor) };
	while (cursor.at < cursor.end) {
		if (*cursor.at == OP_DEREF && !ret->is_loaded) {
			ret->is_loaded = true;
			cursor_skip(&cursor, 1);
		} else if (!read_plus(&cursor, ret->is_loaded ? &ret->plus : &ret->offset)) {
			return false;
		}
	}
	return !cursor.bad;
}

/* rsp + 8 + ((rip & 15) >= N) << 3, as ld writes it for .plt: N is the length of the entry's jump and push. */
static bool is_plt(const struct frame_address *cfa, uint8_t *ret_from)
{
	static const uint8_t before[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a }, after[] = { 0x2a, 0x33, 0x24, 0x22 };
	const uint8_t *at = cfa->expression;

	if (cfa->size != sizeof(before) + 1 + sizeof(after) || memcmp(at, before, sizeof(before)) != 0 ||
	    memcmp(at + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	*ret_from = (uint8_t)(at[sizeof(before)] - OP_LIT0);
	return *ret_from < 16;
}

static struct unwind_row row_of(unsigned int cfa_kind, uint64_t cfa)
{
	return (struct unwind_row){ .kind = (uint8_t)cfa_kind, .cfa = (uint16_t)cfa };
}

static bool is_words(int64_t offset, int64_t least, int64_t most)
{
	return offset % WORD == 0 && offset / WORD >= least && offset / WORD <= most;
}

static struct unwind_row loaded_row(const struct place *place)
{
	uint64_t cfa = (uint64_t)(place->offset / WORD) << 4 | ((uint64_t)(place->plus / WORD) & 15);

	if ((place->reg != FRAME_RSP && place->reg != FRAME_RBP) || !is_words(place->offset, -2048, 2047) ||
	    !is_words(place->plus, 0, 15))
		return row_of(UNWIND_UNSUPPORTED, 0);
	return row_of(place->reg == FRAME_RSP ? UNWIND_AT_RSP : UNWIND_AT_RBP, cfa);
}

static struct unwind_row place_row(const struct place *place)
{
	if (place->is_loaded)
		return loaded_row(place);
	if (place->reg == FRAME_RSP || place->reg == FRAME_RBP)
		return is_words(place->offset, 0, UINT16_MAX)
			? row_of(place->reg == FRAME_RSP ? UNWIND_RSP : UNWIND_RBP, (uint64_t)place->offset / WORD)
			: row_of(UNWIND_UNSUPPORTED, 0);
	if (place->reg >= REGISTER_COUNT || !is_words(place->offset, 0, UINT8_MAX))
		return row_of(UNWIND_UNSUPPORTED, 0);
	return row_of(UNWIND_REGISTER, place->reg | (uint64_t)place->offset / WORD << 8);
}

static bool cfa_place(const struct frame_address *cfa, struct place *ret)
{
	if (cfa->expression)
		return read_place(cfa->expression, cfa->size, ret);
	*ret = (struct place){ .reg = cfa->reg, .offset = cfa->offset };
	return true;
}

/* Linux's signal frame, as libc and the vdso describe it. One that is described otherwise is a frame like any other. */
static bool is_signal(const struct frame_program *program)
{
	struct place place;

	return program->context->common.is_signal && program->state.cfa.expression && cfa_place(&program->state.cfa, &place) &&
	       place.is_loaded && place.reg == FRAME_RSP && place.offset == SIGNAL_CFA_OFFSET && !place.plus;
}

static struct unwind_row cfa_row(const struct frame_address *cfa)
{
	struct place place;
	uint8_t plt_from;

	if (cfa->expression && is_plt(cfa, &plt_from))
		return row_of(UNWIND_PLT, plt_from);
	return cfa_place(cfa, &place) ? place_row(&place) : row_of(UNWIND_UNSUPPORTED, 0);
}

/* The return address lies below the CFA; or, in vfork's, which must not leave it on the shared stack, in a register. */
static struct unwind_row return_row(const struct frame_state *state)
{
	const struct frame_rule *rule = &state->return_address;
	struct unwind_row row = cfa_row(&state->cfa);

	if (rule->kind == FRAME_AT_CFA && rule->offset == -WORD)
		return row;
	if (rule->kind == FRAME_IN_REGISTER && (row.kind & 15) == UNWIND_RSP && row.cfa <= UINT8_MAX &&
	    (uint64_t)rule->offset < REGISTER_COUNT)
		return row_of(UNWIND_RETURN_REGISTER, (uint64_t)rule->offset | (uint64_t)row.cfa << 8);
	return row_of(UNWIND_UNSUPPORTED, 0);
}

static void add_rbp(struct unwind_row *row, const struct frame_rule *rule)
{
	enum unwind_rbp kind = UNWIND_RBP_UNKNOWN;
	int64_t offset = 0;
	struct place place;

	if (rule->kind == FRAME_UNSET || rule->kind == FRAME_SAME) {
		kind = UNWIND_RBP_SAME;
	} else if (rule->kind == FRAME_AT_CFA && is_words(rule->offset, INT8_MIN, INT8_MAX)) {
		kind = UNWIND_RBP_AT_CFA;
		offset = rule->offset / WORD;
	} else if (rule->kind == FRAME_AT_EXPRESSION && read_place(rule->expression, rule->size, &place) && !place.is_loaded &&
		   place.reg == FRAME_RBP && is_words(place.offset, INT8_MIN, INT8_MAX)) {
		kind = UNWIND_RBP_AT_RBP;
		offset = place.offset / WORD;
	}
	row->kind |= (uint8_t)(kind << 4);
	row->rbp = (int8_t)offset;
}

/* The caller's rsp is the CFA, by its definition; a rule that says otherwise switches stacks. */
static bool rsp_is_cfa(const struct frame_rule *rule)
{
	return rule->kind == FRAME_UNSET || (rule->kind == FRAME_VALUE_CFA && !rule->offset);
}

struct unwind_row frame_row(const struct frame_program *program)
{
	const struct frame_state *state = &program->state;
	struct unwind_row row;

	if (program->bad)
		return row_of(UNWIND_UNSUPPORTED, 0);
	if (is_signal(program))
		return row_of(UNWIND_SIGNAL, 0);
	if (state->return_address.kind == FRAME_UNDEFINED)
		return row_of(UNWIND_STOP, 0);
	row = rsp_is_cfa(&state->rsp) ? return_row(state) : row_of(UNWIND_UNSUPPORTED, 0);
	if (program->context->is_other_stack && row.kind == UNWIND_RBP)
		row.kind = UNWIND_OTHER_STACK;
	if ((row.kind & 15) != UNWIND_UNSUPPORTED)
		add_rbp(&row, &state->rbp);
	return row;
}
