/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an ELF file tells of how well it can be profiled. Sections are read, never mapped, and within libelf's bounds;
 * functions are looked at in their first bytes only, and a thousand of them say enough about the rest.
 */
#include "command/doctor.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbol/elf_names.h"
#include "unwind/go_image.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

enum {
	PROLOGUE_BYTES = 32,
	FUNCTIONS_LOOKED_AT = 1000,
	STRINGS_LIMIT = 256 << 20,      /* a larger .debug_str is not searched */
	SEGMENT_LIMIT = 64,
};

static const GElf_Half native_machine = EM_X86_64;

/* Set up of a frame pointer: push %rbp; mov %rsp,%rbp in both of its encodings. */
static bool sets_frame_pointer(const unsigned char *code, size_t size)
{
	return memmem(code, size, "\x55\x48\x89\xe5", 4) || memmem(code, size, "\x55\x48\x8b\xec", 4);
}

static bool offset_of_address(Elf *elf, uint64_t address, uint64_t *ret)
{
	size_t count = 0;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && i < SEGMENT_LIMIT; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz) {
			*ret = address - segment.p_vaddr + segment.p_offset;
			return true;
		}
	}
	return false;
}

static void look_at_function(Elf *elf, int fd, uint64_t address, struct doctor_elf *ret)
{
	unsigned char code[PROLOGUE_BYTES];
	uint64_t offset;
	ssize_t size;

	if (!offset_of_address(elf, address, &offset))
		return;
	size = pread(fd, code, sizeof(code), (off_t)offset);
	if (size < 8)
		return;
	ret->functions++;
	ret->functions_with_frame += sets_frame_pointer(code, (size_t)size);
}

/*
 * .eh_frame_hdr ends in a table of every function's start, also where the symbols are stripped:
 *	version 1, encodings (pointer, count udata4, table datarel|sdata4), pointer, count, { start, row }…
 */
static void look_at_unwind_header(Elf *elf, int fd, const GElf_Shdr *header, const Elf_Data *data, struct doctor_elf *ret)
{
	const unsigned char *bytes = data->d_buf;
	uint32_t count;
	size_t step;

	if (data->d_size < 12 || bytes[0] != 1 || bytes[2] != 0x03 || bytes[3] != 0x3b)
		return;
	memcpy(&count, bytes + 8, sizeof(count));
	if (count > (data->d_size - 12) / 8)
		return;
	step = count / FUNCTIONS_LOOKED_AT + 1;
	for (size_t i = 0; i < count; i += step) {
		int32_t start;

		memcpy(&start, bytes + 12 + i * 8, sizeof(start));
		look_at_function(elf, fd, header->sh_addr + (uint64_t)(int64_t)start, ret);
	}
}

static void look_at_symbols(Elf *elf, int fd, const GElf_Shdr *header, Elf_Data *data, struct doctor_elf *ret)
{
	size_t count = header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	size_t step = count / FUNCTIONS_LOOKED_AT / 4 + 1;

	for (size_t i = 0; i < count; i += step) {
		GElf_Sym symbol;

		if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value)
			look_at_function(elf, fd, symbol.st_value, ret);
	}
}

static void read_build_id(const Elf_Data *data, struct doctor_elf *ret)
{
	GElf_Nhdr note;
	size_t at = 0, name, content;

	while ((at = gelf_getnote((Elf_Data *)data, at, &note, &name, &content)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + content;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > 32)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			(void)sprintf(ret->build_id + 2 * i, "%02x", bytes[i]);
		return;
	}
}

/* GCC records the options it was given: no -O among them means -O0. Others record none, and stay uncounted. */
static void read_producer(const char *text, struct doctor_elf *ret)
{
	if (!strncmp(text, "GNU ", 4) && strncmp(text, "GNU AS", 6) != 0) {
		const char *level = strstr(text, " -O");

		ret->producers++;
		ret->producers_unoptimised += !level || level[3] == '0';
	} else if (strstr(text, "rustc version")) {
		ret->language = "Rust";
	}
}

static void read_debug_strings(Elf_Scn *section, struct doctor_elf *ret)
{
	GElf_Shdr header;
	Elf_Data *data;
	const char *at, *end;

	if (!gelf_getshdr(section, &header) || header.sh_size > STRINGS_LIMIT)
		return;
	if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
		return;
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size || data->d_size > STRINGS_LIMIT ||
	    ((const char *)data->d_buf)[data->d_size - 1] != 0)
		return;
	end = (const char *)data->d_buf + data->d_size;
	for (at = data->d_buf; at < end; at += strlen(at) + 1)
		read_producer(at, ret);
}

static void read_debug_link(const Elf_Data *data, struct doctor_elf *ret)
{
	if (data->d_size)
		(void)snprintf(ret->debug_link, sizeof(ret->debug_link), "%.*s", (int)data->d_size,
			       (const char *)data->d_buf);
}

struct sections {
	Elf_Scn *unwind_header, *symbols, *dynamic_symbols;
};

static uint64_t entries(const GElf_Shdr *header)
{
	return header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
}

static void read_section(Elf_Scn *section, const GElf_Shdr *header, const char *name, struct sections *keep,
			 struct doctor_elf *ret)
{
	Elf_Data *data;

	if (!strcmp(name, ".symtab")) {
		ret->symbols = entries(header);
		keep->symbols = section;
	} else if (!strcmp(name, ".dynsym")) {
		ret->dynamic_symbols = entries(header);
		keep->dynamic_symbols = section;
	} else if (!strcmp(name, ".eh_frame_hdr")) {
		keep->unwind_header = section;
	} else if (!strcmp(name, ".eh_frame")) {
		ret->unwind_tables = header->sh_type != SHT_NOBITS && header->sh_size > 4;
	} else if (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame")) {
		ret->debug_frame = true;
	} else if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")) {
		ret->debug_info = true;
	} else if (!strcmp(name, ".gopclntab") || !strcmp(name, ".note.go.buildid")) {
		ret->language = "Go";
	} else if (!strcmp(name, ".debug_str")) {
		read_debug_strings(section, ret);
	} else if (!strcmp(name, ".gnu_debuglink") && (data = elf_getdata(section, NULL)) && data->d_buf) {
		read_debug_link(data, ret);
	} else if (!strcmp(name, ".note.gnu.build-id") && (data = elf_getdata(section, NULL)) && data->d_buf) {
		read_build_id(data, ret);
	} else if (!strcmp(name, ".comment") && (data = elf_getdata(section, NULL)) && data->d_buf &&
		   memmem(data->d_buf, data->d_size, "rustc version", 13)) {
		ret->language = "Rust";
	}
}

static void look_at_code(Elf *elf, int fd, const struct sections *sections, struct doctor_elf *ret)
{
	Elf_Scn *symbols = sections->symbols ? sections->symbols : sections->dynamic_symbols;
	GElf_Shdr header;
	Elf_Data *data;

	if (sections->unwind_header && gelf_getshdr(sections->unwind_header, &header) &&
	    (data = elf_getdata(sections->unwind_header, NULL)) && data->d_buf)
		look_at_unwind_header(elf, fd, &header, data, ret);
	if (ret->functions < 8 && symbols && gelf_getshdr(symbols, &header) && (data = elf_getdata(symbols, NULL)))
		look_at_symbols(elf, fd, &header, data, ret);
}

static bool has_interpreter(Elf *elf)
{
	size_t count = 0;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && i < SEGMENT_LIMIT; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static const char *kind_name(Elf *elf, const GElf_Ehdr *header)
{
	switch (header->e_type) {
	case ET_EXEC:
		return "executable";
	case ET_DYN:
		return has_interpreter(elf) ? "position-independent executable" : "shared library";
	case ET_REL:
		return "object file";
	case ET_CORE:
		return "core dump";
	default:
		return "unknown kind";
	}
}

static int read_elf(Elf *elf, int fd, struct doctor_elf *ret)
{
	struct sections sections = { 0 };
	struct elf_names names;
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return -ENOEXEC;
	ret->kind = kind_name(elf, &header);
	ret->foreign = header.e_machine != native_machine;
	names = elf_names_of_sections(elf);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr section_header;
		const char *name;

		if (gelf_getshdr(section, &section_header) && (name = elf_name(&names, section_header.sh_name)))
			read_section(section, &section_header, name, &sections, ret);
	}
	if (!ret->foreign)
		look_at_code(elf, fd, &sections, ret);
	return 0;
}

static bool has_go_table(int fd)
{
	struct image image = { .fd = fd };
	struct gopclntab table;
	bool has = image_open(&image) == 0 && go_image_table(&image, &table, NULL) == 0;

	image_done(&image);
	return has;
}

int doctor_elf_read(int fd, struct doctor_elf *ret)
{
	struct doctor_elf facts = { .kind = "", .language = "" };
	Elf *elf;
	int r;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	r = read_elf(elf, fd, &facts);
	facts.go_table = r == 0 && !facts.foreign && has_go_table(fd);
	(void)elf_end(elf);
	if (r == 0)
		*ret = facts;
	return r;
}

/*
 * Entries of the linkage table and split-off cold parts count as functions without a frame, so that even a build with
 * frame pointers does not reach 100 %; functions written in assembler may set one up in a build without.
 */
const char *doctor_elf_frame_pointers(const struct doctor_elf *elf)
{
	if (elf->functions < 8)
		return "unknown";
	if (elf->functions_with_frame * 2 >= elf->functions)
		return "yes";
	return elf->functions_with_frame * 8 >= elf->functions ? "partly" : "no";
}

const char *doctor_elf_symbols(const struct doctor_elf *elf)
{
	if (elf->symbols > 1)
		return "full";
	if (elf->go_table)
		return ".gopclntab";
	if (elf->debug_symbols)
		return "apart";
	return elf->dynamic_symbols > 1 ? "exported only" : "stripped";
}

const char *doctor_elf_optimised(const struct doctor_elf *elf)
{
	if (!elf->producers)
		return "unknown";
	if (!elf->producers_unoptimised)
		return "yes";
	return elf->producers_unoptimised == elf->producers ? "no" : "partly";
}
