/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A place in untrusted bytes. No read leaves them: what is missing reads as 0, sets `bad` and moves to the end, so that
 * loops end and a parser need look at `bad` only once, after all it wanted.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void cursor_fail(struct cursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (bytes > cursor_left(cursor))
		cursor_fail(cursor);
	else
		cursor->at += bytes;
}

/* A number of 1, 2, 4 or 8 bytes; the machine is little-endian, as are the files that are accepted. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > cursor_left(cursor)) {
		cursor_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, bytes);
	cursor->at += bytes;
	return value;
}

static inline int64_t cursor_signed_number(struct cursor *cursor, size_t bytes)
{
	unsigned int unused_bits = 64 - 8 * (unsigned int)bytes;

	return (int64_t)(cursor_number(cursor, bytes) << unused_bits) >> unused_bits;
}

/* DWARF's LEB128. Bits beyond the 64th are lost, as in every other reader. */
static inline uint64_t cursor_leb(struct cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		if (cursor->at == cursor->end) {
			cursor_fail(cursor);
			return 0;
		}
		byte = *cursor->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if (is_signed && (byte & 0x40) && shift < 64)
		value |= ~(uint64_t)0 << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	return cursor_leb(cursor, false);
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	return (int64_t)cursor_leb(cursor, true);
}
