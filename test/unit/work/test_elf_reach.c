/* SPDX-License-Identifier: Apache-2.0 */
#include "work/elf_place.h"

#include "test.h"

/* How far a place moves over these bytes, -1 where there is none for a probe. */
#define reach(...)                                                                                         \
	({                                                                                                 \
		const unsigned char code[] = { __VA_ARGS__, 0xcc, 0xcc };                                  \
		struct elf_place place = { .offset = 0 };                                                  \
		elf_place_reach(code, sizeof(code), &place) ? (int)place.offset : -1;                      \
	})

TEST(a_push_is_taken_at_once)
{
	assert_int_equal(reach(0x55), 0);
	assert_int_equal(reach(0x41, 0x54), 0);                                         /* push r12 */
	assert_int_equal(reach(0xf3, 0x0f, 0x1e, 0xfa, 0x55), 4);                       /* endbr64 */
}

TEST(a_test_of_the_argument_is_passed_to_the_jump_behind_it)
{
	assert_int_equal(reach(0x48, 0x85, 0xff, 0x0f, 0x84, 0xbf, 0, 0, 0), 3);        /* test rdi,rdi; je */
	assert_int_equal(reach(0x80, 0x3d, 1, 2, 3, 4, 0, 0x74, 7), 7);                 /* cmpb $0,x(rip); je */
	assert_int_equal(reach(0x48, 0x83, 0x3d, 1, 2, 3, 4, 0, 0x74, 7), 8);           /* cmpq $0,x(rip); je */
	assert_int_equal(reach(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, 0x55), 9);  /* mov fs:0x28,rax; push */
	assert_int_equal(reach(0x48, 0x89, 0xfb, 0x53), 3);                             /* mov rdi,rbx; push */
	assert_int_equal(reach(0x48, 0x8d, 0x44, 0x24, 8, 0x53), 5);                    /* lea 8(rsp),rax; push */
}

TEST(what_moves_the_stack_or_an_argument_ends_the_search)
{
	assert_int_equal(reach(0x48, 0x83, 0xec, 0x18, 0x55), -1);                      /* sub rsp */
	assert_int_equal(reach(0x48, 0x89, 0xf7, 0x55), -1);                            /* mov rsi,rdi */
	assert_int_equal(reach(0x48, 0x89, 0xc4, 0x55), -1);                            /* mov rax,rsp */
	assert_int_equal(reach(0x31, 0xf6, 0x55), -1);                                  /* xor esi,esi */
	assert_int_equal(reach(0x48, 0x8b, 0x3f, 0x55), -1);                            /* mov (rdi),rdi */
	assert_int_equal(reach(0x31, 0xc0, 0x55), 2);                                   /* xor eax,eax */
	assert_int_equal(reach(0x4c, 0x8b, 0x3f, 0x55), 3);                             /* mov (rdi),r15 */
}

TEST(what_is_not_known_or_ends_early_ends_the_search)
{
	struct elf_place beyond = { .offset = 4 };
	const unsigned char bytes[] = { 0x48, 0x85, 0xff };

	assert_int_equal(reach(0xc3), -1);
	assert_int_equal(reach(0x0f, 0xa2, 0x55), -1);                                  /* cpuid */
	assert_false(elf_place_reach(bytes, sizeof(bytes), &beyond));
	assert_false(elf_place_reach(bytes, sizeof(bytes), &(struct elf_place){ .offset = 0 }));
	for (size_t size = 0; size < 10; size++) {
		static const unsigned char cut[] = { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, 0x55 };

		assert_false(elf_place_reach(cut, size, &(struct elf_place){ .offset = 0 }));
	}
}

TEST(a_function_that_only_calls_another_leads_there)
{
	const unsigned char bytes[] = { 0x55, 0xc3, 0x48, 0x83, 0xec, 8, 0xe8, 0xf5, 0xff, 0xff, 0xff, 0x90, 0xe8, 0, 0, 0, 0x7f };
	struct elf_place place = { .offset = 2 };

	assert_true(elf_place_callee(bytes, sizeof(bytes), &place));
	assert_int_equal(place.offset, 0);
	place.offset = 0;
	assert_false(elf_place_callee(bytes, sizeof(bytes), &place));           /* it pushes first */
	place.offset = 12;
	assert_false(elf_place_callee(bytes, sizeof(bytes), &place));           /* beyond the file */
	place.offset = 100;
	assert_false(elf_place_callee(bytes, sizeof(bytes), &place));
}
