/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot's generated code, by the table of its own structures that it exports for debuggers (gHotSpotVMStructs): no flag,
 * no agent, no debug information. From it the code heaps are walked block by block:
 *
 *	CodeCache::_heaps → CodeHeap { _memory [low … high), segments } → block { length, used } → CodeBlob
 *
 * and each blob's frame becomes rows:
 *
 *	begin                   CFA = rsp + 8                   nothing is pushed yet
 *	begin + frame complete  CFA = rsp + 8 * frame size      the caller's rbp is at CFA - 16
 *	end                     none
 *
 * A method's way out ("add rsp, size; pop rbp; …; ret") is found in its code, which is read once. Stubs keep a frame in rbp,
 * and the interpreter a frame of its own shape. Left to chance are methods compiled since the last look.
 */
#include "interpreter/interpreter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"
#include "interpreter/exported.h"

enum { ENTRY_LIMIT = 16384, HEAP_LIMIT = 16, BLOB_LIMIT = UNWIND_ROW_LIMIT / 4, BLOCK_BYTES = 256, BLOCK_HEADER = 16, NAME = 32, NAMES = 64,
       WINDOW = 16384,
       EPILOGUE_BYTES = 32, CODE_LIMIT = 4 << 20, METHOD_LIMIT = 1 << 20, WAY_LIMIT = 1 << 20 };
#define CODE_READ_LIMIT (512ull << 20)               /* of one process: a hostile one must not keep us reading */

enum { HEAPS, ARRAY_LENGTH_FIELD, ARRAY_DATA, HEAP_MEMORY, HEAP_LOG2_SEGMENT, SPACE_LOW, SPACE_HIGH, BLOCK_LENGTH, BLOCK_USED,
       BLOB_NAME, BLOB_FRAME_SIZE, BLOB_CODE_BEGIN, BLOB_CODE_END, BLOB_FRAME_COMPLETE, FIELDS };
static const struct { const char *type, *field; } field_names[FIELDS] = {
	[HEAPS] = { "CodeCache", "_heaps" },
	[ARRAY_LENGTH_FIELD] = { "GrowableArrayBase", "_len" },
	[ARRAY_DATA] = { "GrowableArray<int>", "_data" },
	[HEAP_MEMORY] = { "CodeHeap", "_memory" },
	[HEAP_LOG2_SEGMENT] = { "CodeHeap", "_log2_segment_size" },
	[SPACE_LOW] = { "VirtualSpace", "_low" },
	[SPACE_HIGH] = { "VirtualSpace", "_high" },
	[BLOCK_LENGTH] = { "HeapBlock::Header", "_length" },
	[BLOCK_USED] = { "HeapBlock::Header", "_used" },
	[BLOB_NAME] = { "CodeBlob", "_name" },
	[BLOB_FRAME_SIZE] = { "CodeBlob", "_frame_size" },
	[BLOB_CODE_BEGIN] = { "CodeBlob", "_code_begin" },
	[BLOB_CODE_END] = { "CodeBlob", "_code_end" },
	[BLOB_FRAME_COMPLETE] = { "CodeBlob", "_frame_complete_offset" },
};

/* A way out of a method, from its begin: behind the add, behind the pop, behind the ret. */
struct way_out { uint32_t added, popped, returned; };
struct method_key { uint64_t begin, end, frame_words; };
struct method { uint32_t first, count; };            /* of the ways out */

struct field { uint64_t offset, address; bool known; };

struct interpreter_state {
	const struct unwind_memory *memory;
	struct field fields[FIELDS];
	struct unwind_row *rows;
	size_t row_count, row_room;
	struct map *known;                           /* method_key → its method */
	struct method *methods;
	size_t method_count, method_room;
	struct way_out *ways;
	size_t way_count, way_room;
	char *code;                                  /* of the method that is being read */
	uint64_t code_read;                          /* bytes, of all methods */
	struct { uint64_t address; char text[NAME]; } names[NAMES];     /* there are few, and each blob points to one */
	size_t name_count;
	uint64_t window_at, window_size;             /* what was read of a heap at once */
	char window[WINDOW];
};

static uint64_t read_word(const struct unwind_memory *memory, uint64_t address)
{
	uint64_t value = 0;

	return memory->read(memory->context, &value, sizeof(value), address) ? 0 : value;
}

/* A text that may end at the edge of what is mapped: read in small pieces. */
static void read_text(const struct unwind_memory *memory, uint64_t address, char *text, size_t size)
{
	size_t have = 0;

	memset(text, 0, size);
	while (have + 8 < size) {
		if (memory->read(memory->context, text + have, 8, address + have) || memchr(text + have, 0, 8))
			break;
		have += 8;
	}
	text[size - 1] = '\0';
}

/* --- What it exports -------------------------------------------------------------------------------------------- */

static void note_field(struct interpreter_state *state, const char *type, const char *field, uint64_t offset, uint64_t address)
{
	for (int i = 0; i < FIELDS; i++)
		if (!strcmp(type, field_names[i].type) && !strcmp(field, field_names[i].field))
			state->fields[i] = (struct field){ .offset = offset, .address = address, .known = true };
}

static int read_structs(struct interpreter_state *state, uint64_t base)
{
	static const char *const names[] = { "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
		"gHotSpotVMStructEntryTypeNameOffset", "gHotSpotVMStructEntryFieldNameOffset",
		"gHotSpotVMStructEntryOffsetOffset", "gHotSpotVMStructEntryAddressOffset" };
	const struct unwind_memory *memory = state->memory;
	struct exported_symbol at[ARRAY_LENGTH(names)];
	uint64_t value[ARRAY_LENGTH(names)];
	int r = exported_find(memory, base, names, at, ARRAY_LENGTH(names));

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (!at[i].address || ((value[i] = read_word(memory, at[i].address)) == 0 && i < 2))
			return -ENOTSUP;
	for (int i = 0; i < ENTRY_LIMIT; i++) {
		uint64_t entry = value[0] + (uint64_t)i * value[1], type = read_word(memory, entry + value[2]);
		char type_name[64], field_name[64];

		if (!type)
			return 0;
		read_text(memory, type, type_name, sizeof(type_name));
		read_text(memory, read_word(memory, entry + value[3]), field_name, sizeof(field_name));
		note_field(state, type_name, field_name, read_word(memory, entry + value[4]), read_word(memory, entry + value[5]));
	}
	return 0;
}

static void forget(struct interpreter_state *state)
{
	map_free(state->known);
	free(state->methods);
	free(state->ways);
	free(state->code);
	free(state->rows);
	free(state);
}

static int recognise(const struct interpreter_process *process, struct interpreter_state **ret, char why[INTERPRETER_WHY])
{
	uint64_t base = exported_base(process->maps, "libjvm.so");
	struct interpreter_state *state;
	int r;

	if (!base)
		return -ENOENT;
	state = xcalloc(1, sizeof(*state));
	state->memory = process->memory;
	state->known = map_new(sizeof(struct method_key));
	r = read_structs(state, base);
	if (r < 0)
		(void)snprintf(why, INTERPRETER_WHY, "libjvm.so shows no table of its structures");
	for (int i = 0; i < FIELDS && !r; i++)
		if (!state->fields[i].known) {
			(void)snprintf(why, INTERPRETER_WHY, "its table of structures lacks %s::%s", field_names[i].type,
				       field_names[i].field);
			r = -ENOTSUP;
		}
	if (r < 0) {
		forget(state);
		return -ENOTSUP;
	}
	*ret = state;
	return 0;
}

static void describe(const struct interpreter_state *state, char text[INTERPRETER_WHY])
{
	(void)state;
	(void)snprintf(text, INTERPRETER_WHY, "HotSpot: its compiled code unwinds by its own table of structures");
}

/* --- Ways out of methods ---------------------------------------------------------------------------------------- */

/* "add rsp, bytes" at the place: its length, 0 where it is another instruction. */
static size_t is_add(const uint8_t *code, size_t size, uint32_t bytes)
{
	int32_t wide;

	if (size >= 4 && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xc4)
		return code[3] == bytes ? 4 : 0;
	if (size < 7 || code[0] != 0x48 || code[1] != 0x81 || code[2] != 0xc4)
		return 0;
	memcpy(&wide, code + 3, sizeof(wide));
	return wide == (int32_t)bytes ? 7 : 0;
}

/* The poll for a safepoint stands between the pop and the ret: a compare and a jump. */
static size_t find_return(const uint8_t *code, size_t size)
{
	for (size_t i = 0; i < size && i < EPILOGUE_BYTES; i++)
		if (code[i] == 0xc3)
			return i + 1;
	return 0;
}

static void find_ways_out(struct interpreter_state *state, const uint8_t *code, size_t size, uint32_t frame_words)
{
	uint32_t bytes = (frame_words - 2) * 8;

	for (size_t at = 0; at + 5 < size && state->way_count < WAY_LIMIT;) {
		size_t added = bytes ? is_add(code + at, size - at, bytes) : 0, length;

		if (!added || code[at + added] != 0x5d || !(length = find_return(code + at + added + 1, size - at - added - 1))) {
			at++;
			continue;
		}
		grow(state->ways, state->way_count, state->way_room);
		state->ways[state->way_count++] = (struct way_out){ (uint32_t)(at + added), (uint32_t)(at + added + 1),
								   (uint32_t)(at + added + 1 + length) };
		at += added + 1 + length;
	}
}

/* NULL where its code is too long, or cannot be read. */
static const struct method *method_of(struct interpreter_state *state, uint64_t begin, uint64_t end, uint32_t frame_words)
{
	struct method_key key = { begin, end, frame_words };
	size_t size = end - begin;
	uint32_t *index = map_find(state->known, &key);
	struct method method = { .first = (uint32_t)state->way_count };

	if (index)
		return &state->methods[*index];
	if (size > CODE_LIMIT || state->method_count >= METHOD_LIMIT || state->code_read + size > CODE_READ_LIMIT)
		return NULL;
	state->code_read += size;
	if (!state->code)
		state->code = xmalloc(CODE_LIMIT);
	if (state->memory->read(state->memory->context, state->code, (uint32_t)size, begin))
		return NULL;
	find_ways_out(state, (const uint8_t *)state->code, size, frame_words);
	method.count = (uint32_t)state->way_count - method.first;
	grow(state->methods, state->method_count, state->method_room);
	*map_put(state->known, &key, NULL) = (uint32_t)state->method_count;
	state->methods[state->method_count] = method;
	return &state->methods[state->method_count++];
}

/* --- Blobs to rows ---------------------------------------------------------------------------------------------- */

static void add_row(struct interpreter_state *state, uint64_t pc, enum unwind_cfa kind, uint64_t cfa, enum unwind_rbp rbp_kind,
		    int rbp)
{
	if (state->row_count >= UNWIND_ROW_LIMIT || pc > UINT32_MAX)
		return;
	if (state->row_count && state->rows[state->row_count - 1].pc == (uint32_t)pc)
		state->row_count--;                          /* a gap of no length */
	grow(state->rows, state->row_count, state->row_room);
	state->rows[state->row_count++] = (struct unwind_row){ .pc = (uint32_t)pc, .cfa = (uint16_t)cfa,
		.kind = (uint8_t)((unsigned)kind | (unsigned)rbp_kind << 4), .rbp = (int8_t)rbp };
}

struct blob {
	uint64_t begin, end;                                 /* from the start of the heap */
	int32_t frame_words, frame_complete;
	const char *name;
};

/* From where its frame is whole: that, and what is left of it on each way out. */
static void add_frame(struct interpreter_state *state, const struct blob *blob, uint64_t low)
{
	uint64_t complete = blob->frame_complete > 0 ? (uint64_t)blob->frame_complete : 0;
	uint32_t words = (uint32_t)blob->frame_words;
	const struct method *method = method_of(state, low + blob->begin, low + blob->end, words);

	add_row(state, blob->begin + complete, UNWIND_RSP, words, UNWIND_RBP_AT_CFA, -2);
	for (uint32_t i = 0; method && i < method->count; i++) {
		const struct way_out *way = &state->ways[method->first + i];

		if (way->added <= complete || blob->begin + way->returned > blob->end)
			continue;
		add_row(state, blob->begin + way->added, UNWIND_RSP, 2, UNWIND_RBP_AT_CFA, -2);
		add_row(state, blob->begin + way->popped, UNWIND_RSP, 1, UNWIND_RBP_SAME, 0);
		add_row(state, blob->begin + way->returned, UNWIND_RSP, words, UNWIND_RBP_AT_CFA, -2);
	}
}

static void add_blob(struct interpreter_state *state, const struct blob *blob, uint64_t low)
{
	if (!strcmp(blob->name, "Interpreter")) {
		add_row(state, blob->begin, UNWIND_INTERPRETER, 0, UNWIND_RBP_SAME, 0);
	} else if (!strncmp(blob->name, "StubRoutines", 12)) {
		add_row(state, blob->begin, UNWIND_RBP, 2, UNWIND_RBP_AT_CFA, -2);
	} else {
		int32_t complete = blob->frame_complete > 0 ? blob->frame_complete : 0;

		if (blob->frame_words < 2 || complete)
			add_row(state, blob->begin, UNWIND_RSP, 1, UNWIND_RBP_SAME, 0);
		if (blob->frame_words >= 2 && blob->frame_words <= UINT16_MAX && blob->begin + (uint64_t)complete < blob->end)
			add_frame(state, blob, low);
	}
	add_row(state, blob->end, UNWIND_NONE, 0, UNWIND_RBP_SAME, 0);
}

static uint64_t word_in(const char *bytes, uint64_t offset)
{
	uint64_t value;

	if (offset > BLOCK_BYTES - sizeof(value))
		return 0;
	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static const char *name_at(struct interpreter_state *state, uint64_t address)
{
	size_t at = 0;

	while (at < state->name_count && state->names[at].address != address)
		at++;
	if (at == NAMES)
		at = state->name_count = 0;                  /* garbage filled it: it begins anew */
	if (at == state->name_count) {
		state->names[at].address = address;
		read_text(state->memory, address, state->names[at].text, NAME);
		state->name_count++;
	}
	return state->names[at].text;
}

/* Some kilobytes at once, since most blocks are small. Valid until the next call. NULL where it cannot be read. */
static const char *block_at(struct interpreter_state *state, uint64_t at, uint64_t high)
{
	uint64_t size = high - at < WINDOW ? high - at : WINDOW;

	if (at < state->window_at || at + BLOCK_HEADER + BLOCK_BYTES > state->window_at + state->window_size) {
		state->window_size = 0;
		if (state->memory->read(state->memory->context, state->window, (uint32_t)size, at))
			return NULL;
		state->window_at = at;
		state->window_size = size;
	}
	return state->window + (at - state->window_at);
}

static bool read_blob(struct interpreter_state *state, const char *bytes, uint64_t low, uint64_t high, struct blob *ret)
{
	const struct field *fields = state->fields;
	uint64_t begin = word_in(bytes, fields[BLOB_CODE_BEGIN].offset), end = word_in(bytes, fields[BLOB_CODE_END].offset);

	if (begin < low || end > high || begin >= end)
		return false;
	*ret = (struct blob){ .begin = begin - low, .end = end - low,
			      .frame_words = (int32_t)word_in(bytes, fields[BLOB_FRAME_SIZE].offset),
			      .frame_complete = (int32_t)word_in(bytes, fields[BLOB_FRAME_COMPLETE].offset) };
	ret->name = name_at(state, word_in(bytes, fields[BLOB_NAME].offset));
	return true;
}

/* Blocks lie in the order of their addresses, so the rows are sorted as they come. */
static void walk_heap(struct interpreter_state *state, uint64_t low, uint64_t high, unsigned shift)
{
	const struct field *fields = state->fields;
	uint64_t at = low, last_end = 0;

	state->window_size = 0;
	for (int i = 0; i < BLOB_LIMIT && at + BLOCK_HEADER + BLOCK_BYTES <= high; i++) {
		const char *bytes = block_at(state, at, high);
		uint64_t length;
		struct blob blob;

		if (!bytes)
			return;
		length = word_in(bytes, fields[BLOCK_LENGTH].offset);
		if (!length || length > (high - at) >> shift)
			return;                              /* caught while it was changed: what is before stands */
		if (bytes[fields[BLOCK_USED].offset & 15] && read_blob(state, bytes + BLOCK_HEADER, at, at + (length << shift), &blob)) {
			blob.begin += at - low;
			blob.end += at - low;
			if (blob.begin >= last_end)
				add_blob(state, &blob, low);
			last_end = blob.end;
		}
		at += length << shift;
	}
}

static int code(struct interpreter_state *state, interpreter_code_function *call, void *context)
{
	const struct unwind_memory *memory = state->memory;
	const struct field *fields = state->fields;
	uint64_t heaps = read_word(memory, fields[HEAPS].address), data = read_word(memory, heaps + fields[ARRAY_DATA].offset);
	uint32_t count = (uint32_t)read_word(memory, heaps + fields[ARRAY_LENGTH_FIELD].offset);
	int ranges = 0;

	if (!heaps || !data)
		return -EFAULT;                              /* it has only just begun, or is gone */
	for (uint32_t i = 0; i < count && i < HEAP_LIMIT; i++) {
		uint64_t heap = read_word(memory, data + i * 8ull), space = heap + fields[HEAP_MEMORY].offset;
		uint64_t low = read_word(memory, space + fields[SPACE_LOW].offset);
		uint64_t high = read_word(memory, space + fields[SPACE_HIGH].offset);
		uint32_t shift = (uint32_t)read_word(memory, heap + fields[HEAP_LOG2_SEGMENT].offset);

		if (!heap || low >= high || high - low > UINT32_MAX || shift > 16)
			continue;
		state->row_count = 0;
		walk_heap(state, low, high, shift);
		if (!state->row_count)
			continue;
		call(context, low, high, state->rows, state->row_count);
		ranges++;
	}
	return ranges;
}

const struct interpreter interpreter_hotspot = {
	.name = "hotspot",
	.summary = "Java: rows of the code that HotSpot compiled, without any flag",
	.recognise = recognise,
	.describe = describe,
	.forget = forget,
	.code = code,
};
