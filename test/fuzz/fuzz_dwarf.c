/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as debug information: inline chains and lines by libdw, without the confined child around it. An input is the
 * sections that are read, each behind its size in two bytes; the ELF file around them is made here, so that no input is
 * lost on its headers. What comes out must be a block that is accepted and answers for every address.
 */
#include "base/cleanup.h"
#include "symbol/code_map.h"
#include "symbol/dwarf_reader.h"

#include <assert.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str",
				     ".debug_rnglists", ".debug_ranges", ".debug_addr", ".debug_str_offsets" };
enum { SECTIONS = ARRAY_LENGTH(names), HEADERS = SECTIONS + 2, NAMES_BYTES = 256, FILE_BYTES = 1 << 20 };
enum { CODE_START = 0x1000, CODE_END = 0x3000, STEP = 16 };

struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[HEADERS];
	char names[NAMES_BYTES];
	uint8_t bytes[FILE_BYTES];
};

static size_t take_size(const uint8_t **data, size_t *left)
{
	size_t size = *left < 2 ? 0 : (size_t)((*data)[0] | (*data)[1] << 8);

	*data += *left < 2 ? *left : 2;
	*left -= *left < 2 ? *left : 2;
	return size < *left ? size : *left;
}

static size_t make_image(struct image *image, const uint8_t *data, size_t left)
{
	size_t at = 0, name = 1;

	memset(image, 0, offsetof(struct image, bytes));
	memcpy(image->header.e_ident, ELFMAG "\2\1\1", 7);
	image->header.e_type = ET_DYN;
	image->header.e_machine = EM_X86_64;
	image->header.e_version = EV_CURRENT;
	image->header.e_shoff = offsetof(struct image, sections);
	image->header.e_ehsize = sizeof(Elf64_Ehdr);
	image->header.e_shentsize = sizeof(Elf64_Shdr);
	image->header.e_shnum = HEADERS;
	image->header.e_shstrndx = HEADERS - 1;
	for (size_t i = 0; i < SECTIONS; i++) {
		size_t size = take_size(&data, &left);
		Elf64_Shdr *section = &image->sections[i + 1];

		*section = (Elf64_Shdr){ .sh_name = (Elf64_Word)name, .sh_type = SHT_PROGBITS, .sh_addralign = 1,
					 .sh_offset = offsetof(struct image, bytes) + at, .sh_size = size };
		memcpy(image->bytes + at, data, size);
		memcpy(image->names + name, names[i], strlen(names[i]));
		name += strlen(names[i]) + 1;
		at += size;
		data += size;
		left -= size;
	}
	image->sections[HEADERS - 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1, .sh_size = NAMES_BYTES,
						     .sh_offset = offsetof(struct image, names) };
	return offsetof(struct image, bytes) + at;
}

static void ask(void *block, size_t size)
{
	static struct code_call calls[CODE_DEPTH_LIMIT];
	CLEANUP(code_map) struct code_map *map = NULL;

	assert(block && code_map_open(block, size, &map) == 0);
	for (uint64_t address = CODE_START - STEP; address < CODE_END + STEP; address += STEP)
		assert(code_map_find(map, address, calls) <= CODE_DEPTH_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image image;
	uint64_t addresses[(CODE_END - CODE_START) / STEP];
	const struct dwarf_segment code = { CODE_START, CODE_END };
	const struct dwarf_question question = { .addresses = addresses, .count = ARRAY_LENGTH(addresses), .code = &code,
						 .code_count = 1, .time_ns = 1000000000 };
	size_t image_size, block_size;
	Elf *elf;
	Dwarf *debug;

	if (size > FILE_BYTES)
		return 0;
	for (size_t i = 0; i < ARRAY_LENGTH(addresses); i++)
		addresses[i] = CODE_START + i * STEP;
	(void)elf_version(EV_CURRENT);
	image_size = make_image(&image, data, size);
	elf = elf_memory((char *)&image, image_size);
	debug = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (debug) {
		void *block = dwarf_read_open(debug, &question, &block_size);

		ask(block, block_size);
		(void)dwarf_end(debug);
	}
	(void)elf_end(elf);
	return 0;
}
