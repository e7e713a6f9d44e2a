/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, lines and inlined calls of Go programs, from the table that each carries for its own tracebacks: a stripped one
 * has no others. Names are as Go writes them. It is asked before debug information, whose answer about a call is taken where
 * there is one, and after symbol tables, whose names stay.
 *
 * Source: Go's src/runtime/symtab.go and symtabinl.go.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"
#include "unwind/go_image.h"

enum { INLINED_LIMIT = 64, INLINE_TREE = 3, INLINE_INDICES = 2 };     /* numbers of a function's data, and of its values */

/* An entry of a function's tree of inlined calls: where the name is, and an instruction of the place that calls it. */
static const struct entry {
	uint32_t size, name, parent;
} entries[] = {
	[GOPCLNTAB_1_18] = { .size = 20, .name = 12, .parent = 16 },
	[GOPCLNTAB_1_20] = { .size = 16, .name = 4, .parent = 8 },
};

struct reading {
	struct profile *profile;
	struct image image;
	struct gopclntab table;
	const uint8_t *data;                         /* NULL: nothing is known of inlined calls */
	size_t data_size;
};

static uint32_t number_at(const uint8_t *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* The tree's entry for an address; NULL where the function's own code is there. */
static const uint8_t *inlined_at(const struct reading *reading, const struct go_function *function, uint64_t address)
{
	const uint8_t *data = function->more + (size_t)function->value_count * 4;
	uint32_t size = entries[reading->table.version].size;
	uint64_t tree;
	int32_t index;

	if (!reading->data || function->value_count <= INLINE_INDICES || function->data_count <= INLINE_TREE)
		return NULL;
	tree = number_at(data + (size_t)INLINE_TREE * 4);
	if (tree == UINT32_MAX ||
	    !go_value_at(&reading->table, number_at(function->more + (size_t)INLINE_INDICES * 4), function, address, &index) || index < 0)
		return NULL;
	tree += (uint64_t)index * size;
	return tree + size <= reading->data_size ? reading->data + tree : NULL;
}

static struct symbol_call call_at(const struct reading *reading, const struct go_function *function, uint64_t address, const char *name)
{
	const struct gopclntab *table = &reading->table;
	int32_t file, line;
	const char *path = go_value_at(table, function->file, function, address, &file) ? gopclntab_path(table, function, file) : NULL;

	if (!path || !go_value_at(table, function->line, function, address, &line) || line < 0)
		line = 0;
	return (struct symbol_call){ .name = profile_string(reading->profile, name),
				     .path = profile_string(reading->profile, path ? path : ""), .line = (uint32_t)line };
}

/* Innermost first; what calls an inlined function lies at its parent's place, which may be inlined as well. */
static size_t chain_at(const struct reading *reading, const struct go_function *function, uint64_t address,
		       struct symbol_call calls[INLINED_LIMIT])
{
	const struct entry *layout = &entries[reading->table.version];
	const uint8_t *inlined;
	const char *name;
	size_t count = 0;

	while (count < INLINED_LIMIT - 1 && (inlined = inlined_at(reading, function, address))) {
		name = gopclntab_name(&reading->table, number_at(inlined + layout->name));
		if (!name)
			break;
		calls[count++] = call_at(reading, function, address, name);
		address = function->start + number_at(inlined + layout->parent);
	}
	calls[count++] = call_at(reading, function, address, function->name);
	return count;
}

static void answer(const struct reading *reading, struct symbol_query *query, uint64_t address)
{
	struct symbol_call calls[INLINED_LIMIT];
	struct go_function function;

	if (!gopclntab_find(&reading->table, address, &function))
		return;
	query->call_count = chain_at(reading, &function, address, calls);
	query->calls = xcalloc(query->call_count, sizeof(*calls));
	memcpy(query->calls, calls, query->call_count * sizeof(*calls));
	if (!query->name.index)
		query->name = calls[query->call_count - 1].name;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	struct reading reading = { .profile = module->profile };
	uint64_t start_ns = clock_now_ns(), address;

	if (!module->elf || elf_file_descriptor(module->elf) < 0)
		return;
	reading.image.fd = elf_file_descriptor(module->elf);
	if (image_open(&reading.image) == 0 && go_image_table(&reading.image, &reading.table, &address) == 0) {
		reading.data = go_image_data(&reading.image, &reading.table, address, &reading.data_size);
		for (size_t i = 0; i < count; i++)
			if (elf_file_address(module->elf, queries[i].offset, &address))
				answer(&reading, &queries[i], address);
		module->statistics->functions += reading.table.count;
		module->statistics->table_ns += clock_now_ns() - start_ns;
	}
	image_done(&reading.image);
}

const struct symbol_source symbol_source_gopclntab = {
	.name = "gopclntab",
	.summary = "functions, inlined calls and lines that a Go program carries itself",
	.resolve = resolve,
	.details = true,
};
