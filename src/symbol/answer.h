/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* How a source hands its names over: one at a time, or from the functions of an ELF file. */
#include <stddef.h>

struct elf_file;
struct symbol_module;
struct symbol_query;
struct symbol_table;

/* The name as the file spells it: it is demangled here. */
void symbol_answer(struct symbol_module *module, struct symbol_query *query, const char *name);

/*
 * From the functions of `names`. Offsets are translated by `loaded`, the file that ran: the segments of a debug file
 * describe a file that it is not.
 */
void symbol_answer_from(struct symbol_module *module, struct elf_file *names, const struct elf_file *loaded,
			struct symbol_query *queries, size_t count);

/* The same from a table that is built; the suffix is put behind each demangled name. */
void symbol_answer_table(struct symbol_module *module, const struct symbol_table *table, const char *suffix,
			 const struct elf_file *loaded, struct symbol_query *queries, size_t count);
