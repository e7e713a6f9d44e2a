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

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "interpreter/exported.h"
#include "interpreter/python_layout.h"
#include "wire/python_stamp.h"
#include "wire/wire.h"

#include "crosscut.skel.h"

enum { INTERPRETERS_LIMIT = 64, THREADS_LIMIT = 16384, FRAME_BYTES = 80, LINES_LIMIT = 1 << 20 };

struct published { uint32_t tid; uint64_t state; };

struct interpreter_state {
	const struct unwind_memory *memory;
	struct python_layout layout;
	uint64_t runtime, code_type;
	struct exported_symbol evaluator;
	struct published *threads;                           /* that the kernel half knows */
	size_t thread_count, thread_room;
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

enum { RUNTIME, VERSION, CODE_TYPE, EVALUATOR, SYMBOLS };
static const char *const names[SYMBOLS] = { [RUNTIME] = "_PyRuntime", [VERSION] = "Py_Version", [CODE_TYPE] = "PyCode_Type",
					    [EVALUATOR] = "_PyEval_EvalFrameDefault" };

/* It is the library where there is one, else the program. */
static int find_symbols(const struct interpreter_process *process, struct exported_symbol symbols[SYMBOLS])
{
	static const char *const files[] = { "libpython", "python" };
	int result = -ENOENT;

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		uint64_t base = exported_base(process->maps, files[i]);

		if (!base || exported_find(process->memory, base, names, symbols, SYMBOLS) < 0)
			continue;
		result = -ENOTSUP;
		if (symbols[RUNTIME].address && symbols[VERSION].address && symbols[CODE_TYPE].address)
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
	struct exported_symbol symbols[SYMBOLS] = { 0 };
	struct python_layout layout;
	char version[32];
	int r = find_symbols(process, symbols);

	if (r == -ENOTSUP)
		(void)snprintf(why, INTERPRETER_WHY, "CPython before 3.11: its frames are not known");
	if (r < 0)
		return r;
	r = python_layout_read(process->memory, symbols[RUNTIME].address, symbols[VERSION].address, symbols[CODE_TYPE].address,
			       &layout);
	if (r < 0) {
		version_text(layout.version, version, sizeof(version));
		(void)snprintf(why, INTERPRETER_WHY, "CPython %s: its frames are not known (3.11 to 3.13 are)", version);
		return -ENOTSUP;
	}
	*ret = xcalloc(1, sizeof(**ret));
	**ret = (struct interpreter_state){ .memory = process->memory, .layout = layout, .runtime = symbols[RUNTIME].address,
					     .code_type = symbols[CODE_TYPE].address, .evaluator = symbols[EVALUATOR] };
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
	free(state->threads);
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

typedef void state_function(const struct interpreter_state *state, pid_t tid, uint64_t thread, void *context);

static int walk_threads(const struct interpreter_state *state, state_function *call, void *context)
{
	const struct python_layout *layout = &state->layout;
	uint64_t interpreter = read_word(state, state->runtime + layout->runtime_interpreters);
	int count = 0;

	for (int i = 0; interpreter && i < INTERPRETERS_LIMIT; i++) {
		uint64_t thread = read_word(state, interpreter + layout->interpreter_threads);

		for (; thread && count < THREADS_LIMIT; count++) {
			call(state, (pid_t)read_word(state, thread + layout->thread_native_id), thread, context);
			thread = read_word(state, thread + layout->thread_next);
		}
		interpreter = read_word(state, interpreter + layout->interpreter_next);
	}
	return count;
}

struct telling { interpreter_thread_function *call; void *context; struct interpreter_walked *frames; };

static void tell_thread(const struct interpreter_state *state, pid_t tid, uint64_t thread, void *context)
{
	const struct telling *telling = context;

	telling->call(telling->context, tid, telling->frames, walk_frames(state, first_frame(state, thread), telling->frames));
}

static int threads(struct interpreter_state *state, interpreter_thread_function *call, void *context)
{
	CLEANUP_TEXT struct interpreter_walked *frames = xcalloc(INTERPRETER_FRAME_LIMIT, sizeof(*frames));
	struct telling telling = { call, context, frames };

	return walk_threads(state, tell_thread, &telling);
}

static bool evaluator(const struct interpreter_state *state, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = state->evaluator.address;
	*ret_end = state->evaluator.address + state->evaluator.size;
	return state->evaluator.size > 0;
}

/* --- The kernel half's ------------------------------------------------------------------------------------------ */

/* It reads nine words of a frame, and chooses among them. */
static bool fits_kernel_half(const struct python_layout *layout)
{
	const uint32_t words[] = { layout->frame_code, layout->frame_previous, layout->frame_instruction };

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (words[i] % 8 || words[i] > 64)
			return false;
	if (layout->code_name != layout->code_file + 8 || layout->code_qualified != layout->code_file + 16 ||
	    layout->code_lines != layout->code_file + 24)
		return false;
	return layout->frame_owner >= 64 && layout->frame_owner < 72 && (!layout->has_entry_flag || layout->frame_entry / 8 == 8);
}

struct publishing { struct interpreter_state *state; uint32_t process; int fd; struct published *now; size_t count, room; };

static void publish_thread(const struct interpreter_state *state, pid_t tid, uint64_t thread, void *context)
{
	struct publishing *publishing = context;
	struct wire_python_thread wire = { .state = thread, .process = publishing->process };
	uint32_t key = (uint32_t)tid;

	(void)state;
	if (tid <= 0 || bpf_map_update_elem(publishing->fd, &key, &wire, BPF_ANY))
		return;
	grow(publishing->now, publishing->count, publishing->room);
	publishing->now[publishing->count++] = (struct published){ key, thread };
}

static bool is_among(uint32_t tid, const struct published *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (threads[i].tid == tid)
			return true;
	return false;
}

/* Numbers of threads are used again, so those that are gone are taken back. */
static void take_back(int fd, const struct interpreter_state *state, const struct published *now, size_t count)
{
	for (size_t i = 0; i < state->thread_count; i++)
		if (!is_among(state->threads[i].tid, now, count))
			(void)bpf_map_delete_elem(fd, &state->threads[i].tid);
}

static void publish(struct interpreter_state *state, pid_t pid, struct crosscut_bpf *bpf)
{
	const struct python_layout *layout = &state->layout;
	struct publishing publishing = { .state = state, .process = (uint32_t)pid, .fd = bpf_map__fd(bpf->maps.python_threads) };
	struct wire_python wire = {
		.thread_frame = layout->thread_frame, .cframe_frame = layout->cframe_frame, .has_cframe = layout->has_cframe,
		.code = (uint8_t)(layout->frame_code / 8), .previous = (uint8_t)(layout->frame_previous / 8),
		.instruction = (uint8_t)(layout->frame_instruction / 8), .owner_shift = (uint8_t)(layout->frame_owner % 8 * 8),
		.entry_shift = (uint8_t)(layout->frame_entry % 8 * 8), .has_entry_flag = layout->has_entry_flag,
		.code_texts = layout->code_file };

	if (!fits_kernel_half(layout))
		return;
	(void)walk_threads(state, publish_thread, &publishing);
	take_back(publishing.fd, state, publishing.now, publishing.count);
	free(state->threads);
	state->threads = publishing.now;
	state->thread_count = publishing.count;
	(void)bpf_map_update_elem(bpf_map__fd(bpf->maps.python_processes), &publishing.process, &wire, BPF_ANY);
}

static void retract(struct interpreter_state *state, pid_t pid, struct crosscut_bpf *bpf)
{
	uint32_t process = (uint32_t)pid;

	(void)bpf_map_delete_elem(bpf_map__fd(bpf->maps.python_processes), &process);
	take_back(bpf_map__fd(bpf->maps.python_threads), state, NULL, 0);
	state->thread_count = 0;
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

	__u64 texts[PYTHON_STAMP_WORDS], stamp = code >> PYTHON_STAMP_SHIFT << PYTHON_STAMP_SHIFT;

	code -= stamp;
	if (read_word(state, code + layout->object_type) != state->code_type)   /* it was freed, or never was one */
		return -ESRCH;
	if (stamp && (!read_bytes(state, texts, sizeof(texts), code + layout->code_file) || python_stamp(texts) != stamp))
		return -ESTALE;
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
	.evaluator = evaluator,
	.publish = publish,
	.retract = retract,
	.name_of = name_of,
};
