/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the things of the protocol buffer wire format that we need: numbers, packed numbers,
 * fixed-width ones and bytes. */
#include "format/protobuf.h"

#include "base/text.h"

#include <string.h>

enum { VARINT_SIZE = 10 };

static size_t varint_put(unsigned char *at, uint64_t value)
{
	size_t size = 0;

	while (value >= 0x80) {
		at[size++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	at[size++] = (unsigned char)value;
	return size;
}

static size_t varint_size(uint64_t value)
{
	unsigned char bytes[VARINT_SIZE];

	return varint_put(bytes, value);
}

static void varint_append(struct text *to, uint64_t value)
{
	unsigned char bytes[VARINT_SIZE];

	text_append(to, bytes, varint_put(bytes, value));
}

static void tag_append(struct text *to, unsigned field, enum protobuf_wire wire)
{
	varint_append(to, (uint64_t)field << 3 | wire);
}

static void fixed64_append(struct text *to, uint64_t value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	text_append(to, bytes, sizeof(bytes));
}

void protobuf_number(struct text *to, unsigned field, uint64_t value)
{
	if (!value)
		return;
	tag_append(to, field, PROTOBUF_VARINT);
	varint_append(to, value);
}

void protobuf_numbers(struct text *to, unsigned field, const uint64_t *values, size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += varint_size(values[i]);
	tag_append(to, field, PROTOBUF_BYTES);
	varint_append(to, size);
	for (size_t i = 0; i < count; i++)
		varint_append(to, values[i]);
}

void protobuf_fixed64(struct text *to, unsigned field, uint64_t value)
{
	tag_append(to, field, PROTOBUF_FIXED64);
	fixed64_append(to, value);
}

void protobuf_double(struct text *to, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	tag_append(to, field, PROTOBUF_FIXED64);
	fixed64_append(to, bits);
}

void protobuf_fixed64s(struct text *to, unsigned field, const uint64_t *values, size_t count)
{
	tag_append(to, field, PROTOBUF_BYTES);
	varint_append(to, count * sizeof(uint64_t));
	for (size_t i = 0; i < count; i++)
		fixed64_append(to, values[i]);
}

void protobuf_bytes(struct text *to, unsigned field, const void *bytes, size_t size)
{
	tag_append(to, field, PROTOBUF_BYTES);
	varint_append(to, size);
	text_append(to, bytes, size);
}

void protobuf_zero(struct text *to, unsigned field)
{
	tag_append(to, field, PROTOBUF_VARINT);
	varint_append(to, 0);
}

void protobuf_string(struct text *to, unsigned field, const char *text)
{
	if (*text)
		protobuf_bytes(to, field, text, strlen(text));
}

void protobuf_message(struct text *to, unsigned field, const struct text *message)
{
	protobuf_bytes(to, field, text_string(message), message->size);
}
