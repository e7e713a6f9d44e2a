/* SPDX-License-Identifier: Apache-2.0 */
/* A table lives as long as one file is asked: the memory needed is that of the largest file, not of all. */
#include "symbol/answer.h"

#include <stdio.h>

#include "base/clock.h"
#include "profile/profile.h"
#include "symbol/demangle.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

enum { SUFFIX_SIZE = 16 };

void symbol_answer(struct symbol_module *module, struct symbol_query *query, const char *name)
{
	char text[DEMANGLE_SIZE];

	query->name = profile_string(module->profile, demangle(name, text));
}

static void count_table(struct symbol_statistics *statistics, const struct symbol_table *table)
{
	size_t bytes = symbol_table_bytes(table);

	statistics->functions += symbol_table_count(table);
	statistics->functions_dropped += symbol_table_dropped(table);
	if (bytes > statistics->table_bytes)
		statistics->table_bytes = bytes;
}

/* Where a thread stood at a function that has no size, this is its name; a return address is inside of none. */
static const char *label_of(const struct symbol_module *module, const struct symbol_table *table,
			    const struct symbol_query *query, uint64_t address)
{
	const struct frame *frame = profile_frame_at(module->profile, query->frame.index);

	return frame_is_exact(frame->method) ? symbol_table_label(table, address) : NULL;
}

static struct string_id name_with(struct profile *profile, const char *name, const char *suffix)
{
	char text[DEMANGLE_SIZE], whole[DEMANGLE_SIZE + SUFFIX_SIZE];

	(void)snprintf(whole, sizeof(whole), "%s%s", demangle(name, text), suffix);
	return profile_string(profile, whole);
}

void symbol_answer_table(struct symbol_module *module, const struct symbol_table *table, const char *suffix,
			 const struct elf_file *loaded, struct symbol_query *queries, size_t count)
{
	struct string_id answer = { 0 };
	const char *last = NULL, *name;
	uint64_t address;

	count_table(module->statistics, table);
	for (size_t i = 0; i < count; i++) {
		if (!elf_file_address(loaded, queries[i].offset, &address))
			continue;
		name = symbol_table_name(table, address);
		if (!name)
			name = label_of(module, table, &queries[i], address);
		if (!name)
			continue;
		if (name != last)            /* sorted by offset: a function's frames follow each other */
			answer = name_with(module->profile, name, suffix);
		queries[i].name = answer;
		last = name;
	}
}

void symbol_answer_from(struct symbol_module *module, struct elf_file *names, const struct elf_file *loaded,
			struct symbol_query *queries, size_t count)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	uint64_t start_ns = clock_now_ns();

	module->statistics->read_bytes += elf_file_add_functions(names, table);
	symbol_table_build(table);
	module->statistics->table_ns += clock_now_ns() - start_ns;
	symbol_answer_table(module, table, "", loaded, queries, count);
}
