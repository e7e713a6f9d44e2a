/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An ELF file for x86-64 as this folder sees it: what can run, and bytes by offset, by address and by section. They come
 * from a buffer that holds the whole file, from an open file, or from a buffer that holds it as it was mapped. Whoever
 * asks for bytes gets all of them or NULL.
 *
 * Not symbol/elf_file.h: that one goes through libelf, which the layers below it do without, and libelf cannot read a
 * mapped image by its addresses.
 */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/frame_section.h"

enum { IMAGE_SEGMENT_LIMIT = 64, IMAGE_SECTION_BYTES_LIMIT = 256 << 20 };

struct image {
	const uint8_t *bytes;           /* NULL: fd is read instead */
	uint64_t size;
	int fd;
	bool is_mapped;                 /* bytes lie by address, not by offset; the first one's address is `lowest` */
	uint64_t lowest;

	Elf64_Ehdr header;
	Elf64_Phdr segments[IMAGE_SEGMENT_LIMIT];       /* PT_LOAD; of more, the first */
	size_t segment_count;
	Elf64_Phdr frame_header;                        /* PT_GNU_EH_FRAME; p_memsz is 0 where there is none */

	void **owned;                   /* read from fd, or inflated */
	size_t owned_count, owned_room;

	struct image_sections {
		Elf64_Shdr *headers;
		size_t count;                           /* 0: the file has none, or they are not all there */
		const char *names;
		size_t names_size;
	} sections;
};

/* Fill in either, zeroed but for bytes and size, or fd; then: 0, or -ENOEXEC. */
int image_open(struct image *image);
void image_done(struct image *image);

uint64_t image_text_bytes(const struct image *image);

/* The segment that an address can run in; NULL where none. */
const Elf64_Phdr *image_code(const struct image *image, uint64_t address);

/* Bytes from an address to the end of its segment, at most `size`; ret_size receives how many. */
const uint8_t *image_at_address(struct image *image, uint64_t address, uint64_t size, size_t *ret_size);

/* Calls visit for each section of the kind, inflated where need be. */
enum image_frame_kind { IMAGE_EH_FRAME, IMAGE_DEBUG_FRAME };
void image_frame_sections(struct image *image, enum image_frame_kind kind,
			  void (*visit)(void *context, const struct frame_section *section), void *context);

/* The bytes of a section that is not compressed, and its address; NULL where there is none, or it is too large. */
const uint8_t *image_section(struct image *image, const char *name, uint64_t *ret_address, size_t *ret_size);
/* A copy of bytes at an address, in which the loader's relocations that only add where the file lies are carried out as if
 * it lay at its own addresses; as long as the image is open. */
uint8_t *image_relocated(struct image *image, const uint8_t *bytes, uint64_t address, size_t size);
