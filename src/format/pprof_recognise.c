/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is this the head of a pprof file? It has no magic: every field must have a number and a type that
 * profile.proto knows, and so must those of the messages inside. The head may end anywhere.
 */
#include "base/cleanup.h"
#include "format/pprof_fields.h"
#include "format/pprof_read.h"
#include "format/protobuf.h"

#include <stdint.h>

#define FIELD(number) (1u << (number))
#define FIELDS(first, last) ((2u << (last)) - (1u << (first)))

/* Which fields of a message may be numbers, and which bytes. */
struct shape { uint32_t numbers, bytes; };

static const struct shape file_shape = {
	.numbers = FIELDS(PROFILE_DROP_FRAMES, PROFILE_DURATION_NANOS) |
		   FIELDS(PROFILE_PERIOD, PROFILE_DOC_URL),
	.bytes = FIELDS(PROFILE_SAMPLE_TYPE, PROFILE_STRING_TABLE) | FIELD(PROFILE_PERIOD_TYPE) |
		 FIELD(PROFILE_COMMENT),
};
static const struct shape inner_shapes[] = {
	[PROFILE_SAMPLE_TYPE] = { .numbers = FIELDS(VALUE_TYPE_TYPE, VALUE_TYPE_UNIT) },
	[PROFILE_SAMPLE] = { .numbers = FIELDS(SAMPLE_LOCATION_ID, SAMPLE_VALUE),
			     .bytes = FIELDS(SAMPLE_LOCATION_ID, SAMPLE_LABEL) },
	[PROFILE_MAPPING] = { .numbers = FIELDS(MAPPING_ID, MAPPING_HAS_INLINE_FRAMES) },
	[PROFILE_LOCATION] = { .numbers = FIELDS(LOCATION_ID, LOCATION_ADDRESS) |
					  FIELD(LOCATION_IS_FOLDED),
			       .bytes = FIELD(LOCATION_LINE) },
	[PROFILE_FUNCTION] = { .numbers = FIELDS(FUNCTION_ID, FUNCTION_START_LINE) },
};

static bool field_fits(const struct shape *shape, const struct protobuf_field *field)
{
	uint32_t allowed = protobuf_is_bytes(field) ? shape->bytes : shape->numbers;

	return field->wire != PROTOBUF_FIXED32 && field->wire != PROTOBUF_FIXED64 &&
	       field->number < 32 && (allowed & FIELD(field->number));
}

static bool message_fits(const struct shape *shape, struct protobuf message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (!field_fits(shape, &field))
			return false;
	return !message.broken;
}

int pprof_recognise(const void *head, size_t size)
{
	struct protobuf file = { head, (const unsigned char *)head + size, false };
	struct protobuf_field field;
	size_t fields = 0, messages = 0;

	while (protobuf_next(&file, &field)) {
		bool inner = field.number < ARRAY_LENGTH(inner_shapes);

		if (!field_fits(&file_shape, &field))
			return 0;
		if (inner && !message_fits(&inner_shapes[field.number], protobuf_nested(&field)))
			return 0;
		messages += inner;
		fields++;
	}
	return messages ? fields > 2 ? 85 : 50 : 0;
}
