/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The names that one section of an ELF file holds. Whether they end inside it is asked once, of its last byte: elf_strptr() searches
 * for an end at every name, which a hostile file makes a search through all of it.
 */
#include <stdbool.h>
#include <stddef.h>

struct Elf;
struct Elf_Scn;

struct elf_names {
	const char *text;                            /* borrowed: lives as long as the file is open; NULL: no names */
	size_t size;
};

enum { ELF_NAME_BYTES_LIMIT = 512 << 20 };

/* Empty where the section is none of names, is larger than the limit, or its last name does not end. */
struct elf_names elf_names_of(struct Elf_Scn *section, size_t limit);
struct elf_names elf_names_of_sections(struct Elf *elf);

/* NULL beyond the section. */
static inline const char *elf_name(const struct elf_names *names, size_t at)
{
	return at < names->size ? names->text + at : NULL;
}
