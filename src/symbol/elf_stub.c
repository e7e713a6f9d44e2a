/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stub has no symbol. It jumps to where a slot of the global offset table points, and a relocation says whose address
 * belongs into that slot: so the stub's own code is asked for its slot, and no order of stubs or relocations is relied on.
 * Code that is no such jump (the resolver's entry, lazy halves of stubs in .plt.sec) and slots whose relocation has no symbol
 * (IRELATIVE: a function of the file itself that is chosen at its start) give nothing.
 */
#include "symbol/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbol/elf_names.h"
#include "symbol/table.h"

enum {
	SECTION_LIMIT = 65536, STUB_SECTION_LIMIT = 8, STUB_BYTES_LIMIT = 16 << 20,
	READ_BYTES_LIMIT = 256 << 20,                /* relocations, symbols and names together */
	SLOT_LIMIT = 1 << 20, STUB_SIZE = 16, SHORT_STUB_SIZE = 8, JUMP_SIZE = 6,
};

struct slot {
	uint64_t address;
	size_t order;
	const char *name;
};

struct reading {
	Elf *elf;
	struct slot *slots;                          /* by address, once all are there */
	size_t count, room;
	size_t bytes;
	size_t symbol_section;                       /* the one read last, for several sections of relocations share it */
	Elf_Data *symbols;
	struct elf_names names;
	bool is_broken;                              /* nothing further is read */
};

static bool is_x86_64(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64 && gelf_getclass(elf) == ELFCLASS64;
}

static bool is_stub_section(const struct elf_names *names, const GElf_Shdr *header)
{
	static const char *const known[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd" };
	const char *name = elf_name(names, header->sh_name);

	if (!name || header->sh_type != SHT_PROGBITS || !(header->sh_flags & SHF_EXECINSTR) || !header->sh_size ||
	    header->sh_size > STUB_BYTES_LIMIT || header->sh_addr > UINT64_MAX - header->sh_size)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		if (strcmp(name, known[i]) == 0)
			return true;
	return false;
}

static size_t find_sections(Elf *elf, GElf_Shdr sections[STUB_SECTION_LIMIT])
{
	struct elf_names names = { 0 };
	Elf_Scn *section = NULL;
	size_t count = 0;

	if (is_x86_64(elf))
		names = elf_names_of_sections(elf);
	if (!names.text)
		return 0;
	for (size_t i = 0; i < SECTION_LIMIT && count < STUB_SECTION_LIMIT && (section = elf_nextscn(elf, section)); i++)
		if (gelf_getshdr(section, &sections[count]) && is_stub_section(&names, &sections[count]))
			count++;
	return count;
}

size_t elf_file_stub_code(struct elf_file *elf, struct elf_code *code, size_t room)
{
	GElf_Shdr sections[STUB_SECTION_LIMIT];
	size_t count = find_sections(elf_file_handle(elf), sections);

	count = count < room ? count : room;
	for (size_t i = 0; i < count; i++)
		code[i] = (struct elf_code){ sections[i].sh_addr, sections[i].sh_addr + sections[i].sh_size };
	return count;
}

/* --- Slots ------------------------------------------------------------------------------------------------------ */

static Elf_Data *read_section(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
	if (!header->sh_size || header->sh_size > READ_BYTES_LIMIT - reading->bytes)
		return NULL;
	reading->bytes += header->sh_size;
	return elf_getdata(section, NULL);
}

static bool read_symbols(struct reading *reading, size_t index)
{
	Elf_Scn *section = elf_getscn(reading->elf, index);
	GElf_Shdr header;

	if (reading->symbols && reading->symbol_section == index)
		return true;
	reading->symbols = NULL;
	if (reading->is_broken || !section || !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
		return false;
	reading->names = elf_names_of(elf_getscn(reading->elf, header.sh_link), READ_BYTES_LIMIT - reading->bytes);
	reading->bytes += reading->names.size;
	reading->is_broken = !reading->names.text;
	reading->symbols = reading->names.text ? read_section(reading, section, &header) : NULL;
	reading->symbol_section = index;
	return reading->symbols;
}

static void add_slot(struct reading *reading, const GElf_Rela *relocation)
{
	uint64_t type = GELF_R_TYPE(relocation->r_info), symbol_index = GELF_R_SYM(relocation->r_info);
	const char *name;
	GElf_Sym symbol;

	if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || symbol_index > INT32_MAX ||
	    !gelf_getsym(reading->symbols, (int)symbol_index, &symbol))
		return;
	name = elf_name(&reading->names, symbol.st_name);
	if (!name || !*name)
		return;
	grow(reading->slots, reading->count, reading->room);
	reading->slots[reading->count] = (struct slot){ relocation->r_offset, reading->count, name };
	reading->count++;
}

static void add_relocations(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *relocations = read_symbols(reading, header->sh_link) ? read_section(reading, section, header) : NULL;
	size_t count = relocations ? relocations->d_size / sizeof(Elf64_Rela) : 0;
	GElf_Rela relocation;

	for (size_t i = 0; i < count && reading->count < SLOT_LIMIT; i++)
		if (gelf_getrela(relocations, (int)i, &relocation))
			add_slot(reading, &relocation);
}

/* Of two relocations of one slot the first is meant. Long names in a hostile file are not compared. */
static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void read_slots(struct reading *reading)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	for (size_t i = 0; i < SECTION_LIMIT && (section = elf_nextscn(reading->elf, section)); i++)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			add_relocations(reading, section, &header);
	if (reading->count)
		qsort(reading->slots, reading->count, sizeof(*reading->slots), compare_slots);
}

static const char *name_of_slot(const struct reading *reading, uint64_t address)
{
	size_t low = 0, high = reading->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->slots[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reading->count && reading->slots[low].address == address ? reading->slots[low].name : NULL;
}

/* --- Stubs ------------------------------------------------------------------------------------------------------ */

/* [endbr64] [bnd] jmp *displacement(%rip), within so many bytes. */
static bool decode(const uint8_t *bytes, size_t size, uint64_t address, uint64_t *ret_slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	int32_t displacement;
	size_t at = 0;

	if (size >= sizeof(endbr64) && memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < size && bytes[at] == 0xf2)
		at++;
	if (size < at + JUMP_SIZE || bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return false;
	memcpy(&displacement, bytes + at + 2, sizeof(displacement));
	*ret_slot = address + at + JUMP_SIZE + (uint64_t)(int64_t)displacement;
	return true;
}

/* Not every linker says how large its stubs are: short ones follow each other after eight bytes. */
static size_t size_of_stub(const GElf_Shdr *header, const uint8_t *bytes, size_t left)
{
	uint64_t slot;

	if (header->sh_entsize == SHORT_STUB_SIZE || left < STUB_SIZE)
		return left < SHORT_STUB_SIZE ? left : SHORT_STUB_SIZE;
	if (header->sh_entsize != STUB_SIZE && decode(bytes, SHORT_STUB_SIZE, 0, &slot) &&
	    decode(bytes + SHORT_STUB_SIZE, SHORT_STUB_SIZE, 0, &slot))
		return SHORT_STUB_SIZE;
	return STUB_SIZE;
}

static void add_stubs(struct reading *reading, const GElf_Shdr *header, struct symbol_table *table)
{
	Elf_Data *data = elf_getdata_rawchunk(reading->elf, (int64_t)header->sh_offset, header->sh_size, ELF_T_BYTE);
	size_t size;

	if (!data || !data->d_buf || data->d_size < header->sh_size)
		return;
	reading->bytes += data->d_size;
	for (size_t at = 0; at < data->d_size; at += size) {
		const uint8_t *bytes = (const uint8_t *)data->d_buf + at;
		uint64_t address = header->sh_addr + at, slot;
		const char *name;

		size = size_of_stub(header, bytes, data->d_size - at);
		name = decode(bytes, size, address, &slot) ? name_of_slot(reading, slot) : NULL;
		if (name)
			symbol_table_add(table, &(struct symbol_function){
				.start = address, .end = address + size, .name = name, .global = true });
	}
}

size_t elf_file_add_stubs(struct elf_file *elf, struct symbol_table *table)
{
	GElf_Shdr sections[STUB_SECTION_LIMIT];
	struct reading reading = { .elf = elf_file_handle(elf) };
	size_t count = find_sections(reading.elf, sections);

	if (count)
		read_slots(&reading);
	for (size_t i = 0; i < count && reading.count; i++)
		add_stubs(&reading, &sections[i], table);
	free(reading.slots);
	return reading.bytes;
}
