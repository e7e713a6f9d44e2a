/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of DWARF 5, section 6.4.2, and GNU's and MIPS's that compilers for this processor are known to write.
 * One that is not known ends the program: its operands cannot be skipped, and rules after it cannot be trusted.
 */
#include "unwind/frame_program.h"

/* The two high bits hold these three, with an operand in the low six; all others are in the low six. */
enum { ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0, HIGH_BITS = 0xc0, LOW_BITS = 0x3f };
enum {
	NOP = 0x00, SET_LOCATION, ADVANCE_1, ADVANCE_2, ADVANCE_4, OFFSET_EXTENDED, RESTORE_EXTENDED, UNDEFINED, SAME_VALUE, REGISTER,
	REMEMBER_STATE, RESTORE_STATE, CFA, CFA_REGISTER, CFA_OFFSET, CFA_EXPRESSION, EXPRESSION, OFFSET_EXTENDED_SIGNED, CFA_SIGNED,
	CFA_OFFSET_SIGNED, VALUE_OFFSET, VALUE_OFFSET_SIGNED, VALUE_EXPRESSION,
	MIPS_ADVANCE_8 = 0x1d, GNU_ARGUMENTS_SIZE = 0x2e, GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

static void damaged(struct frame_program *program)
{
	cursor_fail(&program->cursor);
}

static const struct frame_common *common_of(const struct frame_program *program)
{
	return &program->context->common;
}

/* Offsets are hostile: they wrap instead of overflowing. */
static int64_t scaled(const struct frame_program *program, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)common_of(program)->data_alignment);
}

/* The rule of a register in a state; NULL for one that no row tells of. */
static struct frame_rule *rule_of(const struct frame_program *program, struct frame_state *state, uint64_t number)
{
	if (number == common_of(program)->return_column)
		return &state->return_address;
	switch (number) {
	case FRAME_RBX: return &state->rbx;
	case FRAME_RBP: return &state->rbp;
	case FRAME_RSP: return &state->rsp;
	default: return NULL;
	}
}

static void set_rule(struct frame_program *program, uint64_t number, enum frame_rule_kind kind, int64_t offset)
{
	struct frame_rule *rule = rule_of(program, &program->state, number);

	if (rule)
		*rule = (struct frame_rule){ .kind = kind, .offset = offset };
}

static void restore_rule(struct frame_program *program, uint64_t number)
{
	struct frame_state initial = program->context->initial;
	struct frame_rule *rule = rule_of(program, &program->state, number);

	if (rule)
		*rule = *rule_of(program, &initial, number);
}

static const uint8_t *read_block(struct cursor *cursor, uint32_t *ret_size)
{
	uint64_t size = cursor_uleb(cursor);
	const uint8_t *block = cursor->at;

	cursor_skip(cursor, size);
	*ret_size = (uint32_t)(cursor->at - block);
	return block;
}

static void set_expression(struct frame_program *program, enum frame_rule_kind kind)
{
	struct frame_rule ignored, *rule = rule_of(program, &program->state, cursor_uleb(&program->cursor));

	rule = rule ? rule : &ignored;
	*rule = (struct frame_rule){ .kind = kind };
	rule->expression = read_block(&program->cursor, &rule->size);
}

/* Where code ends, so does its last rule; addresses only grow. */
static void advance(struct frame_program *program, uint64_t units)
{
	uint64_t bytes, left = program->end - program->to;

	if (__builtin_mul_overflow(units, common_of(program)->code_alignment, &bytes) || bytes > left)
		bytes = left;
	program->to += bytes;
}

static void set_location(struct frame_program *program)
{
	uint64_t location = frame_pointer(common_of(program)->section, &program->cursor, common_of(program)->encoding);

	if (location < program->to)
		damaged(program);
	else
		program->to = location < program->end ? location : program->end;
}

static void remember_state(struct frame_program *program)
{
	if (program->remembered_count == FRAME_REMEMBER_LIMIT)
		damaged(program);
	else
		program->remembered[program->remembered_count++] = program->state;
}

static void restore_state(struct frame_program *program)
{
	if (!program->remembered_count)
		damaged(program);
	else
		program->state = program->remembered[--program->remembered_count];
}

/* False where the instruction is none of these. An offset alone leaves an expression in force, as in libgcc. */
static bool run_cfa(struct frame_program *program, uint8_t instruction)
{
	struct cursor *cursor = &program->cursor;
	struct frame_address *cfa = &program->state.cfa;

	switch (instruction) {
	case CFA:
		*cfa = (struct frame_address){ .reg = cursor_uleb(cursor) };
		cfa->offset = (int64_t)cursor_uleb(cursor);
		return true;
	case CFA_SIGNED:
		*cfa = (struct frame_address){ .reg = cursor_uleb(cursor) };
		cfa->offset = scaled(program, (uint64_t)cursor_sleb(cursor));
		return true;
	case CFA_REGISTER:
		cfa->reg = cursor_uleb(cursor);
		cfa->expression = NULL;
		return true;
	case CFA_OFFSET:
		cfa->offset = (int64_t)cursor_uleb(cursor);
		return true;
	case CFA_OFFSET_SIGNED:
		cfa->offset = scaled(program, (uint64_t)cursor_sleb(cursor));
		return true;
	case CFA_EXPRESSION:
		cfa->expression = read_block(cursor, &cfa->size);
		return true;
	default:
		return false;
	}
}

static bool run_rule(struct frame_program *program, uint8_t instruction)
{
	struct cursor *cursor = &program->cursor;
	uint64_t number;

	switch (instruction) {
	case EXPRESSION: set_expression(program, FRAME_AT_EXPRESSION); return true;
	case VALUE_EXPRESSION: set_expression(program, FRAME_VALUE_EXPRESSION); return true;
	case OFFSET_EXTENDED:
	case OFFSET_EXTENDED_SIGNED:
	case VALUE_OFFSET:
	case VALUE_OFFSET_SIGNED:
	case GNU_NEGATIVE_OFFSET_EXTENDED:
	case REGISTER:
	case UNDEFINED:
	case SAME_VALUE:
	case RESTORE_EXTENDED: break;
	default: return false;
	}
	number = cursor_uleb(cursor);
	switch (instruction) {
	case OFFSET_EXTENDED: set_rule(program, number, FRAME_AT_CFA, scaled(program, cursor_uleb(cursor))); break;
	case OFFSET_EXTENDED_SIGNED: set_rule(program, number, FRAME_AT_CFA, scaled(program, (uint64_t)cursor_sleb(cursor))); break;
	case GNU_NEGATIVE_OFFSET_EXTENDED: set_rule(program, number, FRAME_AT_CFA, scaled(program, -cursor_uleb(cursor))); break;
	case VALUE_OFFSET: set_rule(program, number, FRAME_VALUE_CFA, scaled(program, cursor_uleb(cursor))); break;
	case VALUE_OFFSET_SIGNED: set_rule(program, number, FRAME_VALUE_CFA, scaled(program, (uint64_t)cursor_sleb(cursor))); break;
	case REGISTER: set_rule(program, number, FRAME_IN_REGISTER, (int64_t)cursor_uleb(cursor)); break;
	case UNDEFINED: set_rule(program, number, FRAME_UNDEFINED, 0); break;
	case SAME_VALUE: set_rule(program, number, FRAME_SAME, 0); break;
	default: restore_rule(program, number);
	}
	return true;
}

static void run_other(struct frame_program *program, uint8_t instruction)
{
	struct cursor *cursor = &program->cursor;

	switch (instruction) {
	case NOP: break;
	case SET_LOCATION: set_location(program); break;
	case ADVANCE_1: advance(program, cursor_number(cursor, 1)); break;
	case ADVANCE_2: advance(program, cursor_number(cursor, 2)); break;
	case ADVANCE_4: advance(program, cursor_number(cursor, 4)); break;
	case MIPS_ADVANCE_8: advance(program, cursor_number(cursor, 8)); break;
	case REMEMBER_STATE: remember_state(program); break;
	case RESTORE_STATE: restore_state(program); break;
	case GNU_ARGUMENTS_SIZE: (void)cursor_uleb(cursor); break;      /* only who throws exceptions needs it */
	default:
		if (!run_cfa(program, instruction) && !run_rule(program, instruction))
			damaged(program);
	}
}

static void run(struct frame_program *program)
{
	uint8_t byte = (uint8_t)cursor_number(&program->cursor, 1), low = byte & LOW_BITS;

	switch (byte & HIGH_BITS) {
	case ADVANCE: advance(program, low); break;
	case OFFSET: set_rule(program, low, FRAME_AT_CFA, scaled(program, cursor_uleb(&program->cursor))); break;
	case RESTORE: restore_rule(program, low); break;
	default: run_other(program, byte);
	}
}

void frame_context_init(struct frame_context *context, const struct frame_common *common)
{
	struct frame_program program = { .context = context, .cursor = common->instructions };

	*context = (struct frame_context){ .common = *common };
	while (program.cursor.at < program.cursor.end)
		run(&program);
	context->initial = program.state;
	context->bad = program.cursor.bad;
}

void frame_program_begin(struct frame_program *program, const struct frame_context *context,
			 const struct frame_description *description, uint64_t end)
{
	program->context = context;
	program->cursor = (struct cursor){ .at = description->instructions,
					   .end = description->instructions + description->instructions_size };
	program->from = program->to = description->start;
	program->end = end;
	program->state = context->initial;
	program->remembered_count = 0;
	program->bad = context->bad;
	if (context->is_go)
		program->distances = (struct go_values){ .cursor = program->cursor, .from = description->start - context->before,
							 .to = description->start - context->before, .end = end, .value = -1 };
}

/* Distances that hold before the description begins are passed over; the last one holds to its end, over the padding. */
static void next_distance(struct frame_program *program)
{
	struct go_values *distances = &program->distances;
	const struct frame_context *context = program->context;

	do
		program->bad = !go_values_next(distances);
	while (!program->bad && distances->to <= program->from);
	program->to = program->bad || distances->cursor.at == distances->cursor.end ? program->end : distances->to;
	program->state.cfa.offset = (int64_t)distances->value + 8;
	program->state.rbp.kind = !distances->value ? FRAME_SAME : context->saves_rbp ? FRAME_AT_CFA : FRAME_UNDEFINED;
	program->state.rbp.offset = -16;
}

bool frame_program_next(struct frame_program *program)
{
	program->from = program->to;
	if (program->from >= program->end)
		return false;
	if (program->context->is_go) {
		next_distance(program);
		return true;
	}
	while (!program->bad && program->to == program->from && program->cursor.at < program->cursor.end) {
		run(program);
		program->bad = program->cursor.bad;
	}
	if (program->bad || program->to == program->from)
		program->to = program->end;
	return true;
}
