/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What names need of an ELF file: its build id, its functions, where an offset lies in its address space, and where its
 * debug file is. The file is hostile: everything goes through libelf's bounds, sections are read (never mapped: a file
 * cut short under a mapping would kill us) and have limits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct Elf;
struct elf_file;
struct symbol_table;

enum { BUILD_ID_SIZE = 65 };                         /* lower-case hex of up to 32 bytes, and the zero byte */

/* Takes the descriptor, also on failure. -ENOEXEC: no ELF file. */
int elf_file_open(int fd, struct elf_file **ret);
int elf_file_open_path(const char *path, struct elf_file **ret);
int elf_file_open_image(const void *image, size_t size, struct elf_file **ret);   /* copies the image */
void elf_file_free(struct elf_file *elf);                                         /* NULL is fine */
DEFINE_CLEANUP(elf_file)

const char *elf_file_build_id(const struct elf_file *elf);           /* "" where it has none */

/* Offset in the file → address in its symbols. False where no loaded segment holds it. */
bool elf_file_address(const struct elf_file *elf, uint64_t offset, uint64_t *ret);

/* Adds the functions of .symtab and .dynsym; their names live as long as elf. Returns bytes read. */
size_t elf_file_add_functions(struct elf_file *elf, struct symbol_table *table);

/* The same of its variables. */
size_t elf_file_add_variables(struct elf_file *elf, struct symbol_table *table);

/* Where code is in its address space; a count, at most room. */
struct elf_code { uint64_t start, end; };
size_t elf_file_code(const struct elf_file *elf, struct elf_code *code, size_t room);

/* The stubs of its procedure linkage tables (x86-64): where they lie; and each, added by the name of what it jumps to. */
size_t elf_file_stub_code(struct elf_file *elf, struct elf_code *code, size_t room);
size_t elf_file_add_stubs(struct elf_file *elf, struct symbol_table *table);

/* Borrowed: what libelf calls it; its descriptor, -1 for an image. */
struct Elf *elf_file_handle(struct elf_file *elf);
int elf_file_descriptor(const struct elf_file *elf);

/* .gnu_debuglink: the name (no folder) and checksum of the debug file. */
bool elf_file_debug_link(struct elf_file *elf, char name[256], uint32_t *ret_checksum);
uint32_t elf_file_checksum(int fd);                                  /* the checksum a .gnu_debuglink holds; reads it all */

/* The first bytes of a section, at most size; 0 where there is no such section. */
size_t elf_file_section(struct elf_file *elf, const char *name, void *bytes, size_t size);

/* All of a section's bytes, as the file has them (perhaps compressed), from malloc; NULL where there is none or it is
 * larger than the limit. */
void *elf_file_section_whole(struct elf_file *elf, const char *name, size_t limit, size_t *ret_size);
bool elf_file_has_section(struct elf_file *elf, const char *name);   /* with bytes in the file */

/* Writes the build id, "" where there is none. -ENOEXEC: no ELF file. */
int elf_build_id(const char *path, char hex[BUILD_ID_SIZE]);
int elf_build_id_of_fd(int fd, char hex[BUILD_ID_SIZE]);             /* the descriptor stays open */
int elf_build_id_of_notes(const void *notes, size_t size, char hex[BUILD_ID_SIZE]);       /* /sys/kernel/notes; -ENOENT */
int elf_build_id_of_image(const void *image, size_t size, char hex[BUILD_ID_SIZE]);
