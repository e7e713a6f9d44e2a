/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pulls fields out of protocol buffer messages. Whatever the bytes say, nothing is read beyond their
 * end, and each call either moves on or ends the message, so that every loop over fields ends.
 */
#include "format/protobuf.h"

#include <string.h>

enum { VARINT_SIZE = 10, FIELD_LIMIT = (1 << 29) - 1 };

static bool message_break(struct protobuf *message)
{
	message->broken = true;
	message->end = message->at;
	return false;
}

bool protobuf_next_varint(struct protobuf *packed, uint64_t *ret)
{
	const unsigned char *at = packed->at;
	uint64_t value = 0;

	if (at == packed->end)
		return false;
	for (unsigned i = 0; i < VARINT_SIZE && at < packed->end; i++) {
		unsigned char byte = *at++;

		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte & 0x80)
			continue;
		packed->at = at;
		*ret = value;
		return true;
	}
	return message_break(packed);
}

static uint64_t fixed_get(const unsigned char *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static bool next_fixed(struct protobuf *message, size_t size, uint64_t *ret)
{
	if ((size_t)(message->end - message->at) < size)
		return message_break(message);
	*ret = fixed_get(message->at, size);
	message->at += size;
	return true;
}

bool protobuf_next_fixed64(struct protobuf *packed, uint64_t *ret)
{
	return packed->at < packed->end && next_fixed(packed, sizeof(uint64_t), ret);
}

static bool next_bytes(struct protobuf *message, struct protobuf_field *ret)
{
	if (!protobuf_next_varint(message, &ret->value) ||
	    ret->value > (uint64_t)(message->end - message->at))
		return message_break(message);
	ret->bytes = message->at;
	message->at += ret->value;
	return true;
}

bool protobuf_next(struct protobuf *message, struct protobuf_field *ret)
{
	const unsigned char *start = message->at;
	uint64_t tag;
	bool whole;

	if (!protobuf_next_varint(message, &tag))
		return false;
	*ret = (struct protobuf_field){ .number = (uint32_t)(tag >> 3), .wire = tag & 7 };
	switch (tag & 7) {
	case PROTOBUF_VARINT:
		whole = protobuf_next_varint(message, &ret->value) || message_break(message);
		break;
	case PROTOBUF_FIXED64: whole = next_fixed(message, 8, &ret->value); break;
	case PROTOBUF_FIXED32: whole = next_fixed(message, 4, &ret->value); break;
	case PROTOBUF_BYTES: whole = next_bytes(message, ret); break;
	default: whole = false;
	}
	if (whole && tag >> 3 && tag >> 3 <= FIELD_LIMIT)
		return true;
	message->at = start;
	return message_break(message);
}

size_t protobuf_varints(const struct protobuf_field *field, uint64_t *numbers, size_t room,
			bool *ret_broken)
{
	struct protobuf packed = protobuf_nested(field);
	uint64_t number;
	size_t count = 0;

	if (field->wire == PROTOBUF_VARINT) {
		if (room)
			numbers[0] = field->value;
		return 1;
	}
	while (protobuf_next_varint(&packed, &number))
		if (count++ < room)
			numbers[count - 1] = number;
	*ret_broken |= packed.broken;
	return count;
}
