/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs of the procedure linkage table, through which a file calls what others define: "read@plt", as other tools write it.
 * Relocations are many in large programs: they are only read where a frame lies in a stub.
 */
#include "base/clock.h"
#include "symbol/answer.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

enum { SECTION_ROOM = 8 };

static bool is_code(const struct elf_code *code, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= code[i].start && address < code[i].end)
			return true;
	return false;
}

static bool lies_in_stub(struct elf_file *elf, const struct symbol_query *queries, size_t count)
{
	struct elf_code code[SECTION_ROOM];
	size_t code_count = elf_file_stub_code(elf, code, SECTION_ROOM);
	uint64_t address;

	for (size_t i = 0; i < count && code_count; i++)
		if (elf_file_address(elf, queries[i].offset, &address) && is_code(code, code_count, address))
			return true;
	return false;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	CLEANUP(symbol_table) struct symbol_table *table = NULL;
	uint64_t start_ns = clock_now_ns();

	if (!module->elf || !lies_in_stub(module->elf, queries, count))
		return;
	table = symbol_table_new();
	module->statistics->read_bytes += elf_file_add_stubs(module->elf, table);
	symbol_table_build(table);
	module->statistics->table_ns += clock_now_ns() - start_ns;
	symbol_answer_table(module, table, "@plt", module->elf, queries, count);
}

const struct symbol_source symbol_source_plt = {
	.name = "plt",
	.summary = "stubs that call into other files, by the file's relocations",
	.resolve = resolve,
};
