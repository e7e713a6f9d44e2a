/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline chains and lines, from the debug information of a file that has frames: of the file itself or of its debug file.
 * What the cache does not know is read by a confined child. A file whose reading fails has names without lines, and is
 * counted; all files together have a limit of time.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/code_cache.h"
#include "symbol/code_map.h"
#include "symbol/confined.h"
#include "symbol/demangle.h"
#include "symbol/dwarf_reader.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

enum { CODE_SEGMENT_LIMIT = 16 };

#define SECOND_NS 1000000000ull
#define READ_NS (20 * SECOND_NS)                     /* after it the child leaves the rest out; it has as long to pack */
#define MEMORY_BYTES (6ull << 30)                    /* of address space, most of it the file itself, mapped */
#define ANSWER_BYTES (512ull << 20)

static struct elf_file *with_debug_info(struct symbol_module *module)
{
	struct elf_file *debug;

	if (elf_file_has_section(module->elf, ".debug_info") || elf_file_has_section(module->elf, ".zdebug_info"))
		return module->elf;
	debug = symbol_module_debug(module);
	return debug && (elf_file_has_section(debug, ".debug_info") || elf_file_has_section(debug, ".zdebug_info")) ? debug : NULL;
}

/* The addresses of the queries, in order; those that no segment holds are left out. */
static uint64_t *addresses_of(const struct symbol_module *module, const struct symbol_query *queries, size_t count,
			      size_t *ret_count)
{
	uint64_t *addresses = xcalloc(count + 1, sizeof(*addresses));

	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (elf_file_address(module->elf, queries[i].offset, &addresses[*ret_count]))
			++*ret_count;
	return addresses;
}

static int compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Moves those that the map does not know to the front. */
static size_t keep_unknown(const struct code_map *map, uint64_t *addresses, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!map || !code_map_covers(map, addresses[i]))
			addresses[kept++] = addresses[i];
	return kept;
}

static void count_end(struct symbol_statistics *statistics, enum confined_end end)
{
	if (end == CONFINED_CRASHED)
		statistics->debug_crashed++;
	else if (end == CONFINED_TIMED_OUT)
		statistics->debug_timed_out++;
	else if (end != CONFINED_DONE)
		statistics->debug_failed++;
}

/* Of the time for all files, and what one of them may take of it. */
static uint64_t time_left_ns(const struct symbol_module *module)
{
	uint64_t wall_ns = module->options->debug_wall_ns ? module->options->debug_wall_ns : SYMBOL_DEBUG_WALL_S * SECOND_NS;
	uint64_t left_ns = wall_ns > module->statistics->debug_ns ? wall_ns - module->statistics->debug_ns : 0;

	return left_ns < READ_NS ? left_ns : READ_NS;
}

static struct code_map *read_map(struct symbol_module *module, struct elf_file *debug, const struct code_map *known,
				 const uint64_t *addresses, size_t count)
{
	struct elf_code code[CODE_SEGMENT_LIMIT];
	struct dwarf_segment segments[CODE_SEGMENT_LIMIT];
	struct dwarf_question question = { .fd = elf_file_descriptor(debug), .addresses = addresses, .count = count,
					   .code = segments, .known = known, .time_ns = time_left_ns(module) };
	struct confined_limits limits = { .processor_s = 2 * READ_NS / SECOND_NS, .wall_ns = time_left_ns(module) + READ_NS,
					  .memory_bytes = MEMORY_BYTES, .answer_bytes = ANSWER_BYTES };
	struct code_map *map = NULL;
	enum confined_end end;
	void *bytes = NULL;
	size_t size = 0;

	question.code_count = elf_file_code(module->elf, code, CODE_SEGMENT_LIMIT);
	for (size_t i = 0; i < question.code_count; i++)
		segments[i] = (struct dwarf_segment){ code[i].start, code[i].end };
	end = confined_run(dwarf_read, &question, question.fd, &limits, &bytes, &size);
	if (end == CONFINED_DONE && code_map_open(bytes, size, &map) < 0)
		end = CONFINED_FAILED;
	count_end(module->statistics, end);
	if (map) {
		module->statistics->files_read++;
		module->statistics->debug_partial += code_map_tables(map)->head->partial;
	}
	return map;
}

/* The build id says which program it is; the size, whether it is the same debug information of it. "" without either. */
static char *cache_name(const struct symbol_module *module, const struct elf_file *debug)
{
	const char *build_id = elf_file_build_id(module->elf);
	struct stat status;

	if (!module->options->cache_directory || !*build_id || fstat(elf_file_descriptor(debug), &status) < 0)
		return NULL;
	return xasprintf("%s-%" PRIx64, build_id, (uint64_t)status.st_size);
}

static struct code_map *map_of(struct symbol_module *module, uint64_t *addresses, size_t count)
{
	struct elf_file *debug = with_debug_info(module);
	CLEANUP_TEXT char *name = debug ? cache_name(module, debug) : NULL;
	CLEANUP(code_map) struct code_map *known = name ? code_cache_read(module->options->cache_directory, name) : NULL;
	struct code_map *map;

	if (!debug || elf_file_descriptor(debug) < 0)
		return NULL;
	count = keep_unknown(known, addresses, count);
	if (!count) {
		module->statistics->files_cached++;
		return take(known);
	}
	if (!time_left_ns(module)) {
		module->statistics->debug_timed_out++;
		return take(known);
	}
	map = read_map(module, debug, known, addresses, count);
	if (map && name)
		code_cache_write(module->options->cache_directory, name, map);
	return map ? map : take(known);
}

/* --- Answers ---------------------------------------------------------------------------------------------------- */

struct naming {
	struct profile *profile;
	struct map *names;                           /* pointer into the map's texts → string id: demangled once */
};

static struct string_id name_of(struct naming *naming, const char *name)
{
	char text[DEMANGLE_SIZE];
	bool added;
	uint32_t *id = map_put(naming->names, &name, &added);

	if (added)
		*id = profile_string(naming->profile, demangle(name, text)).index;
	return (struct string_id){ *id };
}

static void answer(struct naming *naming, struct symbol_query *query, const struct code_call *calls, size_t count)
{
	query->calls = xcalloc(count, sizeof(*query->calls));
	query->call_count = count;
	for (size_t i = 0; i < count; i++)
		query->calls[i] = (struct symbol_call){ .name = name_of(naming, calls[i].name),
							.path = profile_string(naming->profile, calls[i].path),
							.line = calls[i].line };
	if (!query->name.index)
		query->name = query->calls[count - 1].name;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	struct naming naming = { .profile = module->profile };
	uint64_t start_ns = clock_now_ns(), address;
	struct code_call calls[CODE_DEPTH_LIMIT];
	size_t address_count, depth, size;
	struct code_map *map;
	uint64_t *addresses;

	if (!module->elf)
		return;
	addresses = addresses_of(module, queries, count, &address_count);
	if (address_count)
		qsort(addresses, address_count, sizeof(*addresses), compare_addresses);
	map = address_count ? map_of(module, addresses, address_count) : NULL;
	free(addresses);
	naming.names = map_new(sizeof(const char *));
	for (size_t i = 0; map && i < count; i++)
		if (elf_file_address(module->elf, queries[i].offset, &address) &&
		    (depth = code_map_find(map, address, calls)) > 0)
			answer(&naming, &queries[i], calls, depth);
	if (map) {
		(void)code_map_bytes(map, &size);
		module->statistics->debug_bytes += size;
	}
	map_free(naming.names);
	code_map_free(map);
	module->statistics->debug_ns += clock_now_ns() - start_ns;
}

const struct symbol_source symbol_source_dwarf = {
	.name = "dwarf",
	.summary = "inlined calls and lines, from debug information",
	.resolve = resolve,
	.details = true,
};
