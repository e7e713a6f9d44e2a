/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump: a header, then records of which each says its size. Only two kinds are read here: code that was loaded, which
 * comes with its bytes, and code that moved. Records are in the order of time in each file that runtimes write; where one
 * is not, it is sorted into its place, since what is newer is decided by the place.
 *
 *	header  magic "JiTD", version, size, machine, –, pid, time, flags
 *	record  kind, size, time │ 0 load   pid, tid, pc, address, size, index, name\0, code
 *	                         │ 1 move   pid, tid, pc, old address, new address, size, index
 *
 * Source of the layout: the kernel's tools/perf/Documentation/jitdump-specification.txt.
 */
#include "symbol/generated.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "symbol/symbol.h"

enum { MAGIC = 0x4a695444, MAGIC_SWAPPED = 0x4454694a, ARCHITECTURE_TIME = 1, LOAD = 0, MOVE = 1 };

struct header {
	uint32_t magic, version, size, machine, unused, pid;
	uint64_t time_ns, flags;
};

struct record { uint32_t kind, size; uint64_t time_ns; };
struct load { uint32_t pid, tid; uint64_t pc, address, size, index; };
struct move { uint32_t pid, tid; uint64_t pc, from, to, size, index; };
_Static_assert(sizeof(struct header) == 40 && sizeof(struct record) == 16, "as the file has them");
_Static_assert(sizeof(struct load) == 40 && sizeof(struct move) == 48, "as the file has them");

struct parser {
	struct generated_codes *into;
	struct map *by_index;                        /* a code's index → its row */
	bool times;                                  /* of our clock */
};

static void add_code(struct parser *parser, uint64_t index, const struct generated_code *code)
{
	size_t before = parser->into->count;

	generated_codes_add(parser->into, code);
	if (parser->into->count > before)
		*map_put(parser->by_index, &index, NULL) = (uint32_t)before;
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
	parser.by_index = map_new(sizeof(uint64_t));
	read_records(&parser, (const char *)bytes + header.size, (const char *)bytes + size);
	map_free(parser.by_index);
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
