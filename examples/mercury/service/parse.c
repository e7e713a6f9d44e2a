/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of stored documents, one pass over the text with a cursor.
 *
 *   warehouse.inventory.current.dublin.on_hand=123456;Lager%20D%C3%BCblin
 *
 * Old and new read the same language. The new one is stricter, which costs a little: the text is
 * plain ASCII, no field comes twice, and a label is valid UTF-8 without control characters. The
 * steps are inlined into parse(), so that a profile shows the parser as one function.
 */
#include <stddef.h>
#include <string.h>

#include "arm.h"
#include "document.h"

#define STEP static inline __attribute__((always_inline))

struct cursor {
	const unsigned char *at, *end;
};

STEP unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

STEP int hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

STEP bool skip(struct cursor *cursor, unsigned char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Names are written by people: their case does not matter. */
STEP bool name_is(const char *name, const unsigned char *text, size_t length)
{
	size_t i = 0;

	while (i < length && name[i] && (unsigned char)name[i] == lower(text[i]))
		i++;
	return i == length && !name[i];
}

STEP int field_find(const unsigned char *name, size_t length)
{
	for (int i = 0; i < FIELD_COUNT; i++)
		if (name_is(field_names[i], name, length))
			return i;
	return -1;
}

STEP int parse_name(struct cursor *cursor)
{
	const unsigned char *name = cursor->at;

	while (cursor->at < cursor->end && *cursor->at != '=' && *cursor->at != '\n')
		cursor->at++;
	return field_find(name, (size_t)(cursor->at - name));
}

STEP bool parse_value(struct cursor *cursor, uint32_t *value)
{
	const unsigned char *start = cursor->at;

	*value = 0;
	for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
		*value = *value * 10 + (uint32_t)(*cursor->at - '0');
	return cursor->at > start && *value < RECORD_VALUE_LIMIT;
}

/* Decodes to the end of the line; the length, or -1. */
STEP int parse_label(struct cursor *cursor, char *to)
{
	char *start = to;

	for (; cursor->at < cursor->end && *cursor->at != '\n'; cursor->at++) {
		unsigned char c = *cursor->at;

		if (c == '%') {
			int high, low;

			if (cursor->end - cursor->at < 3)
				return -1;
			high = hex_digit(cursor->at[1]);
			low = hex_digit(cursor->at[2]);
			if (high < 0 || low < 0)
				return -1;
			c = (unsigned char)(high << 4 | low);
			cursor->at += 2;
		}
		*to++ = (char)c;
	}
	return (int)(to - start);
}

/* The length of the UTF-8 sequence that starts here, 0 if there is none. */
STEP size_t utf8_sequence(const unsigned char *text, size_t left)
{
	size_t length = text[0] < 0x80 ? text[0] >= 0x20 && text[0] != 0x7f :
			text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 :
			text[0] < 0xf5 ? 4 : 0;

	if (length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f))
		return 0;                    /* overlong, surrogate */
	if ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;                    /* overlong, beyond Unicode */
	return length;
}

STEP bool label_valid(const char *label, size_t length)
{
	const unsigned char *text = (const unsigned char *)label;
	size_t step;

	for (size_t i = 0; i < length; i += step) {
		step = utf8_sequence(text + i, length - i);
		if (!step)
			return false;
	}
	return true;
}

STEP bool parse_line(struct cursor *cursor, struct document *document, char **text)
{
	int index = parse_name(cursor), length;
	struct document_field *field;
	uint32_t value;

	if (index < 0 || document->field_count == FIELD_LINES)
		return false;
	if (!skip(cursor, '=') || !parse_value(cursor, &value) || !skip(cursor, ';'))
		return false;
	length = parse_label(cursor, *text);
	if (length < 0 || !skip(cursor, '\n'))
		return false;
	field = &document->fields[index];
	*field = (struct document_field){ true, (uint16_t)length, value, *text };
	document->order[document->field_count++] = (uint16_t)index;
	document->total += value;
	*text += length;
	return true;
}

/* What only the new parser asks: plain text, no field twice, labels that are fit to be shown. */
STEP bool text_plain(const struct record *record)
{
	for (uint32_t i = 0; i < record->length; i++)
		if ((record->text[i] < ' ' || record->text[i] > '~') && record->text[i] != '\n')
			return false;
	return true;
}

STEP bool document_valid(const struct document *document)
{
	for (size_t i = 0; i < document->field_count; i++) {
		const struct document_field *field = &document->fields[document->order[i]];

		for (size_t before = 0; before < i; before++)
			if (document->order[before] == document->order[i])
				return false;
		if (!label_valid(field->label, field->label_length))
			return false;
	}
	return true;
}

__attribute__((noinline)) bool parse(struct document *document, const struct record *record)
{
	const unsigned char *start = (const unsigned char *)record->text;
	struct cursor cursor = { start, start + record->length };
	char *text = document->text;

	if (ARM_NEW_PARSER && !text_plain(record))
		return false;
	memset(document, 0, offsetof(struct document, text));
	document->id = record->id;
	document->version = record->version;
	while (cursor.at < cursor.end)
		if (!parse_line(&cursor, document, &text))
			return false;
	return !ARM_NEW_PARSER || document_valid(document);
}
