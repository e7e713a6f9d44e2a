/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of inlined calls as crosscut reads them, for addresses drawn evenly from a program's functions, one line each:
 * the address and then name, file and line of each call, innermost first, set apart by tabs; names as the file spells them.
 * What that took goes to standard error: chains PROGRAM COUNT [ROUNDS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "symbol/code_map.h"
#include "symbol/confined.h"
#include "symbol/dwarf_reader.h"
#include "symbol/elf_file.h"
#include "symbol/table.h"

enum { LIMIT = 1 << 20 };

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static size_t draw_addresses(const struct elf_code *code, const struct symbol_table *table, uint64_t *addresses, size_t count)
{
	size_t found = 0;

	for (size_t tries = 0; found < count && tries < 100 * count; tries++) {
		uint64_t address = code->start + next_random() % (code->end - code->start);

		if (symbol_table_name(table, address))
			addresses[found++] = address;
	}
	qsort(addresses, found, sizeof(*addresses), compare);
	return found;
}

static void print_chains(const struct code_map *map, const uint64_t *addresses, size_t count)
{
	struct code_call calls[CODE_DEPTH_LIMIT];

	for (size_t i = 0; i < count; i++) {
		size_t depth = code_map_find(map, addresses[i], calls);

		printf("%#" PRIx64, addresses[i]);
		for (size_t j = 0; j < depth; j++)
			printf("\t%s\t%s\t%u", calls[j].name, calls[j].path, calls[j].line);
		putchar('\n');
	}
}

static void time_lookups(const struct code_map *map, const struct symbol_table *table, const struct elf_code *code, size_t rounds)
{
	struct code_call calls[CODE_DEPTH_LIMIT];
	uint64_t *addresses = xcalloc(rounds, sizeof(*addresses)), start_ns, chain_ns, symbol_ns;
	size_t found = 0, named = 0, deep = 0;

	for (size_t i = 0; i < rounds; i++)
		addresses[i] = code->start + next_random() % (code->end - code->start);
	start_ns = clock_now_ns();
	for (size_t i = 0; i < rounds; i++) {
		size_t depth = code_map_find(map, addresses[i], calls);

		found += depth > 0;
		deep += depth;
	}
	chain_ns = clock_now_ns() - start_ns;
	start_ns = clock_now_ns();
	for (size_t i = 0; i < rounds; i++)
		named += symbol_table_name(table, addresses[i]) != NULL;
	symbol_ns = clock_now_ns() - start_ns;
	fprintf(stderr, "lookups %zu: chains and lines %.1f ms (%.0f ns each, %.0f%% found, %.1f calls), symbols %.1f ms (%.0f ns each)\n",
		rounds, (double)chain_ns / 1e6, (double)chain_ns / (double)rounds, 100.0 * (double)found / (double)rounds,
		(double)deep / (double)(found ? found : 1), (double)symbol_ns / 1e6, (double)symbol_ns / (double)rounds);
	free(addresses);
}

int main(int argc, char **argv)
{
	struct elf_file *elf;
	struct elf_code code;
	struct symbol_table *table = symbol_table_new();
	uint64_t *addresses, start_ns = clock_now_ns(), table_ns;
	struct confined_limits limits = { .processor_s = 100, .wall_ns = 200000000000ull, .memory_bytes = 8ull << 30,
					  .answer_bytes = 1ull << 30 };
	struct dwarf_question question = { .code_count = 1, .time_ns = 100000000000ull };
	struct code_map *map;
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 0, size = 0;
	void *bytes = NULL;

	if (!count || count > LIMIT || elf_file_open_path(argv[1], &elf) < 0 || elf_file_code(elf, &code, 1) != 1)
		return 2;
	(void)elf_file_add_functions(elf, table);
	symbol_table_build(table);
	table_ns = clock_now_ns() - start_ns;
	addresses = xcalloc(count, sizeof(*addresses));
	question.count = draw_addresses(&code, table, addresses, count);
	question.addresses = addresses;
	question.fd = elf_file_descriptor(elf);
	question.code = &(struct dwarf_segment){ code.start, code.end };
	start_ns = clock_now_ns();
	if (confined_run(dwarf_read, &question, question.fd, &limits, &bytes, &size) != CONFINED_DONE ||
	    code_map_open(bytes, size, &map) < 0)
		return 1;
	fprintf(stderr, "tables: symbols %.1f ms, %zu kB; chains and lines %.1f ms, %zu kB (%u scopes, %u pieces, %u lines)\n",
		(double)table_ns / 1e6, symbol_table_bytes(table) / 1024, (double)(clock_now_ns() - start_ns) / 1e6, size / 1024,
		code_map_tables(map)->head->scope_count, code_map_tables(map)->head->piece_count, code_map_tables(map)->head->line_count);
	print_chains(map, addresses, question.count);
	if (rounds)
		time_lookups(map, table, &code, rounds);
	free(addresses);
	code_map_free(map);
	symbol_table_free(table);
	elf_file_free(elf);
	return 0;
}
