/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads single entries; frame_set.c decides which. An entry's length bounds every read inside it, and the section bounds
 * every length.
 */
#include "unwind/frame_section.h"

#include <string.h>

/* How a pointer is written (low four bits), and what it counts from (the next three). */
enum {
	POINTER_ABSOLUTE = 0x00, POINTER_ULEB = 0x01, POINTER_UDATA2 = 0x02, POINTER_UDATA4 = 0x03, POINTER_UDATA8 = 0x04,
	POINTER_SIGNED = 0x08, POINTER_SLEB = 0x09, POINTER_SDATA2 = 0x0a, POINTER_SDATA4 = 0x0b, POINTER_SDATA8 = 0x0c,
	POINTER_FORM = 0x0f,

	POINTER_FROM_HERE = 0x10, POINTER_FROM_TEXT = 0x20, POINTER_FROM_DATA = 0x30, POINTER_ALIGNED = 0x50,
	POINTER_FROM = 0x70,

	POINTER_INDIRECT = 0x80, POINTER_OMITTED = 0xff,
};

enum { LETTERS_LIMIT = 16 };            /* of an augmentation; five are known */

static uint64_t pointer_raw(struct cursor *cursor, uint8_t form)
{
	switch (form) {
	case POINTER_ULEB: return cursor_uleb(cursor);
	case POINTER_UDATA2: return cursor_number(cursor, 2);
	case POINTER_UDATA4: return cursor_number(cursor, 4);
	case POINTER_SLEB: return (uint64_t)cursor_sleb(cursor);
	case POINTER_SDATA2: return (uint64_t)cursor_signed_number(cursor, 2);
	case POINTER_SDATA4: return (uint64_t)cursor_signed_number(cursor, 4);
	case POINTER_ABSOLUTE:
	case POINTER_SIGNED:
	case POINTER_UDATA8:
	case POINTER_SDATA8: return cursor_number(cursor, 8);
	default: cursor_fail(cursor); return 0;
	}
}

uint64_t frame_pointer(const struct frame_section *section, struct cursor *cursor, uint8_t encoding)
{
	uint64_t here = section->address + (uint64_t)(cursor->at - section->bytes), value;

	if (encoding == POINTER_OMITTED)
		return 0;
	if ((encoding & POINTER_FROM) == POINTER_ALIGNED)
		cursor_skip(cursor, -here & 7);
	value = pointer_raw(cursor, encoding & POINTER_FORM);
	if (encoding & POINTER_INDIRECT)
		cursor_fail(cursor);
	if (!value)
		return 0;
	switch (encoding & POINTER_FROM) {
	case POINTER_ALIGNED:
	case POINTER_ABSOLUTE: return value;
	case POINTER_FROM_HERE: return value + here;
	case POINTER_FROM_TEXT: return value + section->text;
	case POINTER_FROM_DATA: return value + section->data;
	default: cursor_fail(cursor); return 0;
	}
}

/* Where the id of a description points: back from itself in .eh_frame, from the section's start in .debug_frame. */
static const uint8_t *common_of(const struct frame_section *section, const uint8_t *id_at, uint64_t id)
{
	uint64_t offset = section->is_debug ? id : (uint64_t)(id_at - section->bytes) - id;

	return offset < section->size ? section->bytes + offset : NULL;
}

bool frame_entry_read(const struct frame_section *section, const uint8_t *at, struct frame_entry *ret)
{
	struct cursor cursor = { .at = at, .end = section->bytes + section->size };
	uint64_t length = cursor_number(&cursor, 4), id;
	bool is_long = length == 0xffffffff;
	const uint8_t *id_at;

	if (is_long)
		length = cursor_number(&cursor, 8);
	if (cursor.bad || length > cursor_left(&cursor))
		return false;
	*ret = (struct frame_entry){ .next = cursor.at + length, .is_terminator = length == 0 };
	cursor.end = ret->next;
	id_at = cursor.at;
	/* Only .debug_frame widens the id with the length: LSB, table 10.6.1.1. */
	id = cursor_number(&cursor, is_long && section->is_debug ? 8 : 4);
	ret->body = cursor;
	ret->is_common = section->is_debug ? id == (is_long ? UINT64_MAX : UINT32_MAX) : id == 0;
	if (!ret->is_common)
		ret->common = common_of(section, id_at, id);
	return ret->is_terminator || !cursor.bad;
}

/* After "z", each letter has its data. An unknown one ends what can be understood, and the length says where. */
static void read_augmentation(const struct frame_section *section, struct cursor *cursor, const char *letters, struct frame_common *ret)
{
	uint64_t size = cursor_uleb(cursor);
	struct cursor data = *cursor;

	cursor_skip(cursor, size);
	data.end = cursor->at;
	ret->has_data = true;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': ret->encoding = (uint8_t)cursor_number(&data, 1); break;
		case 'S': ret->is_signal = true; break;
		case 'L': cursor_skip(&data, 1); break;
		case 'P': {
			uint8_t encoding = (uint8_t)cursor_number(&data, 1);

			/* Whose personality it is does not matter; often it is indirect. */
			if (encoding != POINTER_OMITTED)
				(void)frame_pointer(section, &data, encoding & ~POINTER_INDIRECT);
			break;
		}
		default: return;
		}
	}
	if (data.bad)
		cursor_fail(cursor);
}

/* In version 4 the sizes of an address and of a segment's number stand there; they can only be 8 and 0. */
static bool read_sizes(struct cursor *cursor, unsigned int version)
{
	return version < 4 || (cursor_number(cursor, 1) == 8 && cursor_number(cursor, 1) == 0);
}

bool frame_common_read(const struct frame_section *section, const struct frame_entry *entry, struct frame_common *ret)
{
	struct cursor cursor = entry->body;
	unsigned int version = (unsigned int)cursor_number(&cursor, 1);
	const char *letters = (const char *)cursor.at;

	if (!entry->is_common || (version != 1 && version != 3 && version != 4))
		return false;
	cursor_skip(&cursor, strnlen(letters, cursor_left(&cursor) < LETTERS_LIMIT ? cursor_left(&cursor) : LETTERS_LIMIT));
	if (cursor_number(&cursor, 1) != 0 || cursor.bad || (letters[0] && letters[0] != 'z' && strcmp(letters, "eh") != 0))
		return false;
	if (letters[0] == 'e')
		cursor_skip(&cursor, 8);                        /* GCC 2: a pointer to its own data */
	if (!read_sizes(&cursor, version))
		return false;
	*ret = (struct frame_common){ .section = section, .encoding = POINTER_ABSOLUTE };
	ret->code_alignment = cursor_uleb(&cursor);
	ret->data_alignment = cursor_sleb(&cursor);
	ret->return_column = version == 1 ? cursor_number(&cursor, 1) : cursor_uleb(&cursor);
	if (letters[0] == 'z')
		read_augmentation(section, &cursor, letters + 1, ret);
	ret->instructions = cursor;
	return !cursor.bad;
}

bool frame_description_read(const struct frame_common *common, const struct frame_entry *entry, struct frame_description *ret)
{
	struct cursor cursor = entry->body;

	*ret = (struct frame_description){ .start = frame_pointer(common->section, &cursor, common->encoding) };
	ret->size = frame_pointer(common->section, &cursor, common->encoding & POINTER_FORM);
	if (common->has_data)
		cursor_skip(&cursor, cursor_uleb(&cursor));
	ret->instructions = cursor.at;
	ret->instructions_size = (uint32_t)cursor_left(&cursor);
	return !cursor.bad && ret->start && ret->size;
}
