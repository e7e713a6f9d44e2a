/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of 3.11 and 3.12, the table of 3.13, and the table of lines, which all three share: a sequence of entries that
 * each begin with a byte of 0x80 or more, and stand for one to eight code units of two bytes.
 *
 *	1 kkkk lll   kind, units - 1      kind 15 no line, 14 line and columns, 13 line, 12-10 line + 2-0, else same line
 *
 * Source of the layout: CPython's Objects/locations.md; of the offsets: its headers below Include/internal.
 */
#include "interpreter/python_layout.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

enum { TYPE_MEMBERS = 240, MEMBER_SIZE = 40, MEMBER_OFFSET = 16, MEMBER_LIMIT = 64 };

static const struct python_layout rows[] = {
	{ .version = 0x030b, .runtime_interpreters = 40, .interpreter_next = 0, .interpreter_threads = 16, .thread_next = 8,
	  .thread_native_id = 160, .thread_frame = 56, .cframe_frame = 8, .has_cframe = 1, .has_entry_flag = 1, .frame_code = 32,
	  .frame_previous = 48, .frame_instruction = 56, .frame_owner = 69, .frame_entry = 68, .code_bytes = 184, .code_file = 112,
	  .code_name = 120, .code_qualified = 128, .code_lines = 136, .code_first_line = 72, .text_length = 16, .text_state = 32,
	  .text_ascii = 48, .text_compact = 72, .bytes_length = 16, .bytes_bytes = 32, .object_type = 8 },
	{ .version = 0x030c, .runtime_interpreters = 40, .interpreter_next = 0, .interpreter_threads = 72, .thread_next = 8,
	  .thread_native_id = 144, .thread_frame = 56, .cframe_frame = 0, .has_cframe = 1, .frame_code = 0, .frame_previous = 8,
	  .frame_instruction = 56, .frame_owner = 70, .code_bytes = 192, .code_file = 112, .code_name = 120, .code_qualified = 128,
	  .code_lines = 136, .code_first_line = 68, .text_length = 16, .text_state = 32, .text_ascii = 40, .text_compact = 56,
	  .bytes_length = 16, .bytes_bytes = 32, .object_type = 8 },
};

/* The words of _Py_DebugOffsets in 3.13. */
enum { TOLD_VERSION = 1, TOLD_INTERPRETERS = 5, TOLD_INTERPRETER_NEXT = 8, TOLD_INTERPRETER_THREADS = 9, TOLD_THREAD_NEXT = 21,
       TOLD_THREAD_FRAME = 23, TOLD_THREAD_NATIVE_ID = 25, TOLD_FRAME_PREVIOUS = 29, TOLD_FRAME_CODE = 30,
       TOLD_FRAME_INSTRUCTION = 31, TOLD_FRAME_OWNER = 33, TOLD_CODE_FILE = 35, TOLD_CODE_NAME = 36, TOLD_CODE_QUALIFIED = 37,
       TOLD_CODE_LINES = 38, TOLD_CODE_FIRST_LINE = 39, TOLD_CODE_BYTES = 43, TOLD_OBJECT_TYPE = 45, TOLD_BYTES_LENGTH = 65, TOLD_BYTES_BYTES = 66,
       TOLD_TEXT_STATE = 68, TOLD_TEXT_LENGTH = 69, TOLD_TEXT_ASCII = 70, TOLD_WORDS = 73, TOLD_LIMIT = 1 << 20 };

static int layout_told(const struct unwind_memory *memory, uint64_t runtime, struct python_layout *ret)
{
	uint64_t told[TOLD_WORDS];

	if (memory->read(memory->context, told, sizeof(told), runtime))
		return -EFAULT;
	if (memcmp(told, "xdebugpy", 8) || told[TOLD_VERSION] >> 16 != 0x030d)
		return -ENOTSUP;
	for (int i = TOLD_INTERPRETERS; i < TOLD_WORDS; i++)
		if (told[i] > TOLD_LIMIT)
			return -ENOTSUP;
#define TOLD(name) (uint32_t)told[TOLD_##name]
	*ret = (struct python_layout){
		.version = ret->version, .runtime_interpreters = TOLD(INTERPRETERS), .interpreter_next = TOLD(INTERPRETER_NEXT),
		.interpreter_threads = TOLD(INTERPRETER_THREADS), .thread_next = TOLD(THREAD_NEXT),
		.thread_native_id = TOLD(THREAD_NATIVE_ID), .thread_frame = TOLD(THREAD_FRAME), .frame_code = TOLD(FRAME_CODE),
		.frame_previous = TOLD(FRAME_PREVIOUS), .frame_instruction = TOLD(FRAME_INSTRUCTION), .frame_owner = TOLD(FRAME_OWNER),
		.code_bytes = TOLD(CODE_BYTES), .code_file = TOLD(CODE_FILE), .code_name = TOLD(CODE_NAME),
		.code_qualified = TOLD(CODE_QUALIFIED), .code_lines = TOLD(CODE_LINES), .code_first_line = TOLD(CODE_FIRST_LINE),
		.text_length = TOLD(TEXT_LENGTH), .text_state = TOLD(TEXT_STATE), .text_ascii = TOLD(TEXT_ASCII),
		.text_compact = TOLD(TEXT_ASCII) + 16, .bytes_length = TOLD(BYTES_LENGTH), .bytes_bytes = TOLD(BYTES_BYTES),
		.object_type = TOLD(OBJECT_TYPE) };
#undef TOLD
	return 0;
}

/* What the type of code objects says of its members stands above the row. */
static void ask_code_type(const struct unwind_memory *memory, uint64_t code_type, struct python_layout *layout)
{
	const struct { const char *name; uint32_t *offset; } members[] = {
		{ "co_filename", &layout->code_file }, { "co_name", &layout->code_name }, { "co_qualname", &layout->code_qualified },
		{ "co_linetable", &layout->code_lines }, { "co_firstlineno", &layout->code_first_line } };
	uint64_t at, name, offset;
	char text[16];

	if (memory->read(memory->context, &at, sizeof(at), code_type + TYPE_MEMBERS))
		return;
	for (int i = 0; i < MEMBER_LIMIT; i++, at += MEMBER_SIZE) {
		if (memory->read(memory->context, &name, sizeof(name), at) || !name ||
		    memory->read(memory->context, &offset, sizeof(offset), at + MEMBER_OFFSET) ||
		    memory->read(memory->context, text, sizeof(text), name))
			return;
		for (size_t m = 0; m < ARRAY_LENGTH(members); m++)
			if (!strncmp(text, members[m].name, sizeof(text)) && offset < TOLD_LIMIT)
				*members[m].offset = (uint32_t)offset;
	}
}

int python_layout_read(const struct unwind_memory *memory, uint64_t runtime, uint64_t version, uint64_t code_type,
		       struct python_layout *ret)
{
	uint64_t number = 0;

	*ret = (struct python_layout){ 0 };
	if (memory->read(memory->context, &number, sizeof(uint32_t), version))
		return -EFAULT;
	ret->version = (uint32_t)number;
	if (number >> 16 == 0x030d)
		return layout_told(memory, runtime, ret);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		if (number >> 16 != rows[i].version)
			continue;
		*ret = rows[i];
		ret->version = (uint32_t)number;
		if (code_type)
			ask_code_type(memory, code_type, ret);
		return 0;
	}
	return -ENOTSUP;
}

/* --- Lines ------------------------------------------------------------------------------------------------------ */

struct cursor { const uint8_t *at, *end; };

/* Six bits at a time, the lowest first; a byte that goes on has bit 6. */
static uint32_t read_number(struct cursor *cursor)
{
	uint32_t value = 0;

	for (unsigned shift = 0; cursor->at < cursor->end && shift < 30; shift += 6) {
		uint8_t byte = *cursor->at++;

		value |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return value;
}

static int32_t read_signed(struct cursor *cursor)
{
	uint32_t value = read_number(cursor);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

static int32_t line_step(struct cursor *cursor, unsigned kind)
{
	if (kind == 14 || kind == 13)
		return read_signed(cursor);
	return kind >= 10 && kind <= 12 ? (int32_t)kind - 10 : 0;
}

uint32_t python_line(const uint8_t *table, uint32_t size, uint32_t first_line, int64_t instruction_bytes)
{
	struct cursor cursor = { table, table + size };
	int64_t line = first_line, begin = 0;

	if (instruction_bytes < 0)                           /* nothing of it has run yet */
		return first_line;
	while (cursor.at < cursor.end) {
		uint8_t head = *cursor.at++;
		unsigned kind = head >> 3 & 15;
		int64_t end = begin + ((head & 7) + 1) * 2;

		line += line_step(&cursor, kind);
		if (instruction_bytes < end)
			return kind == 15 || line < 0 ? 0 : (uint32_t)line;
		begin = end;
		while (cursor.at < cursor.end && !(*cursor.at & 0x80))
			cursor.at++;                         /* columns */
	}
	return 0;
}
