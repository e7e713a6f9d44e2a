/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ELF files that are made to cost: headers are small, and each may point to the same large section. The first section is that of
 * the sections' names, and any content; then stand a few others, and at last so many headers of one more.
 */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { COSTLY_OTHERS = 4, COSTLY_CONTENT = sizeof(Elf64_Ehdr) };         /* where the content lies in the file */

struct costly {
	const void *content;
	size_t content_size;
	Elf64_Shdr others[COSTLY_OTHERS], repeated;
	size_t count;
};

/* The file, from malloc. */
static inline unsigned char *costly_make(const struct costly *costly, size_t *ret_size)
{
	Elf64_Shdr first[2] = { { 0 }, { .sh_type = SHT_STRTAB, .sh_offset = COSTLY_CONTENT, .sh_size = costly->content_size } };
	size_t fixed = sizeof(first) + sizeof(costly->others), each = sizeof(costly->repeated);
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			      .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_shoff = COSTLY_CONTENT + costly->content_size,
			      .e_ehsize = sizeof(header), .e_shentsize = (Elf64_Half)each,
			      .e_shnum = (Elf64_Half)(2 + COSTLY_OTHERS + costly->count), .e_shstrndx = 1 };
	unsigned char *bytes = malloc(header.e_shoff + fixed + costly->count * each), *at = bytes + header.e_shoff;

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + COSTLY_CONTENT, costly->content, costly->content_size);
	memcpy(at, first, sizeof(first));
	memcpy(at + sizeof(first), costly->others, sizeof(costly->others));
	for (size_t i = 0; i < costly->count; i++)
		memcpy(at + fixed + i * each, &costly->repeated, each);
	*ret_size = header.e_shoff + fixed + costly->count * each;
	return bytes;
}
