/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "stack_builder.h"

#define ROW(cfa_kind, rbp_kind, ...) ((struct unwind_row){ .kind = (cfa_kind) | (rbp_kind) << 4, __VA_ARGS__ })

static struct unwind_memory memory = { .read = stack_read };
static struct unwind_state thread;

static int step(struct unwind_row row)
{
	return unwind_step(&thread, row, &memory);
}

static void begin(void)
{
	stack_clear();
	thread = interrupted(0x1000);
}

static void assert_caller(uint64_t pc, uint64_t sp, uint64_t bp, enum unwind_method method)
{
	assert_int_equal(thread.pc, pc);
	assert_int_equal(thread.sp, sp);
	assert_int_equal(thread.bp, bp);
	assert_int_equal(thread.method, method);
}

TEST(a_frame_counted_from_rsp)
{
	begin();
	*stack_word(STACK + 0x118) = 0x1234;
	*stack_word(STACK + 0x110) = 0x5678;
	assert_int_equal(step(ROW(UNWIND_RSP, UNWIND_RBP_AT_CFA, .cfa = 4, .rbp = -2)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x120, 0x5678, UNWIND_BY_ROW);
	assert_false(thread.pc_is_exact);
	assert_false(thread.registers_known);
}

TEST(a_frame_counted_from_rbp_needs_it)
{
	begin();
	*stack_word(STACK + 0x148) = 0x1234;
	*stack_word(STACK + 0x140) = 0x5678;
	assert_int_equal(step(ROW(UNWIND_RBP, UNWIND_RBP_AT_CFA, .cfa = 2, .rbp = -2)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x150, 0x5678, UNWIND_BY_ROW);
	thread.bp_known = 0;
	assert_int_equal(step(ROW(UNWIND_RBP, UNWIND_RBP_SAME, .cfa = 2)), UNWIND_UNSUPPORTED_ROW);
}

TEST(an_rbp_that_is_lost_is_no_failure_until_a_row_needs_it)
{
	begin();
	*stack_word(STACK + 0x100) = 0x1234;
	*stack_word(STACK + 0x108) = 0x1235;
	thread.bp = 8;
	assert_int_equal(step(ROW(UNWIND_RSP, UNWIND_RBP_AT_RBP, .cfa = 1)), UNWIND_GOES_ON);
	assert_false(thread.bp_known);
	assert_int_equal(step(ROW(UNWIND_RSP, UNWIND_RBP_UNKNOWN, .cfa = 1)), UNWIND_GOES_ON);
	assert_false(thread.bp_known);
	assert_int_equal(step(ROW(UNWIND_AT_RBP, UNWIND_RBP_SAME, .cfa = 1)), UNWIND_UNSUPPORTED_ROW);
}

TEST(an_entry_of_the_plt_has_pushed_from_its_eleventh_byte_on)
{
	for (unsigned int byte = 0; byte < 16; byte++) {
		begin();
		thread.pc = 0x1020 + byte;
		*stack_word(STACK + 0x100) = byte < 11 ? 0x1234 : 7;
		*stack_word(STACK + 0x108) = 0x1234;
		assert_int_equal(step(ROW(UNWIND_PLT, UNWIND_RBP_SAME, .cfa = 11)), UNWIND_GOES_ON);
		assert_caller(0x1234, STACK + (byte < 11 ? 0x108 : 0x110), STACK + 0x140, UNWIND_BY_ROW);
	}
}

TEST(a_cfa_that_the_stack_holds)
{
	begin();
	*stack_word(STACK + 0x128) = STACK + 0x180;             /* *(rsp + 40) + 8 */
	*stack_word(STACK + 0x180) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_AT_RSP, UNWIND_RBP_SAME, .cfa = 5 << 4 | 1)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x188, STACK + 0x140, UNWIND_BY_ROW);
	begin();
	*stack_word(STACK + 0x138) = STACK + 0x180;             /* *(rbp - 8); rbp from *(rbp) */
	*stack_word(STACK + 0x178) = 0x1234;
	*stack_word(STACK + 0x140) = 0x5678;
	assert_int_equal(step(ROW(UNWIND_AT_RBP, UNWIND_RBP_AT_RBP, .cfa = (__u16)(-1 * 16))), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x180, 0x5678, UNWIND_BY_ROW);
	thread.bp = 8;
	assert_int_equal(step(ROW(UNWIND_AT_RBP, UNWIND_RBP_AT_RBP, .cfa = 0)), UNWIND_FAULT);
}

TEST(another_register_is_known_only_where_we_interrupted)
{
	begin();
	*stack_word(STACK + 0x200 + 80 + 8) = 0x1234;           /* r10 + 16 - 8 */
	assert_int_equal(step(ROW(UNWIND_REGISTER, UNWIND_RBP_SAME, .cfa = 10 | 2 << 8)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x260, STACK + 0x140, UNWIND_BY_ROW);
	assert_int_equal(step(ROW(UNWIND_REGISTER, UNWIND_RBP_SAME, .cfa = 10 | 2 << 8)), UNWIND_UNSUPPORTED_ROW);
}

TEST(rbx_is_known_below_a_call_where_what_was_called_has_saved_it)
{
	struct unwind_row row = ROW(UNWIND_REGISTER, UNWIND_RBP_SAME, .cfa = 3 | 4 << 8, .rbp = -7);

	begin();
	*stack_word(STACK + 0x108) = 0x1233;                    /* the caller of what was called */
	*stack_word(STACK + 0x110 - 56) = STACK + 0x180;
	*stack_word(STACK + 0x180 + 32 - 8) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_RSP, UNWIND_RBP_SAME, .cfa = 2)), UNWIND_GOES_ON);
	assert_int_equal(step(row), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x1a0, STACK + 0x140, UNWIND_BY_ROW);
	begin();
	thread.registers_known = 0;                             /* a signal interrupted it: nothing was called */
	*stack_word(STACK + 0x100 - 56) = STACK + 0x180;
	assert_int_equal(step(row), UNWIND_UNSUPPORTED_ROW);
	thread.pc_is_exact = 0;
	thread.sp = 8;
	assert_int_equal(step(row), UNWIND_UNSUPPORTED_ROW);
}

TEST(a_frame_on_another_stack_may_lie_below)
{
	begin();
	thread.sp = STACK + 0x300;
	*stack_word(STACK + 0x140) = 0x5678;                    /* where rbp leads: below the stack pointer */
	*stack_word(STACK + 0x148) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_OTHER_STACK, UNWIND_RBP_AT_CFA, .cfa = 2, .rbp = -2)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x150, 0x5678, UNWIND_BY_ROW);
	thread.sp = STACK + 0x300;
	thread.bp = STACK + 0x140;
	assert_int_equal(step(ROW(UNWIND_RBP, UNWIND_RBP_AT_CFA, .cfa = 2, .rbp = -2)), UNWIND_STUCK);
	thread.bp_known = 0;
	assert_int_equal(step(ROW(UNWIND_OTHER_STACK, UNWIND_RBP_AT_CFA, .cfa = 2, .rbp = -2)), UNWIND_UNSUPPORTED_ROW);
}

TEST(vfork_keeps_its_return_address_in_a_register)
{
	begin();
	thread.registers[5] = 0x1234;
	assert_int_equal(step(ROW(UNWIND_RETURN_REGISTER, UNWIND_RBP_SAME, .cfa = 5)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x100, STACK + 0x140, UNWIND_BY_ROW);
	assert_int_equal(step(ROW(UNWIND_RETURN_REGISTER, UNWIND_RBP_SAME, .cfa = 5)), UNWIND_UNSUPPORTED_ROW);
}

TEST(a_signal_frame_gives_back_what_was_interrupted)
{
	uint64_t context = STACK + 0x100 + UNWIND_SIGCONTEXT;

	begin();
	*stack_word(context + 10 * 8) = 0x5678;
	*stack_word(context + 15 * 8) = STACK + 0x300;
	*stack_word(context + 16 * 8) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_SIGNAL, 0)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x300, 0x5678, UNWIND_BY_SIGNAL);
	assert_true(thread.pc_is_exact);
	thread.sp = 8;
	assert_int_equal(step(ROW(UNWIND_SIGNAL, 0)), UNWIND_FAULT);
}

TEST(hotspots_interpreter)
{
	begin();
	*stack_word(STACK + 0x138) = STACK + 0x1c0;             /* the sender's rsp, its rbp, the return address */
	*stack_word(STACK + 0x140) = 0x5678;
	*stack_word(STACK + 0x148) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_INTERPRETER, 0)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x1c0, 0x5678, UNWIND_BY_GENERATED_ROW);
}

TEST(the_outermost_frame_and_rules_that_are_not_ours_end_it)
{
	begin();
	assert_int_equal(step(ROW(UNWIND_STOP, 0)), UNWIND_COMPLETE);
	assert_int_equal(step(ROW(UNWIND_UNSUPPORTED, 0)), UNWIND_UNSUPPORTED_ROW);
	assert_int_equal(step(ROW(15, 0)), UNWIND_UNSUPPORTED_ROW);
	*stack_word(STACK + 0x100) = 0;
	assert_int_equal(step(ROW(UNWIND_RSP, 0, .cfa = 1)), UNWIND_ZERO_PC);
}

TEST(a_caller_that_does_not_lie_above_is_none)
{
	begin();
	thread.bp = STACK + 0x80;
	assert_int_equal(step(ROW(UNWIND_RBP, 0, .cfa = 2)), UNWIND_STUCK);
	begin();
	thread.registers_known = 0;
	thread.bp = STACK + 0xf0;
	assert_int_equal(step(ROW(UNWIND_RBP, 0, .cfa = 2)), UNWIND_STUCK);     /* at rsp: only the interrupted one may */
	thread.sp = STACK + sizeof(stack);
	assert_int_equal(step(ROW(UNWIND_RSP, 0, .cfa = 2)), UNWIND_FAULT);
}

TEST(without_a_rule_a_frame_pointer_is_followed_if_it_can_be_one)
{
	begin();
	*stack_word(STACK + 0x140) = STACK + 0x180;
	*stack_word(STACK + 0x148) = 0x1234;
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_GOES_ON);
	assert_caller(0x1234, STACK + 0x150, STACK + 0x180, UNWIND_BY_FRAME_POINTER);
	thread.bp = 0;
	assert_int_equal(step(ROW(UNWIND_FRAME_POINTER, 0)), UNWIND_COMPLETE);  /* a chain that ends in 0 has reached its root */
	for (unsigned int i = 0; i < 4; i++) {
		begin();
		thread.registers_known = 0;
		thread.bp = (uint64_t[]){ STACK + 0x141, STACK + 0x80, STACK + (16 << 20), 0 }[i];
		assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_NO_ROW);
	}
}

TEST(a_caller_without_a_rule_whose_frame_pointer_is_0_is_the_root)
{
	begin();
	thread.pc_is_exact = thread.registers_known = 0;
	thread.method = UNWIND_BY_ROW;
	thread.bp = 0;
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_COMPLETE);
	thread.bp_known = 0;                                    /* what is not known is not 0 */
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_NO_ROW);
}

TEST(a_word_at_rsp_is_a_guess_only_after_a_call)
{
	begin();
	thread.bp = 0;
	*stack_word(STACK + 0x100) = CALLED;
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_GOES_ON);
	assert_caller(CALLED, STACK + 0x108, 0, UNWIND_BY_GUESS);
	begin();
	thread.bp = 0;
	*stack_word(STACK + 0x100) = STACK + 0x120;             /* readable, and no call before it */
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_NO_ROW);
	*stack_word(STACK + 0x100) = 7;
	assert_int_equal(step(ROW(UNWIND_NONE, 0)), UNWIND_NO_ROW);
}

/* The last bytes before a return address. */
static int ends_in_call(uint64_t last)
{
	return unwind_ends_in_call(last);
}

TEST(calls_are_known_in_all_their_lengths)
{
	assert_true(ends_in_call(0x04030201e8000000));          /* call rel32 */
	assert_true(ends_in_call(0xd0ff000000000000));          /* call *rax */
	assert_true(ends_in_call(0x0850ff0000000000));          /* call *8(rax) */
	assert_true(ends_in_call(0x082454ff00000000));          /* call *8(rsp) */
	assert_true(ends_in_call(0x0403020115ff0000));          /* call *x(rip) */
	assert_true(ends_in_call(0x04030201c514ff00));          /* call *x(, rax, 8) */
	assert_false(ends_in_call(0xe0ff000000000000));         /* jmp *rax */
	assert_false(ends_in_call(0x9090909090909090));
}
