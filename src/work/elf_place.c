/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four kinds of things are read of an ELF file: its sections, its loaded segments, the notes of USDT probes (type 3 of
 * "stapsdt": address of the probe, of the base, of the semaphore, then provider, name and arguments), and symbols.
 */
#include "work/elf_place.h"

#include "base/error.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_TYPE = 3, NOTE_NUMBERS = 24 };

struct file { const unsigned char *bytes; size_t size; Elf64_Ehdr head; };

static bool take_bytes(const struct file *file, uint64_t offset, void *into, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return false;
	memcpy(into, file->bytes + offset, size);
	return true;
}

static bool file_open(struct file *file, const unsigned char *bytes, size_t size)
{
	*file = (struct file){ .bytes = bytes, .size = size };
	return take_bytes(file, 0, &file->head, sizeof(file->head)) && !memcmp(file->head.e_ident, ELFMAG, SELFMAG) &&
	       file->head.e_ident[EI_CLASS] == ELFCLASS64 && file->head.e_machine == EM_X86_64;
}

static bool section_at(const struct file *file, unsigned index, Elf64_Shdr *ret)
{
	return index < file->head.e_shnum && file->head.e_shentsize == sizeof(*ret) &&
	       take_bytes(file, file->head.e_shoff + (uint64_t)index * sizeof(*ret), ret, sizeof(*ret)) &&
	       (ret->sh_type == SHT_NOBITS || (ret->sh_offset <= file->size && ret->sh_size <= file->size - ret->sh_offset));
}

/* A text of a section of texts; "" beyond it. */
static const char *text_at(const struct file *file, const Elf64_Shdr *texts, uint64_t at)
{
	const char *text;

	if (texts->sh_type != SHT_STRTAB || at >= texts->sh_size)
		return "";
	text = (const char *)file->bytes + texts->sh_offset + at;
	return strnlen(text, texts->sh_size - at) < texts->sh_size - at ? text : "";
}

static bool section_named(const struct file *file, const char *name, Elf64_Shdr *ret)
{
	Elf64_Shdr names;

	if (!section_at(file, file->head.e_shstrndx, &names))
		return false;
	for (unsigned i = 0; i < file->head.e_shnum; i++)
		if (section_at(file, i, ret) && !strcmp(text_at(file, &names, ret->sh_name), name))
			return true;
	return false;
}

/* Where in the file an address lies; 0 where it is not loaded from it. */
static uint64_t offset_of(const struct file *file, uint64_t address)
{
	for (unsigned i = 0; i < file->head.e_phnum && file->head.e_phentsize == sizeof(Elf64_Phdr); i++) {
		Elf64_Phdr segment;

		if (!take_bytes(file, file->head.e_phoff + (uint64_t)i * sizeof(segment), &segment, sizeof(segment)))
			return 0;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			return address - segment.p_vaddr + segment.p_offset;
	}
	return 0;
}

/* The note's two first texts are the probe's. */
static bool is_probe(const unsigned char *texts, size_t size, const char *provider, const char *name)
{
	size_t length = strlen(provider) + 1, name_length = strlen(name) + 1;

	return size >= length + name_length && !memcmp(texts, provider, length) && !memcmp(texts + length, name, name_length);
}

static bool place_of(const struct file *file, const uint64_t numbers[3], const Elf64_Shdr *base, struct elf_place *ret)
{
	uint64_t moved = base->sh_addr && numbers[1] ? base->sh_addr - numbers[1] : 0;   /* by a linker that came later */

	*ret = (struct elf_place){ .offset = offset_of(file, numbers[0] + moved) };
	if (numbers[2])
		ret->semaphore = offset_of(file, numbers[2] + moved);
	return ret->offset != 0;
}

size_t elf_place_usdt(const unsigned char *bytes, size_t size, const char *provider, const char *name, struct elf_place *places)
{
	Elf64_Shdr notes, base = { 0 };
	struct file file;
	size_t count = 0;
	uint64_t at = 0;

	if (!file_open(&file, bytes, size) || !section_named(&file, ".note.stapsdt", &notes) || notes.sh_type == SHT_NOBITS)
		return 0;
	if (!section_named(&file, ".stapsdt.base", &base))
		base.sh_addr = 0;
	while (at + sizeof(Elf64_Nhdr) <= notes.sh_size && count < ELF_PLACE_LIMIT) {
		const unsigned char *section = bytes + notes.sh_offset;
		uint64_t numbers[3], described;
		Elf64_Nhdr note;

		memcpy(&note, section + at, sizeof(note));
		described = at + sizeof(note) + ((note.n_namesz + 3ull) & ~3ull);
		if (described + note.n_descsz > notes.sh_size)
			break;
		if (note.n_type == NOTE_TYPE && note.n_namesz == 8 && !memcmp(section + at + sizeof(note), "stapsdt", 8) &&
		    note.n_descsz >= NOTE_NUMBERS) {
			memcpy(numbers, section + described, sizeof(numbers));
			if (is_probe(section + described + NOTE_NUMBERS, note.n_descsz - NOTE_NUMBERS, provider, name) &&
			    place_of(&file, numbers, &base, &places[count]))
				count++;
		}
		at = described + ((note.n_descsz + 3ull) & ~3ull);
	}
	return count;
}

static bool find_function(const struct file *file, const Elf64_Shdr *table, const char *function, struct elf_place *ret)
{
	Elf64_Shdr texts;

	if (!section_at(file, table->sh_link, &texts))
		return false;
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, file->bytes + table->sh_offset + at, sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value || symbol.st_shndx == SHN_UNDEF ||
		    strcmp(text_at(file, &texts, symbol.st_name), function))
			continue;
		*ret = (struct elf_place){ .offset = offset_of(file, symbol.st_value) };
		return ret->offset != 0;
	}
	return false;
}

bool elf_place_function(const unsigned char *bytes, size_t size, const char *function, struct elf_place *ret)
{
	struct file file;

	if (!file_open(&file, bytes, size))
		return false;
	for (unsigned i = 0; i < file.head.e_shnum; i++) {
		Elf64_Shdr section;

		if (section_at(&file, i, &section) && (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
		    find_function(&file, &section, function, ret))
			return true;
	}
	return false;
}

static bool is_nop(const unsigned char *at, size_t size)
{
	static const struct { unsigned char length, bytes[9]; } nops[] = {
		{ 1, { 0x90 } }, { 2, { 0x66, 0x90 } }, { 3, { 0x0f, 0x1f, 0x00 } }, { 4, { 0x0f, 0x1f, 0x40, 0x00 } },
		{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } }, { 6, { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
		{ 7, { 0x0f, 0x1f, 0x80, 0, 0, 0, 0 } }, { 8, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
		{ 9, { 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (size >= nops[i].length && !memcmp(at, nops[i].bytes, nops[i].length))
			return true;
	return false;
}

/* nop, push, jmp, jcc, call. */
static bool is_emulated(const unsigned char *at, size_t size)
{
	if (size < 2)
		return false;
	if (is_nop(at, size) || (at[0] & 0xf8) == 0x50 || (at[0] == 0x41 && (at[1] & 0xf8) == 0x50))
		return true;
	return (at[0] & 0xf0) == 0x70 || at[0] == 0xe8 || at[0] == 0xe9 || at[0] == 0xeb || (at[0] == 0x0f && (at[1] & 0xf0) == 0x80);
}

bool elf_place_is_cheap(const unsigned char *bytes, size_t size, struct elf_place *place)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (place->offset >= size)
		return false;
	if (size - place->offset > sizeof(endbr64) && !memcmp(bytes + place->offset, endbr64, sizeof(endbr64)))
		place->offset += sizeof(endbr64);
	return is_emulated(bytes + place->offset, size - place->offset);
}

int elf_place_open(const char *path, const unsigned char **ret_bytes, size_t *ret_size, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes = MAP_FAILED;
	int r;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	r = bytes == MAP_FAILED ? -(errno ? errno : EINVAL) : 0;
	if (fd >= 0)
		(void)close(fd);
	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot read '%s'", path);
	*ret_bytes = bytes;
	*ret_size = (size_t)status.st_size;
	return 0;
}
