/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the stubs of a file: start and size in hex, and the name. For compare_stubs.py, which asks objdump the same. */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "symbol/elf_file.h"
#include "symbol/table.h"

enum { SMALLEST_STUB = 8 };

int main(int count, char **words)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	struct elf_code code[8];
	uint64_t start, end;
	size_t code_count;

	if (count != 2 || elf_file_open_path(words[1], &elf) < 0)
		return 2;
	(void)elf_file_add_stubs(elf, table);
	symbol_table_build(table);
	code_count = elf_file_stub_code(elf, code, ARRAY_LENGTH(code));
	for (size_t i = 0; i < code_count; i++)
		for (uint64_t at = code[i].start; at < code[i].end; at += SMALLEST_STUB)
			if (symbol_table_stretch(table, at, &start, &end) && start == at)
				printf("%" PRIx64 " %" PRIx64 " %s\n", start, end - start, symbol_table_name(table, at));
	return 0;
}
