/* SPDX-License-Identifier: Apache-2.0 */
/* Source of the layout: elf(5). Sizes come from the file: headers and notes have limits. */
#include "format/perf_elf.h"

#include "base/memory.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTES_LIMIT = 64 * 1024, HEADERS_LIMIT = 64, BUILD_ID_LIMIT = 20 };

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static void notes_read(const uint8_t *at, size_t left, struct perf_elf *ret)
{
	Elf64_Nhdr note;

	while (left >= sizeof(note)) {
		size_t size;

		memcpy(&note, at, sizeof(note));
		if (note.n_namesz > left || note.n_descsz > left)
			return;
		size = sizeof(note) + aligned(note.n_namesz) + aligned(note.n_descsz);
		if (size > left)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof(note), "GNU", 4) &&
		    note.n_descsz <= BUILD_ID_LIMIT)
			for (size_t i = 0; i < note.n_descsz; i++)
				(void)snprintf(ret->build_id + 2 * i, 3, "%02x", at[sizeof(note) + 4 + i]);
		at += size;
		left -= size;
	}
}

static void segment_read(int fd, const Elf64_Phdr *header, struct perf_elf *ret)
{
	uint8_t *notes;

	if (header->p_type == PT_LOAD && ret->count < PERF_ELF_SEGMENTS)
		ret->segments[ret->count++] = (struct perf_elf_segment){ header->p_vaddr, header->p_offset, header->p_filesz };
	if (header->p_type != PT_NOTE || header->p_filesz > NOTES_LIMIT)
		return;
	notes = xmalloc(header->p_filesz + 1);
	if (read_at(fd, notes, header->p_filesz, header->p_offset))
		notes_read(notes, header->p_filesz, ret);
	free(notes);
}

int perf_elf_read(int fd, struct perf_elf *ret)
{
	static const unsigned char magic[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	*ret = (struct perf_elf){ 0 };
	if (!read_at(fd, &header, sizeof(header), 0) || memcmp(header.e_ident, magic, sizeof(magic)) != 0 ||
	    header.e_phentsize != sizeof(segment))
		return -ENOEXEC;
	for (unsigned i = 0; i < header.e_phnum && i < HEADERS_LIMIT; i++)
		if (read_at(fd, &segment, sizeof(segment), header.e_phoff + i * sizeof(segment)))
			segment_read(fd, &segment, ret);
	return 0;
}

uint64_t perf_elf_address(const struct perf_elf *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->count; i++) {
		const struct perf_elf_segment *segment = &elf->segments[i];
		/* mappings begin at whole pages */
		uint64_t start = segment->offset & ~4095ull;

		if (offset >= start && offset < segment->offset + segment->size)
			return segment->address - segment->offset + offset;
	}
	return offset;
}
