/* SPDX-License-Identifier: Apache-2.0 */
/* The three things of the protocol buffer wire format that we write: numbers, packed numbers and
 * bytes. */
#include "format/protobuf.h"

#include "base/text.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, VARINT_SIZE = 10 };

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

static void tag_append(struct text *to, unsigned field, unsigned wire)
{
	varint_append(to, (uint64_t)field << 3 | wire);
}

void protobuf_number(struct text *to, unsigned field, uint64_t value)
{
	if (!value)
		return;
	tag_append(to, field, WIRE_VARINT);
	varint_append(to, value);
}

void protobuf_numbers(struct text *to, unsigned field, const uint64_t *values, size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += varint_size(values[i]);
	tag_append(to, field, WIRE_BYTES);
	varint_append(to, size);
	for (size_t i = 0; i < count; i++)
		varint_append(to, values[i]);
}

void protobuf_bytes(struct text *to, unsigned field, const void *bytes, size_t size)
{
	tag_append(to, field, WIRE_BYTES);
	varint_append(to, size);
	text_append(to, bytes, size);
}

void protobuf_zero(struct text *to, unsigned field)
{
	tag_append(to, field, WIRE_VARINT);
	varint_append(to, 0);
}

void protobuf_fixed64(struct text *to, unsigned field, uint64_t value)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> (8 * i));
	tag_append(to, field, WIRE_FIXED64);
	text_append(to, bytes, sizeof(bytes));
}

void protobuf_message(struct text *to, unsigned field, const struct text *message)
{
	protobuf_bytes(to, field, text_string(message), message->size);
}
