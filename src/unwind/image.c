/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every offset and size in the file is checked here, against the file's own size and against limits, and nowhere else.
 * Sections are found by name, as debuggers find them; only .debug_frame may be compressed.
 */
#include "unwind/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum { PAGE = 4096, SECTION_COUNT_LIMIT = 1 << 16, SECTION_NAMES_LIMIT = 16 << 20, ZLIB_RATIO_MAXIMUM = 1032 };

static void *keep(struct image *image, void *memory)
{
	grow(image->owned, image->owned_count, image->owned_room);
	return image->owned[image->owned_count++] = memory;
}

static uint64_t least(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

static bool read_whole(int fd, void *to, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t count = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (count <= 0 && !(count < 0 && errno == EINTR))
			return false;
		done += count > 0 ? (size_t)count : 0;
	}
	return true;
}

static bool is_inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

/* Bytes at an offset, as long as the image is open. */
static const uint8_t *at_offset(struct image *image, uint64_t offset, uint64_t size)
{
	void *memory;

	if (!is_inside(image, offset, size))
		return NULL;
	if (image->bytes)
		return image->bytes + offset;
	memory = xmalloc(size);
	if (read_whole(image->fd, memory, size, offset))
		return keep(image, memory);
	free(memory);
	return NULL;
}

/* Structures of the file may lie at any address of the buffer: they are copied out. */
static bool copy_at(struct image *image, void *to, size_t size, uint64_t offset)
{
	if (!is_inside(image, offset, size))
		return false;
	if (!image->bytes)
		return read_whole(image->fd, to, size, offset);
	memcpy(to, image->bytes + offset, size);
	return true;
}

static void read_segment(struct image *image, const Elf64_Phdr *segment)
{
	if (segment->p_type == PT_GNU_EH_FRAME)
		image->frame_header = *segment;
	if (segment->p_type != PT_LOAD || image->segment_count == IMAGE_SEGMENT_LIMIT ||
	    segment->p_vaddr + segment->p_memsz < segment->p_vaddr)
		return;
	if (!image->segment_count || segment->p_vaddr < image->lowest)
		image->lowest = segment->p_vaddr & -(uint64_t)PAGE;
	image->segments[image->segment_count++] = *segment;
}

/* Where there are too many to count in the ELF header, section 0 holds the numbers. */
static bool section_counts(struct image *image, uint64_t *ret_count, uint64_t *ret_names)
{
	const Elf64_Ehdr *header = &image->header;
	Elf64_Shdr first;

	if (!header->e_shoff || header->e_shentsize != sizeof(first) || !copy_at(image, &first, sizeof(first), header->e_shoff))
		return false;
	*ret_count = header->e_shnum ? header->e_shnum : first.sh_size;
	*ret_names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
	return *ret_count <= SECTION_COUNT_LIMIT && *ret_names < *ret_count;
}

/* Sections that cannot be read are none: there may yet be PT_GNU_EH_FRAME. */
static void read_sections(struct image *image)
{
	struct image_sections sections = { 0 };
	const Elf64_Shdr *names;
	uint64_t count, names_index;

	if (!section_counts(image, &count, &names_index) ||
	    !is_inside(image, image->header.e_shoff, count * sizeof(*sections.headers)))
		return;
	sections.headers = keep(image, xcalloc(count, sizeof(*sections.headers)));
	sections.count = count;
	if (!copy_at(image, sections.headers, count * sizeof(*sections.headers), image->header.e_shoff))
		return;
	names = &sections.headers[names_index];
	sections.names_size = names->sh_size;
	if (names->sh_size <= SECTION_NAMES_LIMIT)
		sections.names = (const char *)at_offset(image, names->sh_offset, names->sh_size);
	if (sections.names)
		image->sections = sections;
}

int image_open(struct image *image)
{
	static const unsigned char magic[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
	const Elf64_Ehdr *header = &image->header;
	struct stat status;
	Elf64_Phdr segment;

	if (!image->bytes) {
		if (fstat(image->fd, &status) < 0 || !S_ISREG(status.st_mode))
			return -ENOEXEC;
		image->size = (uint64_t)status.st_size;
	}
	if (!copy_at(image, &image->header, sizeof(image->header), 0) || memcmp(header->e_ident, magic, sizeof(magic)) != 0 ||
	    header->e_machine != EM_X86_64)
		return -ENOEXEC;
	for (unsigned int i = 0; i < header->e_phnum && header->e_phentsize == sizeof(segment); i++)
		if (copy_at(image, &segment, sizeof(segment), header->e_phoff + i * sizeof(segment)))
			read_segment(image, &segment);
	if (!image->is_mapped)
		read_sections(image);
	return 0;
}

void image_done(struct image *image)
{
	for (size_t i = 0; i < image->owned_count; i++)
		free(image->owned[i]);
	free(image->owned);
	image->owned = NULL;
	image->owned_count = image->owned_room = 0;
}

uint64_t image_text_bytes(const struct image *image)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < image->segment_count; i++)
		bytes += image->segments[i].p_flags & PF_X ? image->segments[i].p_memsz : 0;
	return bytes;
}

static const Elf64_Phdr *segment_of(const struct image *image, uint64_t address, uint32_t flags)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if ((segment->p_flags & flags) == flags && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_memsz)
			return segment;
	}
	return NULL;
}

const Elf64_Phdr *image_code(const struct image *image, uint64_t address)
{
	return segment_of(image, address, PF_X);
}

const uint8_t *image_at_address(struct image *image, uint64_t address, uint64_t size, size_t *ret_size)
{
	const Elf64_Phdr *segment = segment_of(image, address, 0);
	uint64_t into, left, offset;

	if (!segment)
		return NULL;
	into = address - segment->p_vaddr;
	left = image->is_mapped ? segment->p_memsz : segment->p_filesz;
	offset = image->is_mapped ? address - image->lowest : segment->p_offset + into;
	if (into >= left || offset >= image->size)
		return NULL;
	left = least(left - into, image->size - offset);
	*ret_size = least(least(left, size), IMAGE_SECTION_BYTES_LIMIT);
	return at_offset(image, offset, *ret_size);
}

/* --- Sections ------------------------------------------------------------------------------------------------- */

static bool is_named(const struct image_sections *sections, const Elf64_Shdr *header, const char *name)
{
	size_t size = strlen(name) + 1;

	return header->sh_name < sections->names_size && size <= sections->names_size - header->sh_name &&
	       memcmp(sections->names + header->sh_name, name, size) == 0;
}

static uint64_t address_of(const struct image_sections *sections, const char *name)
{
	for (size_t i = 0; i < sections->count; i++)
		if (is_named(sections, &sections->headers[i], name))
			return sections->headers[i].sh_addr;
	return 0;
}

/* A size that zlib could not have packed into so few bytes is a lie, and is not allocated. */
static bool inflate_into(struct image *image, struct frame_section *section, const uint8_t *bytes, size_t size, uint64_t inflated)
{
	uint8_t *memory;
	uLongf got;

	if (!inflated || inflated > IMAGE_SECTION_BYTES_LIMIT || inflated / ZLIB_RATIO_MAXIMUM > size)
		return false;
	memory = keep(image, xmalloc(inflated));
	got = inflated;
	if (uncompress(memory, &got, bytes, size) != Z_OK)
		return false;
	section->bytes = memory;
	section->size = got;
	return true;
}

/* SHF_COMPRESSED: a header of the ELF specification. Before it, GNU: "ZLIB", and the size, the highest byte first. */
static bool inflate_section(struct image *image, struct frame_section *section, bool is_gnu)
{
	const uint8_t *bytes = section->bytes;
	size_t head = is_gnu ? 12 : sizeof(Elf64_Chdr);
	Elf64_Chdr header;

	if (section->size < head)
		return false;
	if (is_gnu)
		header = (Elf64_Chdr){ .ch_type = memcmp(bytes, "ZLIB", 4) == 0 ? ELFCOMPRESS_ZLIB : 0 };
	else
		memcpy(&header, bytes, sizeof(header));
	for (int i = 4; is_gnu && i < 12; i++)
		header.ch_size = header.ch_size << 8 | bytes[i];
	return header.ch_type == ELFCOMPRESS_ZLIB && inflate_into(image, section, bytes + head, section->size - head, header.ch_size);
}

static bool is_kind(const struct image_sections *sections, const Elf64_Shdr *header, enum image_frame_kind kind)
{
	if (header->sh_type == SHT_NOBITS || !header->sh_size || header->sh_size > IMAGE_SECTION_BYTES_LIMIT)
		return false;
	if (kind == IMAGE_EH_FRAME)
		return is_named(sections, header, ".eh_frame");
	return is_named(sections, header, ".debug_frame") || is_named(sections, header, ".zdebug_frame");
}

static bool section_read(struct image *image, const struct image_sections *sections, const Elf64_Shdr *header,
			 struct frame_section *ret)
{
	bool is_gnu = is_named(sections, header, ".zdebug_frame");

	*ret = (struct frame_section){ .size = header->sh_size, .address = header->sh_addr };
	ret->bytes = at_offset(image, header->sh_offset, header->sh_size);
	if (!ret->bytes || ((is_gnu || header->sh_flags & SHF_COMPRESSED) && !inflate_section(image, ret, is_gnu)))
		return false;
	ret->text = address_of(sections, ".text");
	ret->data = address_of(sections, ".got");
	return true;
}

/* Sections are given where they stay: what is read from them points to them. */
void image_frame_sections(struct image *image, enum image_frame_kind kind,
			  void (*visit)(void *context, const struct frame_section *section), void *context)
{
	const struct image_sections *sections = &image->sections;
	struct frame_section *section;

	for (size_t i = 0; i < sections->count; i++) {
		if (!is_kind(sections, &sections->headers[i], kind))
			continue;
		section = keep(image, xmalloc(sizeof(*section)));
		if (section_read(image, sections, &sections->headers[i], section)) {
			section->is_debug = kind == IMAGE_DEBUG_FRAME;
			visit(context, section);
		}
	}
}

const uint8_t *image_section(struct image *image, const char *name, uint64_t *ret_address, size_t *ret_size)
{
	const struct image_sections *sections = &image->sections;

	for (size_t i = 0; i < sections->count; i++) {
		const Elf64_Shdr *header = &sections->headers[i];

		if (!is_named(sections, header, name) || header->sh_type == SHT_NOBITS || header->sh_flags & SHF_COMPRESSED ||
		    !header->sh_size || header->sh_size > IMAGE_SECTION_BYTES_LIMIT)
			continue;
		*ret_address = header->sh_addr;
		*ret_size = header->sh_size;
		return at_offset(image, header->sh_offset, header->sh_size);
	}
	return NULL;
}

static void relocate(const uint8_t *entries, size_t size, uint8_t *bytes, uint64_t address, size_t bytes_size)
{
	Elf64_Rela entry;

	for (size_t at = 0; size - at >= sizeof(entry); at += sizeof(entry)) {
		memcpy(&entry, entries + at, sizeof(entry));
		if (ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE && entry.r_offset >= address &&
		    bytes_size >= sizeof(entry.r_addend) && entry.r_offset - address <= bytes_size - sizeof(entry.r_addend))
			memcpy(bytes + (entry.r_offset - address), &entry.r_addend, sizeof(entry.r_addend));
	}
}

uint8_t *image_relocated(struct image *image, const uint8_t *bytes, uint64_t address, size_t size)
{
	const struct image_sections *sections = &image->sections;
	uint8_t *copy = keep(image, xmalloc(size ? size : 1));
	const uint8_t *entries;

	memcpy(copy, bytes, size);
	for (size_t i = 0; i < sections->count; i++) {
		const Elf64_Shdr *header = &sections->headers[i];

		if (header->sh_type != SHT_RELA || header->sh_size > IMAGE_SECTION_BYTES_LIMIT)
			continue;
		entries = at_offset(image, header->sh_offset, header->sh_size);
		if (entries)
			relocate(entries, header->sh_size, copy, address, size);
	}
	return copy;
}
