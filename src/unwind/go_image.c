/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linker aligns the table to 32 bytes. In a position-independent program its addresses are left to the loader, and the
 * section is named as one that is written once. The header says where code begins; where it does not (Go 1.26 on), code
 * begins where .text does.
 */
#include "unwind/go_image.h"

#include <errno.h>

enum { ALIGNMENT = 32 };

static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

/* A table is not told from other bytes by its magic alone: its functions must be somewhere. */
static bool is_table(const struct image *image, const uint8_t *bytes, size_t size)
{
	struct gopclntab table;
	struct go_function function;

	if (!gopclntab_begins(bytes) || gopclntab_open(bytes, size, &table) < 0 || !table.count)
		return false;
	return gopclntab_function(&table, 0, &function) && image_code(image, function.start);
}

static const uint8_t *find(struct image *image, uint64_t *ret_address, size_t *ret_size)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint8_t *bytes = NULL;
		size_t size = 0;

		if (!(segment->p_flags & PF_W))
			bytes = image_at_address(image, segment->p_vaddr, UINT64_MAX, &size);
		for (size_t at = -segment->p_vaddr % ALIGNMENT; bytes && at + GOPCLNTAB_HEADER_BYTES <= size; at += ALIGNMENT)
			if (is_table(image, bytes + at, size - at)) {
				*ret_address = segment->p_vaddr + at;
				*ret_size = size - at;
				return bytes + at;
			}
	}
	return NULL;
}

static const uint8_t *bytes_of(struct image *image, uint64_t *ret_address, size_t *ret_size)
{
	const uint8_t *bytes = NULL;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !bytes; i++)
		bytes = image_section(image, sections[i], ret_address, ret_size);
	return bytes || image->sections.count ? bytes : find(image, ret_address, ret_size);
}

int go_image_table(struct image *image, struct gopclntab *ret, uint64_t *ret_address)
{
	uint64_t address, text;
	const uint8_t *bytes;
	size_t size, text_size;
	int r;

	bytes = bytes_of(image, &address, &size);
	if (!bytes)
		return -ENOENT;
	if (image->header.e_type == ET_DYN)
		bytes = image_relocated(image, bytes, address, size);
	r = gopclntab_open(bytes, size, ret);
	if (r == 0 && ret->version != GOPCLNTAB_1_16 && !ret->text && image_section(image, ".text", &text, &text_size))
		ret->text = text;
	if (ret_address)
		*ret_address = address;
	return r;
}
