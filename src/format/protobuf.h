/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Writes protocol buffer messages, field by field, into growing bytes. A nested message is filled
 *apart and then put in as bytes. Fields of value 0 and empty texts are left out, as proto3 does.
 *
 *	struct text line = TEXT(4096), location = TEXT(4096);
 *	protobuf_number(&line, 1, function_id);
 *	protobuf_bytes(&location, 4, line.bytes, line.size);
 */
#include <stddef.h>
#include <stdint.h>

struct text;

void protobuf_number(struct text *to, unsigned field, uint64_t value);
/* packed; zeros stay */
void protobuf_numbers(struct text *to, unsigned field, const uint64_t *values, size_t count);
/* empty ones too */
void protobuf_bytes(struct text *to, unsigned field, const void *bytes, size_t size);
void protobuf_zero(struct text *to, unsigned field); /* a number whose presence counts */
/* zero, too */
void protobuf_fixed64(struct text *to, unsigned field, uint64_t value);
void protobuf_message(struct text *to, unsigned field, const struct text *message);
