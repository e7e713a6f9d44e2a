/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The wire format of protocol buffers (protobuf.dev/programming-guides/encoding).
 *
 * Writing fills growing bytes field by field; a nested message is filled apart and then put in as
 * bytes. Numbers of value 0 are left out, as proto3 does.
 *
 *	struct text line = TEXT(4096), location = TEXT(4096);
 *	protobuf_number(&line, 1, function_id);
 *	protobuf_message(&location, 4, &line);
 *
 * Reading pulls one field after the other out of bytes that stay where they are. No length is
 * believed before it was compared with what is left; what does not fit ends the message and marks
 * it broken, with the place where it broke.
 *
 *	struct protobuf message = { bytes, bytes + size };
 *	while (protobuf_next(&message, &field))
 *		if (field.number == 4 && protobuf_is_bytes(&field))
 *			nested = protobuf_nested(&field);
 *	if (message.broken)
 *		... the byte at message.at is where it no longer made sense
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

void protobuf_number(struct text *to, unsigned field, uint64_t value);
/* packed; zeros stay */
void protobuf_numbers(struct text *to, unsigned field, const uint64_t *values, size_t count);
/* zero, too */
void protobuf_fixed64(struct text *to, unsigned field, uint64_t value);
void protobuf_double(struct text *to, unsigned field, double value);
void protobuf_fixed64s(struct text *to, unsigned field, const uint64_t *values, size_t count);
/* empty ones too */
void protobuf_bytes(struct text *to, unsigned field, const void *bytes, size_t size);
void protobuf_zero(struct text *to, unsigned field); /* a number whose presence counts */
void protobuf_string(struct text *to, unsigned field, const char *text);         /* "" is left out */
void protobuf_message(struct text *to, unsigned field, const struct text *message);

enum protobuf_wire { PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES, PROTOBUF_FIXED32 = 5 };

struct protobuf { const unsigned char *at, *end; bool broken; };
struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;                          /* of a number; the size of bytes */
	const unsigned char *bytes;              /* NULL for a number */
};

/* False at the end of the message, or where it is broken. */
bool protobuf_next(struct protobuf *message, struct protobuf_field *ret);
/* One number of a packed field, or of `message` read as nothing but varints. */
bool protobuf_next_varint(struct protobuf *packed, uint64_t *ret);
bool protobuf_next_fixed64(struct protobuf *packed, uint64_t *ret);
static inline bool protobuf_is_bytes(const struct protobuf_field *field)
{
	return field->wire == PROTOBUF_BYTES;
}
static inline struct protobuf protobuf_nested(const struct protobuf_field *field)
{
	return (struct protobuf){ .at = field->bytes,
				  .end = field->bytes ? field->bytes + field->value : NULL };
}
/* The varints of a repeated field, which may be packed or stand alone: at most `room` of them go to
 * numbers, and the number that there were is returned. *ret_broken is set where they are cut. */
size_t protobuf_varints(const struct protobuf_field *field, uint64_t *numbers, size_t room,
			bool *ret_broken);
