/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ELF files with call-frame information, made byte by byte, for tests and fuzzers.
 *
 *	struct elf_builder elf = { 0 };
 *	size_t cie = cie_begin(&elf.eh, false, 1, "zR", 0x1b, 0);   … bytes of instructions …   entry_end(&elf.eh, cie);
 *	size_t size = elf_build(&elf);                              elf.file.bytes is the file
 *
 * Code is from ELF_CODE on; .eh_frame lies at ELF_EH, .eh_frame_hdr at ELF_HEADER, in the file at the same offsets.
 */
#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ELF_CODE = 0x1000, ELF_CODE_SIZE = 0x8000, ELF_HEADER = 0x10000, ELF_EH = 0x12000 };

struct bytes {
	uint8_t *bytes;
	size_t size, room;
};

struct elf_builder {
	struct bytes eh, debug, header, file;   /* sections' contents, and what elf_build() makes */
	const char *debug_name;                 /* NULL: .debug_frame */
	uint64_t debug_flags;                   /* of its section header */
	uint64_t code, code_size;               /* 0: ELF_CODE and ELF_CODE_SIZE */
	bool no_sections;
};

static inline void put(struct bytes *to, const void *bytes, size_t size)
{
	if (to->size + size > to->room) {
		to->room = (to->size + size) * 2;
		to->bytes = realloc(to->bytes, to->room);
		assert(to->bytes);
	}
	if (size)
		memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

static inline void put_number(struct bytes *to, uint64_t value, size_t size)
{
	put(to, &value, size);
}

static inline void put_zeros(struct bytes *to, size_t until)
{
	static const uint8_t zeros[4096];

	while (to->size < until)
		put(to, zeros, until - to->size < sizeof(zeros) ? until - to->size : sizeof(zeros));
}

#define PUT(to, ...)                                                 \
	do {                                                         \
		static const uint8_t list[] = { __VA_ARGS__ };       \
		put((to), list, sizeof(list));                       \
	} while (0)

/* A length that entry_end() fills in, and an id. */
static inline size_t entry_begin(struct bytes *to, bool is_long, uint64_t id, size_t id_size)
{
	if (is_long)
		put_number(to, UINT32_MAX, 4);
	put_number(to, 0, is_long ? 8 : 4);
	put_number(to, id, id_size);
	return to->size - id_size;
}

static inline void entry_end_of(struct bytes *to, size_t began, bool is_long)
{
	uint64_t length = to->size - began;

	memcpy(to->bytes + began - (is_long ? 8 : 4), &length, is_long ? 8 : 4);
}

static inline void entry_end(struct bytes *to, size_t began)
{
	entry_end_of(to, began, false);
}

/* Up to the first instruction: alignments 1 and -8, return address in column 16; CFA = rsp + 8, return address at CFA - 8. */
static inline size_t cie_begin(struct bytes *to, bool is_debug, uint8_t version, const char *letters, uint8_t encoding)
{
	size_t began = entry_begin(to, false, is_debug ? UINT32_MAX : 0, 4);

	put_number(to, version, 1);
	put(to, letters, strlen(letters) + 1);
	if (version == 4)
		PUT(to, 8, 0);
	PUT(to, 1, 0x78, 16);
	if (letters[0] == 'z') {
		put_number(to, strchr(letters, 'R') ? 1 : 0, 1);
		if (strchr(letters, 'R'))
			put_number(to, encoding, 1);
	}
	PUT(to, 0x0c, 7, 8, 0x90, 1);
	return began;
}

/* An .eh_frame FDE of the CIE at an offset, with pointers of 4 bytes from here (0x1b) and augmentation data. */
static inline size_t fde_begin(struct bytes *to, size_t cie, uint64_t start, uint64_t size)
{
	size_t began = entry_begin(to, false, to->size + 4 - cie, 4);

	put_number(to, start - (ELF_EH + to->size), 4);
	put_number(to, size, 4);
	PUT(to, 0);
	return began;
}

/* The same of .debug_frame: pointers of 8 bytes, no augmentation. */
static inline size_t debug_fde_begin(struct bytes *to, size_t cie, uint64_t start, uint64_t size)
{
	size_t began = entry_begin(to, false, cie, 4);

	put_number(to, start, 8);
	put_number(to, size, 8);
	return began;
}

static inline void put_section(struct bytes *headers, uint32_t name, uint32_t type, uint64_t flags, uint64_t address, uint64_t offset,
			       uint64_t size)
{
	Elf64_Shdr header = { .sh_name = name, .sh_type = type, .sh_flags = flags, .sh_addr = address, .sh_offset = offset,
			      .sh_size = size };

	put(headers, &header, sizeof(header));
}

/* Names, then headers: 0, .text, .eh_frame, .eh_frame_hdr, .debug_frame, .shstrtab. */
static inline void put_sections(struct elf_builder *elf, size_t debug_at)
{
	static const char text[] = "\0.text\0.eh_frame\0.eh_frame_hdr";
	struct bytes names = { 0 }, headers = { 0 };
	size_t names_at = elf->file.size, at, debug_name, own_name;
	Elf64_Ehdr *header;

	put(&names, text, sizeof(text));
	debug_name = names.size;
	put(&names, elf->debug_name ? elf->debug_name : ".debug_frame", strlen(elf->debug_name ? elf->debug_name : ".debug_frame") + 1);
	own_name = names.size;
	put(&names, ".shstrtab", 10);
	put(&elf->file, names.bytes, names.size);
	put_section(&headers, 0, SHT_NULL, 0, 0, 0, 0);
	put_section(&headers, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, ELF_CODE, ELF_CODE, ELF_CODE_SIZE);
	put_section(&headers, 7, elf->eh.size ? SHT_PROGBITS : SHT_NOBITS, SHF_ALLOC, ELF_EH, ELF_EH, elf->eh.size);
	put_section(&headers, 17, SHT_PROGBITS, SHF_ALLOC, ELF_HEADER, ELF_HEADER, elf->header.size);
	put_section(&headers, (uint32_t)debug_name, SHT_PROGBITS, elf->debug_flags, 0, debug_at, elf->debug.size);
	put_section(&headers, (uint32_t)own_name, SHT_STRTAB, 0, 0, names_at, names.size);
	at = elf->file.size;
	put(&elf->file, headers.bytes, headers.size);
	header = (Elf64_Ehdr *)elf->file.bytes;
	header->e_shoff = at;
	header->e_shentsize = sizeof(Elf64_Shdr);
	header->e_shnum = 6;
	header->e_shstrndx = 5;
	free(names.bytes);
	free(headers.bytes);
}

static inline size_t elf_build(struct elf_builder *elf)
{
	uint64_t code = elf->code ? elf->code : ELF_CODE;
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
			      .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 };
	Elf64_Phdr segments[3] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = code, .p_vaddr = code,
		  .p_filesz = ELF_CODE_SIZE, .p_memsz = elf->code_size ? elf->code_size : ELF_CODE_SIZE },
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = ELF_HEADER, .p_vaddr = ELF_HEADER,
		  .p_filesz = ELF_EH - ELF_HEADER + elf->eh.size, .p_memsz = ELF_EH - ELF_HEADER + elf->eh.size },
		{ .p_type = elf->header.size ? PT_GNU_EH_FRAME : PT_NULL, .p_flags = PF_R, .p_offset = ELF_HEADER, .p_vaddr = ELF_HEADER,
		  .p_filesz = elf->header.size, .p_memsz = elf->header.size },
	};
	size_t debug_at;

	elf->file.size = 0;
	put(&elf->file, &header, sizeof(header));
	put(&elf->file, segments, sizeof(segments));
	put_zeros(&elf->file, ELF_HEADER);
	put(&elf->file, elf->header.bytes, elf->header.size);
	put_zeros(&elf->file, ELF_EH);
	put(&elf->file, elf->eh.bytes, elf->eh.size);
	debug_at = elf->file.size;
	put(&elf->file, elf->debug.bytes, elf->debug.size);
	if (!elf->no_sections)
		put_sections(elf, debug_at);
	return elf->file.size;
}

static inline void elf_builder_done(struct elf_builder *elf)
{
	free(elf->eh.bytes);
	free(elf->debug.bytes);
	free(elf->header.bytes);
	free(elf->file.bytes);
}
