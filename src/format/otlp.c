/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP profiles, OpenTelemetry's signal for profiles: protocol buffers, not compressed. A file is what
 * an export request would carry. The signal is young: its schema changed under one package name, and
 * both shapes are read and written (otlp_read.c, otlp_write.c).
 */
#include "format/content.h"
#include "format/otlp.h"

#include "format/format.h"
#include "format/otlp_fields.h"
#include "format/protobuf.h"

#include <string.h>

extern const struct format otlp_format;

/* The bytes of a message, as far as the head goes. */
static struct protobuf inside(struct protobuf from, uint32_t number)
{
	struct protobuf none = { 0 };
	uint64_t tag, size;

	while (protobuf_next_varint(&from, &tag)) {
		if ((tag & 7) != PROTOBUF_BYTES || !protobuf_next_varint(&from, &size))
			return none;
		if (size > (uint64_t)(from.end - from.at))
			size = (uint64_t)(from.end - from.at);
		if (tag >> 3 == number)
			return (struct protobuf){ from.at, from.at + size, false };
		from.at += size;
	}
	return none;
}

/* At least one field, and all of those numbers and with bytes. */
static bool only_bytes(struct protobuf message, uint32_t highest)
{
	uint64_t tag, size;
	size_t count = 0;

	while (protobuf_next_varint(&message, &tag)) {
		if ((tag & 7) != PROTOBUF_BYTES || !(tag >> 3) || tag >> 3 > highest ||
		    !protobuf_next_varint(&message, &size))
			return false;
		count++;
		if (size > (uint64_t)(message.end - message.at))
			return true;
		message.at += size;
	}
	return count && !message.broken;
}

static bool is_value_type(struct protobuf message)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.wire != PROTOBUF_VARINT || field.number > OTLP_OLD_TEMPORALITY)
			return false;
	return !message.broken;
}

/* A first profile whose type of values is one: other signals have the same shape above it. */
static int otlp_recognise(const void *head, size_t size)
{
	struct protobuf file = { head, (const unsigned char *)head + size, false };
	struct protobuf dictionary = inside(file, DATA_DICTIONARY);
	struct protobuf resources = inside(file, DATA_RESOURCE_PROFILES);
	struct protobuf scopes = inside(resources, RESOURCE_PROFILES_SCOPES);
	struct protobuf profile = inside(scopes, SCOPE_PROFILES_PROFILES);
	struct protobuf type = inside(profile, OTLP_SAMPLE_TYPE);

	if (!only_bytes(file, DATA_DICTIONARY))
		return 0;
	if (type.at && type.at < type.end)
		return is_value_type(type) ? 85 : 0;
	return dictionary.at && only_bytes(dictionary, DICTIONARY_STACKS) ? 70 : 0;
}

const struct format otlp_format = {
	.name = "otlp",
	.summary = "OpenTelemetry profiles, as an export request carries them",
	.suffix = ".otlp",
	.recognise = otlp_recognise,
	.read = otlp_read,
	.write = otlp_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(EVENTS) | KEEPS(PARTS) | KEEPS(UNITS) | KEEPS(WEIGHTING) | KEEPS(COUNTS) |
		 KEEPS(FUNCTIONS) | KEEPS(STACKS) | KEEPS(PROCESSES) | KEEPS(THREADS) | KEEPS(COMMS) | KEEPS(MODULES) |
		 KEEPS(BUILD_IDS) | KEEPS(ADDRESSES) | KEEPS(SOURCE) | KEEPS(LINES) |
		 KEEPS(INLINED) | KEEPS(KERNEL) | KEEPS(LABELS) | KEEPS(CAUSES) | KEEPS(BIAS) | KEEPS(META),
};
