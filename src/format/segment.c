/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packs and unpacks segments straight from and into arrays of structs, so that no column ever
 * exists a second time. Compression is zstd level 3: level 1 is a third faster but a tenth larger,
 * and a capture packs little per second.
 */
#include "format/segment.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { COMPRESSION_LEVEL = 3, VARINT_SIZE = 10 };
static const char magic[4] = { 'X', 'S', 'E', 'G' };

/* --- Packing ---------------------------------------------------------------------------------- */

static unsigned char *varint_put(unsigned char *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*at++ = (unsigned char)value;
	return at;
}

static uint64_t member_get(const unsigned char *row, const struct segment_column *column)
{
	uint64_t value = 0;

	switch (column->size) {       /* fixed sizes, so that each becomes one load */
	case 1: return row[column->offset];
	case 2: { uint16_t half; memcpy(&half, row + column->offset, 2); return half; }
	case 4: { uint32_t word; memcpy(&word, row + column->offset, 4); return word; }
	default: memcpy(&value, row + column->offset, 8); return value;
	}
}

static bool column_is_zero(const struct segment_shape *shape, const struct segment_column *column,
			   const unsigned char *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (member_get(rows + i * shape->row_size, column))
			return false;
	return true;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static unsigned char *values_put(unsigned char *at, const struct segment_shape *shape,
				 const struct segment_column *column, const unsigned char *rows,
				 size_t count)
{
	uint64_t before = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t value = member_get(rows + i * shape->row_size, column);

		if (column->codec == SEGMENT_REAL) {
			for (int byte = 0; byte < 8; byte++)
				*at++ = (unsigned char)(value >> 8 * byte);
		} else if (column->codec == SEGMENT_DELTA) {
			at = varint_put(at, zigzag(value - before));
			before = value;
		} else {
			at = varint_put(at, value);
		}
	}
	return at;
}

/* A column's length comes before its data: the data is put behind room for the longest length and
 * moved up. */
static unsigned char *column_put(unsigned char *at, const struct segment_shape *shape,
				 const struct segment_column *column, const unsigned char *rows,
				 size_t count)
{
	unsigned char *data, *end, *start;

	at = varint_put(at, column->id);
	*at++ = column->codec;
	data = at + VARINT_SIZE;
	end = values_put(data, shape, column, rows, count);
	start = varint_put(at, (uint64_t)(end - data));
	memmove(start, data, (size_t)(end - data));
	return start + (end - data);
}

static unsigned char *rows_put(unsigned char *at, const struct segment_shape *shape,
			       const unsigned char *rows, size_t count)
{
	bool zero[SEGMENT_COLUMN_LIMIT];
	size_t filled = 0;

	for (size_t i = 0; i < shape->column_count; i++)
		filled += !(zero[i] = column_is_zero(shape, &shape->columns[i], rows, count));
	memcpy(at, magic, sizeof(magic));
	at[4] = SEGMENT_VERSION;
	at = varint_put(at + 5, count);
	at = varint_put(at, filled);
	for (size_t i = 0; i < shape->column_count; i++)
		if (!zero[i])
			at = column_put(at, shape, &shape->columns[i], rows, count);
	return at;
}

void segment_pack(const struct segment_shape *shape, const void *rows, size_t count,
		  void **ret_bytes, size_t *ret_size)
{
	size_t room = 64 + shape->column_count * (32 + count * VARINT_SIZE), packed, bound;
	unsigned char *plain = xmalloc(room);
	void *bytes;

	assert(count <= SEGMENT_ROWS_PACKED && shape->column_count <= 25);
	packed = (size_t)(rows_put(plain, shape, rows, count) - plain);
	assert(packed <= room && packed <= SEGMENT_BYTE_LIMIT);
	bound = ZSTD_compressBound(packed);
	bytes = xmalloc(bound);
	*ret_size = ZSTD_compress(bytes, bound, plain, packed, COMPRESSION_LEVEL);
	/* only too small a buffer or no memory could be the cause */
	assert(!ZSTD_isError(*ret_size));
	*ret_bytes = bytes;
	free(plain);
}

/* --- Unpacking -------------------------------------------------------------------------------- */

struct input {
	const unsigned char *at, *end;
	/* something was read that is not there; zeros were given instead */
	bool bad;
};

static uint64_t varint_get_long(struct input *in)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		unsigned char byte = *in->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return shift == 63 && byte > 1 ? (in->bad = true, 0) : value;
	}
	in->bad = true;
	return 0;
}

static inline uint64_t varint_get(struct input *in)
{
	if (in->at < in->end && *in->at < 0x80)
		return *in->at++;
	return varint_get_long(in);
}

static unsigned byte_get(struct input *in)
{
	if (in->at < in->end)
		return *in->at++;
	in->bad = true;
	return 0;
}

static uint64_t real_get(struct input *in)
{
	uint64_t value = 0;

	if (in->end - in->at < 8) {
		in->bad = true;
		return 0;
	}
	for (int byte = 0; byte < 8; byte++)
		value |= (uint64_t)*in->at++ << 8 * byte;
	return value;
}

static void member_set(unsigned char *row, const struct segment_column *column, uint64_t value)
{
	uint32_t word = (uint32_t)value;
	uint16_t half = (uint16_t)value;

	switch (column->size) {
	case 1: row[column->offset] = (unsigned char)value; break;
	case 2: memcpy(row + column->offset, &half, 2); break;
	case 4: memcpy(row + column->offset, &word, 4); break;
	default: memcpy(row + column->offset, &value, 8);
	}
}

/* The codec that the column itself names decides, so that a writer may choose another one that we
 * know. */
static bool values_get(struct input *in, const struct segment_shape *shape,
		       const struct segment_column *column, unsigned codec, unsigned char *rows,
		       size_t count)
{
	uint64_t most = column->size == 8 ? UINT64_MAX : (1ull << 8 * column->size) - 1, before = 0;

	for (size_t i = 0; i < count && !in->bad; i++) {
		uint64_t value;

		if (codec == SEGMENT_REAL) {
			value = real_get(in);
		} else {
			value = varint_get(in);
			if (codec == SEGMENT_DELTA)
				value = before += value >> 1 ^ (0 - (value & 1));
		}
		if (value > most)
			return false;
		member_set(rows + i * shape->row_size, column, value);
	}
	return !in->bad && in->at == in->end;
}

static bool codec_suits(const struct segment_column *column, unsigned codec)
{
	bool is_real = column->codec == SEGMENT_REAL;

	return is_real ? codec == SEGMENT_REAL : codec == SEGMENT_VARINT || codec == SEGMENT_DELTA;
}

static int damaged(struct error *err, const struct segment_shape *shape, const char *why,
		   const char *name)
{
	fail(err, FAILURE_WORK, -EBADMSG, "cannot unpack a segment '%s'", shape->kind);
	return error_because(err, why, name);
}

static int column_get(struct input *in, const struct segment_shape *shape, unsigned char *rows,
		      size_t count, uint64_t *seen, struct error *err)
{
	uint64_t id = varint_get(in);
	unsigned codec = byte_get(in);
	uint64_t length = varint_get(in);
	struct input data;

	if (in->bad || length > (uint64_t)(in->end - in->at))
		return damaged(err, shape, "a column goes beyond the segment's end", NULL);
	data = (struct input){ in->at, in->at + length, false };
	in->at += length;
	for (size_t i = 0; i < shape->column_count; i++) {
		const struct segment_column *column = &shape->columns[i];

		if (column->id != id)
			continue;
		if (*seen & 1ull << i)
			return damaged(err, shape, "the column '%s' is there twice", column->name);
		*seen |= 1ull << i;
		if (!codec_suits(column, codec))
			return damaged(err, shape,
				       "the column '%s' has a codec that does not suit it",
				       column->name);
		if (!values_get(&data, shape, column, codec, rows, count))
			return damaged(err, shape, "the column '%s' does not hold its values",
				       column->name);
	}
	return 0;
}

static int rows_get(struct input *in, const struct segment_shape *shape, void **ret_rows,
		    size_t *ret_count, struct error *err)
{
	uint64_t count, columns, seen = 0;
	unsigned char *rows;
	int r = 0;

	if (in->end - in->at < 5 || memcmp(in->at, magic, sizeof(magic)))
		return damaged(err, shape, "it does not start with the mark of a segment", NULL);
	if (in->at[4] != SEGMENT_VERSION)
		return damaged(err, shape, "its version is one that this crosscut does not know",
			       NULL);
	in->at += 5;
	count = varint_get(in);
	columns = varint_get(in);
	if (in->bad || count > SEGMENT_ROW_LIMIT || columns > SEGMENT_COLUMN_LIMIT)
		return damaged(err, shape,
			       "it says to have more rows or columns than a segment may have",
			       NULL);
	rows = xcalloc(count, shape->row_size);
	for (uint64_t i = 0; i < columns && r >= 0; i++)
		r = column_get(in, shape, rows, count, &seen, err);
	if (r >= 0 && in->at != in->end)
		r = damaged(err, shape, "bytes follow its last column", NULL);
	if (r < 0) {
		free(rows);
		return r;
	}
	*ret_rows = rows;
	*ret_count = count;
	return 0;
}

int segment_unpack(const struct segment_shape *shape, const void *bytes, size_t size,
		   void **ret_rows, size_t *ret_count, struct error *err)
{
	unsigned long long plain_size = ZSTD_getFrameContentSize(bytes, size);
	CLEANUP_TEXT char *plain = NULL;
	struct input in;
	size_t got;

	if (plain_size == ZSTD_CONTENTSIZE_ERROR || plain_size == ZSTD_CONTENTSIZE_UNKNOWN)
		return damaged(err, shape, "it is no zstd frame of a stated size", NULL);
	if (plain_size > SEGMENT_BYTE_LIMIT)
		return damaged(err, shape, "it would unpack to more than 16 MiB", NULL);
	plain = xmalloc(plain_size);
	got = ZSTD_decompress(plain, plain_size, bytes, size);
	if (ZSTD_isError(got) || got != plain_size)
		return damaged(err, shape, "zstd cannot unpack it", NULL);
	in = (struct input){ (const unsigned char *)plain, (const unsigned char *)plain + got,
			     false };
	return rows_get(&in, shape, ret_rows, ret_count, err);
}
