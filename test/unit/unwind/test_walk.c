/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/cleanup.h"
#include "stack_builder.h"
#include "unwind/walk.h"

/* One file of code at 0x1000 in it, 0x401000 in the process: leaf at 0x1000, its caller at 0x1100, the root at 0x1200. */
static struct unwind_row rows[] = {
	{ .pc = 0x000, .kind = UNWIND_RSP, .cfa = 2 },
	{ .pc = 0x100, .kind = UNWIND_RSP | UNWIND_RBP_AT_CFA << 4, .cfa = 3, .rbp = -2 },
	{ .pc = 0x200, .kind = UNWIND_STOP },
	{ .pc = 0x300, .kind = UNWIND_NONE },
};
static const struct unwind_table table = { .rows = rows, .count = ARRAY_LENGTH(rows), .base = 0x1000 };
static const struct unwind_mapping mappings[] = {
	{ .start = 0x1000, .end = 0x2000 },                                     /* anonymous */
	{ .start = 0x401000, .end = 0x402000, .bias = 0x400000, .table = &table },
	{ .start = 0x501000, .end = 0x502000, .bias = 0x500000, .table = &table, .generated = true },
};
static const struct unwind_process process = { .mappings = mappings, .count = ARRAY_LENGTH(mappings), .memory = { .read = stack_read } };

enum { SP = STACK + 0x100 };
static struct unwind_frame frames[8];
static size_t count;

static enum unwind_status walk(struct unwind_state state)
{
	return unwind_walk(&process, state, ARRAY_LENGTH(frames), frames, &count);
}

static void assert_frame(size_t i, uint64_t address, enum unwind_method method)
{
	assert_in_range(i, 0, count - 1);
	assert_int_equal(frames[i].address, address);
	assert_int_equal(frames[i].method, method);
}

/* The leaf's frame is two words, its caller's three. */
static void build(uint64_t caller, uint64_t root)
{
	stack_clear();
	*stack_word(SP + 8) = caller;
	*stack_word(SP + 24) = 0;
	*stack_word(SP + 32) = root;
}

TEST(from_the_leaf_to_the_root)
{
	build(0x401104, 0x401204);
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_COMPLETE);
	assert_int_equal(count, 3);
	assert_frame(0, 0x401000, UNWIND_BY_LEAF);
	assert_frame(1, 0x401104, UNWIND_BY_ROW);
	assert_frame(2, 0x401204, UNWIND_BY_ROW);
}

TEST(a_return_address_after_a_last_call_belongs_to_the_function_before)
{
	build(0x401200, 0x401300);
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_COMPLETE);
	assert_int_equal(count, 3);
}

TEST(an_interrupted_pc_belongs_to_the_function_that_begins_there)
{
	build(0, 0);
	assert_int_equal(walk(interrupted(0x401200)), UNWIND_COMPLETE);
	assert_int_equal(count, 1);
}

TEST(deeper_than_the_limit_is_truncated)
{
	build(0x401104, 0x401204);
	assert_int_equal(unwind_walk(&process, interrupted(0x401000), 2, frames, &count), UNWIND_TRUNCATED);
	assert_int_equal(count, 2);
	assert_int_equal(unwind_walk(&process, interrupted(0x401000), 3, frames, &count), UNWIND_COMPLETE);
	assert_int_equal(unwind_walk(&process, interrupted(0x401000), 0, frames, &count), UNWIND_TRUNCATED);
	assert_int_equal(count, 0);
}

TEST(a_row_that_leads_outside_keeps_the_frame_it_led_to)
{
	build(0x999999, 0);
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_NO_MAPPING);
	assert_int_equal(count, 2);
	assert_int_equal(walk(interrupted(0x999999)), UNWIND_NO_MAPPING);
	assert_int_equal(count, 1);
	build(0x402001, 0);                                     /* the first byte after the code is outside, a call before it is not */
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_NO_MAPPING);
	build(0x402000, 0);
	*stack_word(STACK + 0x148) = 0x999999;
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_NO_ROW);
	assert_int_equal(count, 2);
}

TEST(a_chain_that_leads_outside_was_none)
{
	stack_clear();
	*stack_word(STACK + 0x148) = 0x999999;
	assert_int_equal(walk(interrupted(0x401300)), UNWIND_NO_ROW);
	assert_int_equal(count, 1);
	assert_frame(0, 0x401300, UNWIND_BY_LEAF);
}

TEST(a_chain_of_frame_pointers_through_code_without_a_table)
{
	stack_clear();
	*stack_word(STACK + 0x140) = STACK + 0x180;
	*stack_word(STACK + 0x148) = 0x1800;
	*stack_word(STACK + 0x180) = 0;
	*stack_word(STACK + 0x188) = 0x1900;
	assert_int_equal(walk(interrupted(0x1700)), UNWIND_COMPLETE);
	assert_int_equal(count, 3);
	assert_frame(2, 0x1900, UNWIND_BY_FRAME_POINTER);
	*stack_word(STACK + 0x188) = 0;                         /* the same, where the root has no return address */
	assert_int_equal(walk(interrupted(0x1700)), UNWIND_COMPLETE);
	assert_int_equal(count, 2);
	*stack_word(STACK + 0x180) = 1;                         /* it was no root */
	assert_int_equal(walk(interrupted(0x1700)), UNWIND_ZERO_PC);
	*stack_word(STACK + 0x188) = 0x1900;
	assert_int_equal(walk(interrupted(0x1700)), UNWIND_NO_TABLE);
}

TEST(a_first_instruction_without_a_table_is_guessed)
{
	struct unwind_state thread = interrupted(0x1700);

	stack_clear();
	thread.bp = 0;
	*stack_word(SP) = CALLED;
	assert_int_equal(walk(thread), UNWIND_NO_TABLE);
	assert_int_equal(count, 2);
	assert_frame(1, CALLED, UNWIND_BY_GUESS);
}

TEST(rows_of_generated_code_are_told_from_those_of_files)
{
	build(0x501104, 0x401204);
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_COMPLETE);
	assert_frame(1, 0x501104, UNWIND_BY_ROW);
	assert_frame(2, 0x401204, UNWIND_BY_GENERATED_ROW);
}

TEST(a_signals_pc_is_looked_up_as_it_is)
{
	static struct unwind_row signal_rows[] = { { .pc = 0, .kind = UNWIND_SIGNAL } };
	static const struct unwind_table signal_table = { .rows = signal_rows, .count = 1, .base = 0xfff };
	static const struct unwind_mapping two[] = {
		{ .start = 0x1000, .end = 0x2000, .table = &signal_table },
		{ .start = 0x401000, .end = 0x402000, .bias = 0x400000, .table = &table },
	};
	struct unwind_process with = { .mappings = two, .count = 2, .memory = { .read = stack_read } };

	stack_clear();
	*stack_word(SP + UNWIND_SIGCONTEXT + 15 * 8) = SP + 0x200;
	*stack_word(SP + UNWIND_SIGCONTEXT + 16 * 8) = 0x401200;
	assert_int_equal(unwind_walk(&with, interrupted(0x1000), 8, frames, &count), UNWIND_COMPLETE);
	assert_int_equal(count, 2);
	assert_frame(1, 0x401200, UNWIND_BY_SIGNAL);
}

TEST(a_pc_of_0_is_no_frame)
{
	build(0, 0);
	assert_int_equal(walk(interrupted(0x401000)), UNWIND_ZERO_PC);
	assert_int_equal(count, 1);
	assert_int_equal(walk(interrupted(0)), UNWIND_ZERO_PC);
	assert_int_equal(count, 0);
}

TEST(each_status_and_method_has_a_name)
{
	for (unsigned int i = 0; i < UNWIND_STATUS_COUNT; i++)
		assert_string_not_equal(unwind_status_name(i), "unknown");
	for (unsigned int i = 0; i < UNWIND_METHOD_COUNT; i++)
		assert_string_not_equal(unwind_method_name(i), "unknown");
	assert_string_equal(unwind_status_name(UNWIND_COMPLETE), "complete");
	assert_string_equal(unwind_status_name(UNWIND_NO_ROW), "no-row");
	assert_string_equal(unwind_method_name(UNWIND_BY_ROW), "cfi");
	assert_string_equal(unwind_method_name(UNWIND_BY_FRAME_POINTER), "frame-pointer");
	assert_string_equal(unwind_status_name(UNWIND_STATUS_COUNT), "unknown");
	assert_string_equal(unwind_method_name(UNWIND_METHOD_COUNT), "unknown");
}
