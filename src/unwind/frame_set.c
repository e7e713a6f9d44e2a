/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the sections from end to end. Without sections the search table of PT_GNU_EH_FRAME says where each description is:
 * nothing then tells where .eh_frame ends, and not every linker closes it with a terminator.
 */
#include "unwind/frame_set.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"
#include "unwind/go_frame.h"

enum { DESCRIPTION_LIMIT = 8 << 20, CONTEXT_LIMIT = 1 << 18 };
static const uint32_t NO_CONTEXT = UINT32_MAX;

uint32_t frame_set_add_context(struct frame_set *set, const struct frame_context *context)
{
	if (set->context_count == CONTEXT_LIMIT)
		return NO_CONTEXT;
	grow(set->contexts, set->context_count, set->context_room);
	set->contexts[set->context_count] = *context;
	return (uint32_t)set->context_count++;
}

static uint32_t context_make(struct frame_set *set, const struct frame_section *section, const uint8_t *at)
{
	struct frame_context context;
	struct frame_entry entry;
	struct frame_common common;

	if (!frame_entry_read(section, at, &entry) || !frame_common_read(section, &entry, &common) ||
	    cursor_left(&common.instructions) > set->budget_bytes)
		return NO_CONTEXT;
	set->budget_bytes -= cursor_left(&common.instructions);
	frame_context_init(&context, &common);
	return frame_set_add_context(set, &context);
}

/* Made once, and found by where the common entry begins. */
static uint32_t context_of(struct frame_set *set, const struct frame_section *section, const uint8_t *at)
{
	uint64_t key = (uint64_t)(uintptr_t)at;
	uint32_t *index;
	bool is_new;

	if (!at)
		return NO_CONTEXT;
	if (at == set->last_common)
		return set->last_context;
	index = map_put(set->context_of, &key, &is_new);
	if (is_new)
		*index = context_make(set, section, at);
	set->last_common = at;
	set->last_context = *index;
	return *index;
}

/* A description belongs where code is; what of it reaches beyond its segment is cut. */
static bool is_code(const struct image *image, struct frame_description *description)
{
	const Elf64_Phdr *segment = image_code(image, description->start);
	uint64_t left;

	if (!segment)
		return false;
	left = segment->p_memsz - (description->start - segment->p_vaddr);
	description->size = description->size < left ? description->size : left;
	return true;
}

void frame_set_add(struct frame_set *set, const struct frame_description *description)
{
	struct frame_description own = *description;

	if (own.common == NO_CONTEXT || set->count == DESCRIPTION_LIMIT || !is_code(set->image, &own)) {
		set->dropped++;
		return;
	}
	grow(set->descriptions, set->count, set->room);
	set->descriptions[set->count++] = own;
}

static void add_description(struct frame_set *set, const struct frame_section *section, const struct frame_entry *entry)
{
	struct frame_description description;
	uint32_t context = context_of(set, section, entry->common);

	if (context == NO_CONTEXT || !frame_description_read(&set->contexts[context].common, entry, &description)) {
		set->dropped++;
		return;
	}
	description.common = context;
	frame_set_add(set, &description);
}

/* A terminator may stand in the middle, where one start-up file of several brought its own. */
static void add_section(void *context, const struct frame_section *section)
{
	struct frame_set *set = context;
	const uint8_t *at = section->bytes;
	struct frame_entry entry;

	set->budget_bytes += section->size;
	while (at < section->bytes + section->size && frame_entry_read(section, at, &entry)) {
		if (!entry.is_common && !entry.is_terminator)
			add_description(set, section, &entry);
		at = entry.next;
	}
}

/* --- Without sections: PT_GNU_EH_FRAME ------------------------------------------------------------------------ */

/* LSB Core, 10.6.2: version, three encodings, where .eh_frame is, and a table of (function, description) pairs. */
static void add_by_table(struct frame_set *set, const struct frame_section *header, const struct frame_section *section)
{
	struct cursor cursor = { .at = header->bytes + 4, .end = header->bytes + header->size };
	uint8_t count_encoding = header->bytes[2], table_encoding = header->bytes[3];
	struct frame_entry entry;
	uint64_t count, address;

	(void)frame_pointer(header, &cursor, header->bytes[1]);
	count = frame_pointer(header, &cursor, count_encoding);
	for (uint64_t i = 0; i < count && !cursor.bad; i++) {
		(void)frame_pointer(header, &cursor, table_encoding);
		address = frame_pointer(header, &cursor, table_encoding);
		if (!cursor.bad && address - section->address < section->size &&
		    frame_entry_read(section, section->bytes + (address - section->address), &entry) &&
		    !entry.is_common && !entry.is_terminator)
			add_description(set, section, &entry);
	}
}

/* No table: up to the terminator, or to the first bytes that are no entry. */
static void add_to_terminator(struct frame_set *set, const struct frame_section *section)
{
	const uint8_t *at = section->bytes;
	struct frame_entry entry;

	for (; frame_entry_read(section, at, &entry) && !entry.is_terminator; at = entry.next)
		if (!entry.is_common)
			add_description(set, section, &entry);
}

static void add_by_header(struct frame_set *set, struct image *image)
{
	struct frame_section header = { .address = image->frame_header.p_vaddr, .data = image->frame_header.p_vaddr };
	struct frame_section section = { 0 };
	struct cursor cursor;

	header.bytes = image_at_address(image, header.address, image->frame_header.p_memsz, &header.size);
	if (!header.bytes || header.size < 4 || header.bytes[0] != 1)
		return;
	cursor = (struct cursor){ .at = header.bytes + 4, .end = header.bytes + header.size };
	section.address = frame_pointer(&header, &cursor, header.bytes[1]);
	if (!cursor.bad)
		section.bytes = image_at_address(image, section.address, UINT64_MAX, &section.size);
	if (!section.bytes)
		return;
	set->sectionless = section;
	set->budget_bytes += section.size;
	if (header.bytes[3] != 0xff)
		add_by_table(set, &header, &set->sectionless);
	else
		add_to_terminator(set, &set->sectionless);
}

/* --- In order --------------------------------------------------------------------------------------------------- */

/* The bytes in which starts differ, from the lowest on. A sort by each of them in turn, which keeps the order of equals,
 * sorts by all: on node's 76,000 descriptions several times faster than one that compares. */
static void sort_by_byte(const struct frame_description *from, struct frame_description *to, size_t count, unsigned int shift)
{
	size_t places[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		places[(from[i].start >> shift & 255) + 1]++;
	for (size_t i = 1; i < 256; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < count; i++)
		to[places[from[i].start >> shift & 255]++] = from[i];
}

static void sort(struct frame_set *set)
{
	struct frame_description *other, *sorted;
	uint64_t differs = 0;
	bool is_sorted = true;

	for (size_t i = 1; i < set->count; i++) {
		differs |= set->descriptions[i].start ^ set->descriptions[0].start;
		is_sorted &= set->descriptions[i - 1].start <= set->descriptions[i].start;
	}
	if (is_sorted)
		return;
	other = xreallocarray(NULL, set->count, sizeof(*other));
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (!(differs >> shift & 255))
			continue;
		sort_by_byte(set->descriptions, other, set->count, shift);
		sorted = other;
		other = set->descriptions;
		set->descriptions = sorted;
	}
	free(other);
}

void frame_set_read(struct frame_set *set, struct image *image)
{
	set->image = image;
	set->context_of = map_new(sizeof(uint64_t));
	image_frame_sections(image, IMAGE_EH_FRAME, add_section, set);         /* first, since equals keep their order */
	go_frame_add(set, image);
	image_frame_sections(image, IMAGE_DEBUG_FRAME, add_section, set);
	if (!set->count && image->frame_header.p_memsz)
		add_by_header(set, image);
	sort(set);
}

void frame_set_done(struct frame_set *set)
{
	free(set->descriptions);
	free(set->contexts);
	map_free(set->context_of);
}
