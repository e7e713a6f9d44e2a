/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linker aligns the table to 32 bytes. In a position-independent program its addresses are left to the loader, and the
 * section is named as one that is written once. The header says where code begins; where it does not (Go 1.26 on), code
 * begins where .text does.
 */
#include "unwind/go_image.h"

#include <errno.h>
#include <string.h>

/* Of moduledata, in words: it begins with the table's address, then those of its parts; where data is, by version. */
enum { ALIGNMENT = 32, WORD = 8, NAMES = 1, VALUES = 10, DATA_1_18 = 38, DATA_1_20 = 40, MODULE_WORDS = 41 };

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

/* The list's words at a place, if it is one: it says where two parts of the table are. */
static bool is_module(const uint64_t *words, const struct gopclntab *table, uint64_t address)
{
	uint64_t between = (uint64_t)(table->values.bytes - table->names.bytes);

	return words[0] == address && words[NAMES] > address && words[VALUES] - words[NAMES] == between;
}

static uint64_t data_in(const uint8_t *bytes, size_t size, const struct gopclntab *table, uint64_t address)
{
	uint64_t words[MODULE_WORDS], first;

	for (size_t at = 0; at + sizeof(words) <= size; at += WORD) {
		memcpy(&first, bytes + at, sizeof(first));
		if (first != address)
			continue;
		memcpy(words, bytes + at, sizeof(words));
		if (is_module(words, table, address))
			return words[table->version == GOPCLNTAB_1_18 ? DATA_1_18 : DATA_1_20];
	}
	return 0;
}

const uint8_t *go_image_data(struct image *image, const struct gopclntab *table, uint64_t table_address, size_t *ret_size)
{
	uint64_t data = 0;

	for (size_t i = 0; i < image->segment_count && table->version != GOPCLNTAB_1_16 && !data; i++) {
		const Elf64_Phdr *segment = &image->segments[i];
		const uint8_t *bytes;
		size_t size;

		if (!(segment->p_flags & PF_W))
			continue;
		bytes = image_at_address(image, segment->p_vaddr, UINT64_MAX, &size);
		if (bytes && image->header.e_type == ET_DYN)
			bytes = image_relocated(image, bytes, segment->p_vaddr, size);
		if (bytes)
			data = data_in(bytes, size, table, table_address);
	}
	return data ? image_at_address(image, data, UINT64_MAX, ret_size) : NULL;
}
