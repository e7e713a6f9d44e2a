/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a file names itself: .symtab where it was not stripped, .dynsym always. */
#include "symbol/answer.h"
#include "symbol/symbol.h"

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	if (module->elf)
		symbol_answer_from(module, module->elf, module->elf, queries, count);
}

const struct symbol_source symbol_source_symtab = {
	.name = "symtab",
	.summary = "functions named by the file itself (.symtab, .dynsym)",
	.resolve = resolve,
};
