/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Past a function's first instructions to one that the kernel emulates: C libraries begin malloc() with a push, but free() with a
 * test of its argument and aligned_alloc() with a comparison. Only instructions are passed that every call passes (none that
 * jumps) and that leave the arguments, the stack pointer and so the return address as the caller made them; their forms are
 * those of the Intel manual, volume 2, chapter 2 and appendix A. What is not known here ends the search.
 */
#include "work/elf_place.h"

#include <string.h>

enum { STEPS = 8, RSP = 4, RBP = 5 };
enum { REX_R = 4, REX_B = 1 };
enum writes { WRITES_NOTHING, WRITES_REGISTER, WRITES_OPERAND };

/* Of the operand byte mod|reg|rm. digit: what reg must be, -1: anything. */
struct form { unsigned char opcode; signed char digit; unsigned char immediate; enum writes writes; };
static const struct form forms[] = {
	{ 0x84, -1, 0, WRITES_NOTHING }, { 0x85, -1, 0, WRITES_NOTHING },                /* test */
	{ 0x38, -1, 0, WRITES_NOTHING }, { 0x39, -1, 0, WRITES_NOTHING },                /* cmp */
	{ 0x3a, -1, 0, WRITES_NOTHING }, { 0x3b, -1, 0, WRITES_NOTHING },
	{ 0x80, 7, 1, WRITES_NOTHING }, { 0x81, 7, 4, WRITES_NOTHING }, { 0x83, 7, 1, WRITES_NOTHING },
	{ 0xf6, 0, 1, WRITES_NOTHING }, { 0xf7, 0, 4, WRITES_NOTHING },                  /* test with a number */
	{ 0x89, -1, 0, WRITES_OPERAND }, { 0x8b, -1, 0, WRITES_REGISTER },               /* mov */
	{ 0x8d, -1, 0, WRITES_REGISTER },                                               /* lea */
	{ 0x31, -1, 0, WRITES_OPERAND }, { 0x33, -1, 0, WRITES_REGISTER },               /* xor */
};

/* What a caller hands over (rdi, rsi, rdx, rcx), and the stack pointer. */
static bool is_kept(unsigned reg)
{
	return reg == 7 || reg == 6 || reg == 2 || reg == 1 || reg == RSP;
}

static size_t operand_length(unsigned mod, unsigned rm, const unsigned char *after, size_t size)
{
	size_t length = 0;

	if (mod != 3 && rm == RSP) {
		if (!size)
			return SIZE_MAX / 2;
		length = 1;
		if (!mod && (after[0] & 7) == RBP)
			return length + 4;
	}
	if (mod == 1)
		return length + 1;
	return length + (mod == 2 || (!mod && rm == RBP) ? 4 : 0);
}

/* How long the instruction is; 0 where it may not be passed. */
static size_t passable_length(const unsigned char *at, size_t size)
{
	size_t length = 0;
	unsigned rex = 0, mod, reg, rm;

	if (size > 2 && at[0] == 0x64)                  /* fs: a thread's own memory */
		length++;
	if (size > length + 2 && (at[length] & 0xf0) == 0x40)
		rex = at[length++];
	if (size < length + 2)
		return 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct form *form = &forms[i];
		size_t all;

		mod = at[length + 1] >> 6;
		reg = at[length + 1] >> 3 & 7;
		rm = at[length + 1] & 7;
		if (form->opcode != at[length] || (form->digit >= 0 && form->digit != (int)reg))
			continue;
		if (form->writes == WRITES_REGISTER && is_kept(reg | (rex & REX_R ? 8 : 0)))
			return 0;
		if (form->writes == WRITES_OPERAND && mod == 3 && is_kept(rm | (rex & REX_B ? 8 : 0)))
			return 0;
		all = length + 2 + operand_length(mod, rm, at + length + 2, size - length - 2) + form->immediate;
		return all < size ? all : 0;
	}
	return 0;
}

bool elf_place_reach(const unsigned char *bytes, size_t size, struct elf_place *place)
{
	for (int i = 0; i < STEPS && place->offset < size; i++) {
		size_t length;

		if (elf_place_is_cheap(bytes, size, place))
			return true;
		length = place->offset < size ? passable_length(bytes + place->offset, size - place->offset) : 0;
		if (!length)
			return false;
		place->offset += length;
	}
	return false;
}

bool elf_place_callee(const unsigned char *bytes, size_t size, struct elf_place *place)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, make_room[] = { 0x48, 0x83, 0xec };
	uint64_t at = place->offset;
	int32_t distance;

	if (at < size && size - at > sizeof(endbr64) && !memcmp(bytes + at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < size && size - at > sizeof(make_room) && !memcmp(bytes + at, make_room, sizeof(make_room)))
		at += sizeof(make_room) + 1;
	if (at >= size || size - at < 5 || bytes[at] != 0xe8)
		return false;
	memcpy(&distance, bytes + at + 1, sizeof(distance));
	at += 5 + (uint64_t)(int64_t)distance;          /* in one segment addresses and offsets differ by the same */
	if (at >= size)
		return false;
	place->offset = at;
	return true;
}
