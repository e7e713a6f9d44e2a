/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libelf checks each header and section against the size of the file; what is added here are limits on what a file may
 * make us read. A name ends inside its section: symbol/elf_names.h.
 */
#include "symbol/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/memory.h"
#include "symbol/elf_names.h"
#include "symbol/table.h"

enum {
	SEGMENT_LIMIT = 128, SECTION_LIMIT = 65536, NOTE_BYTES_LIMIT = 64 << 10, ALL_NOTES_LIMIT = 1 << 20,
	SYMBOL_BYTES_LIMIT = SYMBOL_TABLE_LIMIT * 24, SYMBOL_SECTION_LIMIT = 4,
};

struct segment {
	uint64_t offset, size, address;
};

struct elf_file {
	Elf *elf;
	int fd;                                      /* -1 for an image */
	char *image;
	struct segment segments[SEGMENT_LIMIT];      /* executable ones first */
	size_t segment_count, executable_count;
	char build_id[BUILD_ID_SIZE];
};

static void build_id_print(const unsigned char *bytes, size_t size, char hex[BUILD_ID_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size && i < (BUILD_ID_SIZE - 1) / 2; i++) {
		*hex++ = digits[bytes[i] >> 4];
		*hex++ = digits[bytes[i] & 15];
	}
	*hex = '\0';
}

static bool build_id_in_notes(Elf_Data *data, char hex[BUILD_ID_SIZE])
{
	size_t at = 0, name, description;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 &&
		    memcmp((char *)data->d_buf + name, "GNU", 4) == 0) {
			build_id_print((unsigned char *)data->d_buf + description, note.n_descsz, hex);
			return true;
		}
	return false;
}

static bool build_id_in_segments(Elf *elf, char hex[BUILD_ID_SIZE])
{
	size_t count = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && i < SEGMENT_LIMIT; i++) {
		Elf_Type type;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE || header.p_filesz > NOTE_BYTES_LIMIT)
			continue;
		type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
		if (build_id_in_notes(elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, type), hex))
			return true;
	}
	return false;
}

/* Modules and debug files have no note segment to go by. */
static bool build_id_in_sections(Elf *elf, char hex[BUILD_ID_SIZE])
{
	size_t left = ALL_NOTES_LIMIT;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	for (size_t i = 0; i < SECTION_LIMIT && (section = elf_nextscn(elf, section)); i++) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE || header.sh_size > NOTE_BYTES_LIMIT ||
		    header.sh_size > left)
			continue;
		if (build_id_in_notes(elf_getdata(section, NULL), hex))
			return true;
		left -= header.sh_size;
	}
	return false;
}

static void read_build_id(Elf *elf, char hex[BUILD_ID_SIZE])
{
	hex[0] = '\0';
	if (!build_id_in_segments(elf, hex))
		(void)build_id_in_sections(elf, hex);
}

static void read_segments(struct elf_file *elf, bool executable)
{
	size_t count = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < SEGMENT_LIMIT && elf->segment_count < SEGMENT_LIMIT; i++) {
		if (!gelf_getphdr(elf->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (((header.p_flags & PF_X) != 0) == executable)
			elf->segments[elf->segment_count++] = (struct segment){
				.offset = header.p_offset, .size = header.p_filesz, .address = header.p_vaddr };
	}
}

/* libelf owns an image it is given; a file is only begun if it is a plain one. */
static Elf *begin(int fd)
{
	struct stat status;

	(void)elf_version(EV_CURRENT);
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

static int finish_open(struct elf_file *elf, struct elf_file **ret)
{
	if (!elf->elf || elf_kind(elf->elf) != ELF_K_ELF) {
		elf_file_free(elf);
		return -ENOEXEC;
	}
	read_segments(elf, true);
	elf->executable_count = elf->segment_count;
	read_segments(elf, false);
	read_build_id(elf->elf, elf->build_id);
	*ret = elf;
	return 0;
}

int elf_file_open(int fd, struct elf_file **ret)
{
	struct elf_file *elf = xcalloc(1, sizeof(*elf));

	elf->fd = fd;
	elf->elf = begin(fd);
	return finish_open(elf, ret);
}

/* O_NONBLOCK: the path may by now lead to a FIFO. */
static int open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

int elf_file_open_path(const char *path, struct elf_file **ret)
{
	int fd = open_plain(path);

	return fd < 0 ? fd : elf_file_open(fd, ret);
}

int elf_file_open_image(const void *image, size_t size, struct elf_file **ret)
{
	struct elf_file *elf = xcalloc(1, sizeof(*elf));

	elf->fd = -1;
	elf->image = xmalloc(size + 1);
	memcpy(elf->image, image, size);
	(void)elf_version(EV_CURRENT);
	elf->elf = elf_memory(elf->image, size);
	return finish_open(elf, ret);
}

void elf_file_free(struct elf_file *elf)
{
	if (!elf)
		return;
	(void)elf_end(elf->elf);
	if (elf->fd >= 0)
		(void)close(elf->fd);
	free(elf->image);
	free(elf);
}

const char *elf_file_build_id(const struct elf_file *elf)
{
	return elf->build_id;
}

bool elf_file_address(const struct elf_file *elf, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct segment *segment = &elf->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*ret = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

size_t elf_file_code(const struct elf_file *elf, struct elf_code *code, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < elf->executable_count && count < room; i++)
		if (elf->segments[i].address + elf->segments[i].size > elf->segments[i].address)
			code[count++] = (struct elf_code){ elf->segments[i].address,
							   elf->segments[i].address + elf->segments[i].size };
	return count;
}

Elf *elf_file_handle(struct elf_file *elf)
{
	return elf->elf;
}

int elf_file_descriptor(const struct elf_file *elf)
{
	return elf->fd;
}

static bool is_wanted(const GElf_Sym *symbol, bool variables)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	bool is_of_kind = variables ? type == STT_OBJECT : type == STT_FUNC || type == STT_GNU_IFUNC;

	return is_of_kind && symbol->st_shndx != SHN_UNDEF && (symbol->st_size || !variables) &&
	       symbol->st_value + symbol->st_size >= symbol->st_value;
}

static void add_symbols(Elf_Data *symbols, const struct elf_names *names, size_t count, bool variables, struct symbol_table *table)
{
	GElf_Sym symbol;

	for (size_t i = 0; i < count; i++) {
		if (!gelf_getsym(symbols, (int)i, &symbol) || !is_wanted(&symbol, variables))
			continue;
		symbol_table_add(table, &(struct symbol_function){
			.start = symbol.st_value, .end = symbol.st_value + symbol.st_size, .name = elf_name(names, symbol.st_name),
			.global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL });
	}
}

static size_t add_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool variables, struct symbol_table *table)
{
	struct elf_names names = elf_names_of(elf_getscn(elf, header->sh_link), ELF_NAME_BYTES_LIMIT);
	size_t each = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), count;
	Elf_Data *symbols;

	if (!names.text || header->sh_size > SYMBOL_BYTES_LIMIT || !each)
		return 0;
	symbols = elf_getdata(section, NULL);
	if (!symbols || !symbols->d_buf)
		return 0;
	count = symbols->d_size / each;
	add_symbols(symbols, &names, count < SYMBOL_TABLE_LIMIT ? count : SYMBOL_TABLE_LIMIT, variables, table);
	return symbols->d_size + names.size;
}

/* A file may have one section of each kind. A thousand headers of the same large one would be read a thousand times. */
static size_t add_all(struct elf_file *elf, bool variables, struct symbol_table *table)
{
	Elf_Scn *section = NULL;
	size_t bytes = 0, read = 0;
	GElf_Shdr header;

	for (size_t i = 0; i < SECTION_LIMIT && read < SYMBOL_SECTION_LIMIT && (section = elf_nextscn(elf->elf, section)); i++)
		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)) {
			bytes += add_section(elf->elf, section, &header, variables, table);
			read++;
		}
	return bytes;
}

size_t elf_file_add_functions(struct elf_file *elf, struct symbol_table *table)
{
	return add_all(elf, false, table);
}

size_t elf_file_add_variables(struct elf_file *elf, struct symbol_table *table)
{
	return add_all(elf, true, table);
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	struct elf_names names = elf_names_of_sections(elf);
	Elf_Scn *section = NULL;
	const char *text;

	for (size_t i = 0; names.text && i < SECTION_LIMIT && (section = elf_nextscn(elf, section)); i++) {
		if (!gelf_getshdr(section, header))
			continue;
		text = elf_name(&names, header->sh_name);
		if (text && strcmp(text, name) == 0)
			return section;
	}
	return NULL;
}

size_t elf_file_section(struct elf_file *elf, const char *name, void *bytes, size_t size)
{
	GElf_Shdr header;
	Elf_Data *data;

	if (!find_section(elf->elf, name, &header) || header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED))
		return 0;
	size = header.sh_size < size ? header.sh_size : size;
	data = elf_getdata_rawchunk(elf->elf, (int64_t)header.sh_offset, size, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size < size)
		return 0;
	memcpy(bytes, data->d_buf, size);
	return size;
}

void *elf_file_section_whole(struct elf_file *elf, const char *name, size_t limit, size_t *ret_size)
{
	GElf_Shdr header;
	Elf_Data *data;
	void *bytes;

	if (!find_section(elf->elf, name, &header) || header.sh_type == SHT_NOBITS || !header.sh_size || header.sh_size > limit)
		return NULL;
	data = elf_getdata_rawchunk(elf->elf, (int64_t)header.sh_offset, header.sh_size, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size < header.sh_size)
		return NULL;
	bytes = xmalloc(header.sh_size);
	memcpy(bytes, data->d_buf, header.sh_size);
	*ret_size = header.sh_size;
	return bytes;
}

bool elf_file_has_section(struct elf_file *elf, const char *name)
{
	GElf_Shdr header;

	return find_section(elf->elf, name, &header) && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

/* The name, its zero byte, padding to four bytes, the checksum in the file's byte order (ours: others are refused). */
bool elf_file_debug_link(struct elf_file *elf, char name[256], uint32_t *ret_checksum)
{
	char bytes[256 + 8] = { 0 };
	size_t size = elf_file_section(elf, ".gnu_debuglink", bytes, sizeof(bytes) - 1), at, length;

	length = strnlen(bytes, size);
	at = (length + 4) & ~(size_t)3;
	if (!length || length > 255 || at + sizeof(*ret_checksum) > size || strchr(bytes, '/'))
		return false;
	memcpy(name, bytes, length + 1);
	memcpy(ret_checksum, bytes + at, sizeof(*ret_checksum));
	return true;
}

uint32_t elf_file_checksum(int fd)
{
	static unsigned char bytes[64 << 10];
	uLong sum = 0;
	off_t at = 0;
	ssize_t size;

	for (; (size = pread(fd, bytes, sizeof(bytes), at)) > 0; at += size)
		sum = crc32(sum, bytes, (uInt)size);
	return (uint32_t)sum;
}

int elf_build_id_of_fd(int fd, char hex[BUILD_ID_SIZE])
{
	Elf *elf = begin(fd);
	int r = elf && elf_kind(elf) == ELF_K_ELF ? 0 : -ENOEXEC;

	if (r == 0)
		read_build_id(elf, hex);
	(void)elf_end(elf);
	return r;
}

int elf_build_id(const char *path, char hex[BUILD_ID_SIZE])
{
	CLEANUP_FD int fd = open_plain(path);

	return fd < 0 ? fd : elf_build_id_of_fd(fd, hex);
}

/* Notes as they lie in memory: three numbers, a name, a description, each padded to four bytes. */
int elf_build_id_of_notes(const void *notes, size_t size, char hex[BUILD_ID_SIZE])
{
	const unsigned char *bytes = notes;
	Elf64_Nhdr note;

	for (size_t at = 0, name, end; at + sizeof(note) <= size; at = end) {
		memcpy(&note, bytes + at, sizeof(note));
		name = at + sizeof(note);
		end = name + (((size_t)note.n_namesz + 3) & ~(size_t)3) + (((size_t)note.n_descsz + 3) & ~(size_t)3);
		if (end > size)
			return -ENOENT;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes + name, "GNU", 4) == 0) {
			build_id_print(bytes + name + 4, note.n_descsz, hex);
			return 0;
		}
	}
	return -ENOENT;
}

int elf_build_id_of_image(const void *image, size_t size, char hex[BUILD_ID_SIZE])
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	int r = elf_file_open_image(image, size, &elf);

	if (r == 0)
		memcpy(hex, elf->build_id, BUILD_ID_SIZE);
	return r;
}
