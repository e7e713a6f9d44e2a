/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump: a header, then records of which each says its size. Three kinds are read here: code that was loaded, which
 * comes with its bytes, code that moved, and the lines of code that is loaded next. Records are in the order of time in each file that runtimes write; where one
 * is not, it is sorted into its place, since what is newer is decided by the place.
 *
 *	header  magic "JiTD", version, size, machine, –, pid, time, flags
 *	record  kind, size, time │ 0 load   pid, tid, pc, address, size, index, name\0, code
 *	                         │ 1 move   pid, tid, pc, old address, new address, size, index
 *	                         │ 2 lines  address, count; each: address, line, column, path\0 (FF 00: as before)
 *
 * V8 writes its lines for perf, which puts 64 bytes before each code, and names files from memory that it has freed: lines that
 * nowhere begin before byte 64 are moved back by those, a path that is no text is none, and lines beyond the code end its list.
 *
 * Source of the layout: the kernel's tools/perf/Documentation/jitdump-specification.txt.
 */
#include "symbol/generated.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "symbol/symbol.h"

enum { MAGIC = 0x4a695444, MAGIC_SWAPPED = 0x4454694a, ARCHITECTURE_TIME = 1, LOAD = 0, MOVE = 1, LINES = 2, V8_SHIFT = 64 };

struct header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time_ns, flags;
};

struct record { uint32_t kind, size; uint64_t time_ns; };
struct load { uint32_t pid, tid; uint64_t pc, address, size, index; };
struct move { uint32_t pid, tid; uint64_t pc, from, to, size, index; };
struct lines { uint64_t address, count; };
struct line { uint64_t address; uint32_t line, column; };
_Static_assert(sizeof(struct header) == 40 && sizeof(struct record) == 16, "as the file has them");
_Static_assert(sizeof(struct load) == 40 && sizeof(struct move) == 48, "as the file has them");
_Static_assert(sizeof(struct lines) == 16 && sizeof(struct line) == 16, "as the file has them");

struct parser {
	struct generated_codes *into;
	struct map *by_index;                        /* a code's index → its row */
	bool times;                                  /* of our clock */
	uint64_t lines_address;                      /* of the code that the last lines are about */
	uint32_t first_line, line_count;             /* 0: of none */
	uint64_t least_offset;                       /* of all lines */
};

static void add_code(struct parser *parser, uint64_t index, const struct generated_code *code)
{
	size_t before = parser->into->count;

	generated_codes_add(parser->into, code);
	if (parser->into->count > before)
		*map_put(parser->by_index, &index, NULL) = (uint32_t)before;
}

/* Printable UTF-8. */
static bool is_text(const char *text, size_t size)
{
	size_t rest = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char letter = (unsigned char)text[i];

		if (rest ? (letter & 0xc0) != 0x80 : letter < ' ' || letter == 127 || (letter & 0xc0) == 0x80 || letter >= 0xf8)
			return false;
		rest = rest ? rest - 1 : letter >= 0xf0 ? 3 : letter >= 0xe0 ? 2 : letter >= 0xc0;
	}
	return !rest;
}

/* One entry; moves *at behind it. A path of the one byte FF is that of the entry before. */
static bool read_line(struct parser *parser, uint64_t start, const char **at, const char *end)
{
	struct generated_codes *into = parser->into;
	const struct generated_line *before = parser->line_count ? &into->lines[into->line_count - 1] : NULL;
	struct generated_line entry;
	struct line line;
	size_t length;

	if ((size_t)(end - *at) < sizeof(line))
		return false;
	memcpy(&line, *at, sizeof(line));
	*at += sizeof(line);
	length = strnlen(*at, (size_t)(end - *at));
	if (*at + length == end || line.address < start)
		return false;
	entry = (struct generated_line){ line.address - start, *at, (uint32_t)length, line.line };
	if (length == 1 && **at == '\xff') {
		entry.path = before ? before->path : "";
		entry.path_size = before ? before->path_size : 0;
	} else if (!is_text(*at, length)) {
		entry.path_size = 0;
	}
	*at += length + 1;
	if (before && before->offset > entry.offset)
		return false;
	if (entry.offset < parser->least_offset)
		parser->least_offset = entry.offset;
	if (into->line_count >= GENERATED_LINE_LIMIT) {
		into->dropped++;
		return true;
	}
	grow(into->lines, into->line_count, into->line_room);
	into->lines[into->line_count++] = entry;
	parser->line_count++;
	return true;
}

/* The lines of the code that is loaded next. Those that do not ascend end the list: what stands before them is kept. */
static void read_lines(struct parser *parser, const char *body, size_t size)
{
	const char *at = body + sizeof(struct lines), *end = body + size;
	struct lines lines;

	parser->line_count = 0;
	parser->first_line = (uint32_t)parser->into->line_count;
	if (size < sizeof(lines)) {
		parser->into->malformed++;
		return;
	}
	memcpy(&lines, body, sizeof(lines));
	parser->lines_address = lines.address;
	for (uint64_t i = 0; i < lines.count; i++)
		if (!read_line(parser, lines.address, &at, end)) {
			parser->into->malformed++;
			return;
		}
}

/* How many of the last lines begin before such an offset. */
static uint32_t lines_within(const struct parser *parser, uint64_t end)
{
	uint32_t count = parser->line_count;

	while (count && parser->into->lines[parser->first_line + count - 1].offset >= end)
		count--;
	return count;
}

static void read_load(struct parser *parser, const struct record *record, const char *body, size_t size)
{
	struct load load;
	struct generated_code code = { .since_ns = parser->times ? record->time_ns : 0 };
	size_t length;

	if (size < sizeof(load)) {
		parser->into->malformed++;
		return;
	}
	memcpy(&load, body, sizeof(load));
	length = strnlen(body + sizeof(load), size - sizeof(load));
	if (length == size - sizeof(load) || load.address + load.size < load.address) {
		parser->into->malformed++;
		return;
	}
	code.start = load.address;
	code.end = load.address + load.size;
	code.name = body + sizeof(load);
	code.name_size = length < GENERATED_NAME_LIMIT ? (uint32_t)length : GENERATED_NAME_LIMIT;
	if (parser->lines_address == load.address) {
		code.first_line = parser->first_line;
		code.line_count = lines_within(parser, load.size + V8_SHIFT);
	}
	parser->line_count = 0;
	add_code(parser, load.index, &code);
}

static void read_move(struct parser *parser, const struct record *record, const char *body, size_t size)
{
	struct generated_code code;
	struct move move;
	const uint32_t *row;

	if (size < sizeof(move)) {
		parser->into->malformed++;
		return;
	}
	memcpy(&move, body, sizeof(move));
	row = map_find(parser->by_index, &move.index);
	if (!row || move.to + move.size < move.to) {
		parser->into->malformed++;
		return;
	}
	code = parser->into->rows[*row];
	code.start = move.to;
	code.end = move.to + move.size;
	code.since_ns = parser->times ? record->time_ns : 0;
	add_code(parser, move.index, &code);
}

/* By time; equal times keep their order, for which rows are compared by place (names lie in the order of the file). */
static int compare_times(const void *left, const void *right)
{
	const struct generated_code *a = left, *b = right;

	if (a->since_ns != b->since_ns)
		return a->since_ns < b->since_ns ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void sort_by_time(struct generated_codes *codes)
{
	for (size_t i = 1; i < codes->count; i++)
		if (codes->rows[i].since_ns < codes->rows[i - 1].since_ns) {
			qsort(codes->rows, codes->count, sizeof(*codes->rows), compare_times);
			return;
		}
}

static void shift_lines(struct generated_codes *codes)
{
	for (size_t i = 0; i < codes->line_count; i++)
		codes->lines[i].offset -= V8_SHIFT;
}

static void read_records(struct parser *parser, const char *at, const char *end)
{
	struct record record;

	while ((size_t)(end - at) >= sizeof(record)) {
		memcpy(&record, at, sizeof(record));
		if (record.size < sizeof(record) || record.size > (size_t)(end - at)) {
			parser->into->malformed++;           /* damaged, or its writer is still at it */
			return;
		}
		if (record.kind == LOAD)
			read_load(parser, &record, at + sizeof(record), record.size - sizeof(record));
		else if (record.kind == MOVE)
			read_move(parser, &record, at + sizeof(record), record.size - sizeof(record));
		else if (record.kind == LINES)
			read_lines(parser, at + sizeof(record), record.size - sizeof(record));
		at += record.size;
	}
}

int jitdump_parse(const void *bytes, size_t size, struct generated_codes *into)
{
	struct parser parser = { .into = into };
	struct header header;

	if (size < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != MAGIC)
		return header.magic == MAGIC_SWAPPED ? -ENOTSUP : -ENOEXEC;
	if (header.size < sizeof(header) || header.size > size)
		return -ENOEXEC;
	parser.times = !(header.flags & ARCHITECTURE_TIME);
	parser.least_offset = UINT64_MAX;
	parser.by_index = map_new(sizeof(uint64_t));
	read_records(&parser, (const char *)bytes + header.size, (const char *)bytes + size);
	map_free(parser.by_index);
	if (parser.least_offset >= V8_SHIFT)
		shift_lines(into);
	sort_by_time(into);
	return 0;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	generated_resolve(module, GENERATED_JITDUMP, jitdump_parse, queries, count);
}

const struct symbol_source symbol_source_jitdump = {
	.name = "jitdump",
	.summary = "generated code, from the dump its runtime writes, with times",
	.resolve = resolve,
};
