/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython's frames, found as the interpreter itself finds them:
 *
 *	_PyRuntime → interpreters → threads (by their kernel's number) → current frame → previous frame → …
 *
 * Each frame says its code object and the instruction it stands at; the code object says function, file and a table of
 * lines. All of it lies in the memory of the process, and none of it needs the lock that the interpreter itself takes.
 */
#include "interpreter/interpreter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "interpreter/exported.h"
#include "interpreter/python_layout.h"

enum { INTERPRETERS_LIMIT = 64, THREADS_LIMIT = 16384, FRAME_BYTES = 80, LINES_LIMIT = 1 << 20 };

struct interpreter_state {
	const struct unwind_memory *memory;
	struct python_layout layout;
	uint64_t runtime;
};

static uint64_t read_word(const struct interpreter_state *state, uint64_t address)
{
	uint64_t value = 0;

	return state->memory->read(state->memory->context, &value, sizeof(value), address) ? 0 : value;
}

static bool read_bytes(const struct interpreter_state *state, void *to, uint64_t size, uint64_t address)
{
	return !state->memory->read(state->memory->context, to, (uint32_t)size, address);
}

/* --- Recognition ------------------------------------------------------------------------------------------------ */

static const char *const names[] = { "_PyRuntime", "Py_Version", "PyCode_Type" };

/* It is the library where there is one, else the program. */
static int find_symbols(const struct interpreter_process *process, uint64_t addresses[ARRAY_LENGTH(names)])
{
	static const char *const files[] = { "libpython", "python" };
	int result = -ENOENT;

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		uint64_t base = exported_base(process->maps, files[i]);

		if (!base || exported_find(process->memory, base, names, addresses, ARRAY_LENGTH(names)) < 0)
			continue;
		result = -ENOTSUP;
		if (addresses[0] && addresses[1])
			return 0;
	}
	return result;
}

static void version_text(uint32_t version, char *text, size_t size)
{
	(void)snprintf(text, size, "%u.%u.%u", version >> 24, version >> 16 & 255, version >> 8 & 255);
}

static int recognise(const struct interpreter_process *process, struct interpreter_state **ret, char why[INTERPRETER_WHY])
{
	uint64_t addresses[ARRAY_LENGTH(names)] = { 0 };
	struct python_layout layout;
	char version[32];
	int r = find_symbols(process, addresses);

	if (r == -ENOTSUP)
		(void)snprintf(why, INTERPRETER_WHY, "CPython before 3.11: its frames are not known");
	if (r < 0)
		return r;
	r = python_layout_read(process->memory, addresses[0], addresses[1], addresses[2], &layout);
	if (r < 0) {
		version_text(layout.version, version, sizeof(version));
		(void)snprintf(why, INTERPRETER_WHY, "CPython %s: its frames are not known (3.11 to 3.13 are)", version);
		return -ENOTSUP;
	}
	*ret = xcalloc(1, sizeof(**ret));
	**ret = (struct interpreter_state){ .memory = process->memory, .layout = layout, .runtime = addresses[0] };
	return 0;
}

static void describe(const struct interpreter_state *state, char text[INTERPRETER_WHY])
{
	char version[32];

	version_text(state->layout.version, version, sizeof(version));
	(void)snprintf(text, INTERPRETER_WHY, "CPython %s", version);
}

static void forget(struct interpreter_state *state)
{
	free(state);
}

/* --- Threads and their frames ----------------------------------------------------------------------------------- */

static uint64_t word_at(const char *bytes, uint32_t offset)
{
	uint64_t value = 0;

	if (offset <= FRAME_BYTES - sizeof(value))
		memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static size_t walk_frames(const struct interpreter_state *state, uint64_t frame, struct interpreter_walked *frames)
{
	const struct python_layout *layout = &state->layout;
	char bytes[FRAME_BYTES];
	size_t count = 0;

	for (int i = 0; frame && i < 2 * INTERPRETER_FRAME_LIMIT && count < INTERPRETER_FRAME_LIMIT; i++) {
		if (!read_bytes(state, bytes, sizeof(bytes), frame))
			break;
		frame = word_at(bytes, layout->frame_previous);
		if (!layout->has_entry_flag && bytes[layout->frame_owner] == PYTHON_OWNER_C_STACK) {
			if (count)
				frames[count - 1].entry = true;
			continue;
		}
		frames[count++] = (struct interpreter_walked){ .code = word_at(bytes, layout->frame_code),
			.instruction = word_at(bytes, layout->frame_instruction),
			.entry = layout->has_entry_flag && bytes[layout->frame_entry] };
	}
	return count;
}

static uint64_t first_frame(const struct interpreter_state *state, uint64_t thread)
{
	uint64_t frame = read_word(state, thread + state->layout.thread_frame);

	return state->layout.has_cframe && frame ? read_word(state, frame + state->layout.cframe_frame) : frame;
}

static int threads(struct interpreter_state *state, interpreter_thread_function *call, void *context)
{
	const struct python_layout *layout = &state->layout;
	CLEANUP_TEXT struct interpreter_walked *frames = xcalloc(INTERPRETER_FRAME_LIMIT, sizeof(*frames));
	uint64_t interpreter = read_word(state, state->runtime + layout->runtime_interpreters);
	int count = 0;

	for (int i = 0; interpreter && i < INTERPRETERS_LIMIT; i++) {
		uint64_t thread = read_word(state, interpreter + layout->interpreter_threads);

		for (; thread && count < THREADS_LIMIT; count++) {
			pid_t tid = (pid_t)read_word(state, thread + layout->thread_native_id);

			call(context, tid, frames, walk_frames(state, first_frame(state, thread), frames));
			thread = read_word(state, thread + layout->thread_next);
		}
		interpreter = read_word(state, interpreter + layout->interpreter_next);
	}
	return count;
}

/* --- Names ------------------------------------------------------------------------------------------------------ */

static size_t put_utf8(char *to, size_t room, uint32_t point)
{
	size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const uint8_t marks[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	if (point > 0x10ffff || size > room)
		return 0;
	for (size_t i = size; i-- > 1; point >>= 6)
		to[i] = (char)(0x80 | (point & 63));
	to[0] = (char)(marks[size] | point);
	return size;
}

/* A str keeps its characters as 1, 2 or 4 bytes each, whichever its widest needs. State: 2 bits, 3 bits of that width,
 * then whether they follow the head, and whether all are ASCII. */
static bool read_text(const struct interpreter_state *state, uint64_t object, char *text, size_t size)
{
	const struct python_layout *layout = &state->layout;
	uint64_t length, mask;
	uint32_t bits, width, offset;
	size_t have = 0;
	char bytes[4 * INTERPRETER_FILE];

	if (!object || !read_bytes(state, &length, sizeof(length), object + layout->text_length) ||
	    !read_bytes(state, &bits, sizeof(bits), object + layout->text_state))
		return false;
	width = bits >> 2 & 7;
	offset = bits >> 6 & 1 ? layout->text_ascii : layout->text_compact;
	if (!(bits >> 5 & 1) || (width != 1 && width != 2 && width != 4) || length > LINES_LIMIT)
		return false;
	if (length >= size)
		length = size - 1;
	if (!read_bytes(state, bytes, length * width, object + offset))
		return false;
	mask = width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
	for (size_t i = 0; i < length; i++) {
		uint32_t point = 0;

		memcpy(&point, bytes + i * width, width);
		point &= mask;
		have += put_utf8(text + have, size - 1 - have, point < ' ' || point == 127 ? '?' : point);
	}
	text[have] = '\0';
	return true;
}

static uint32_t read_line(const struct interpreter_state *state, uint64_t code, uint64_t instruction)
{
	const struct python_layout *layout = &state->layout;
	uint64_t lines = read_word(state, code + layout->code_lines), size = read_word(state, lines + layout->bytes_length);
	uint32_t first = (uint32_t)read_word(state, code + layout->code_first_line);
	CLEANUP_TEXT uint8_t *table = NULL;

	if (!lines || size > LINES_LIMIT)
		return 0;
	table = xmalloc(size + 1);
	if (!read_bytes(state, table, size, lines + layout->bytes_bytes))
		return 0;
	return python_line(table, (uint32_t)size, first, (int64_t)(instruction - (code + layout->code_bytes)));
}

static int name_of(struct interpreter_state *state, uint64_t code, uint64_t instruction, struct interpreter_frame *ret)
{
	const struct python_layout *layout = &state->layout;

	if (!read_text(state, read_word(state, code + layout->code_name), ret->name, sizeof(ret->name)) ||
	    !read_text(state, read_word(state, code + layout->code_file), ret->file, sizeof(ret->file)))
		return -ESRCH;
	if (!read_text(state, read_word(state, code + layout->code_qualified), ret->function, sizeof(ret->function)))
		memcpy(ret->function, ret->name, sizeof(ret->function));
	ret->line = read_line(state, code, instruction);
	return 0;
}

const struct interpreter interpreter_python = {
	.name = "python",
	.summary = "CPython 3.11 to 3.13: functions, files and lines of every thread",
	.recognise = recognise,
	.describe = describe,
	.forget = forget,
	.threads = threads,
	.name_of = name_of,
};
