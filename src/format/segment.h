/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A segment is a table of whole rows, packed column by column and compressed: what is large in a
 *capture file.
 *
 *	zstd frame { "XSEG" version(u8) rows columns { id codec(u8) length data } … }      numbers
 *without a type: varint
 *
 * Rows are structs; a shape says which of their members are columns. A column whose values are all
 *zero is left out and reads as zeros; a column that the reader does not know is skipped. A reader
 *trusts no length: at most 16 MiB unpacked, 1 Mi rows, 64 columns, each column exactly as long as
 *its values.
 */
#include <stddef.h>
#include <stdint.h>

struct error;

enum {
	SEGMENT_VERSION = 1,
	SEGMENT_ROW_LIMIT = 1 << 20,
	SEGMENT_BYTE_LIMIT = 16 << 20,
	SEGMENT_COLUMN_LIMIT = 64
};
/* As many rows as always fit, however large their numbers are (25 columns of 10 bytes). */
enum { SEGMENT_ROWS_PACKED = 64 << 10 };

enum segment_codec {
	SEGMENT_VARINT = 1,      /* base 128, low bits first, the high bit says that more follows */
	SEGMENT_DELTA,           /* difference to the row before, zigzag, varint */
	SEGMENT_REAL,            /* IEEE 754 double, little-endian */
};

struct segment_column {
	const char *name;        /* for messages and doc/format.md */
	uint16_t id;             /* never used again for something else */
	uint8_t codec, size;     /* size of the member: 1, 2, 4 or 8 bytes */
	uint16_t offset;
};
#define SEGMENT_COLUMN(number, encoding, type, member) \
	{ #member, number, encoding, sizeof(((type *)0)->member), offsetof(type, member) }

struct segment_shape {
	const char *kind;        /* "cell" */
	size_t row_size;
	const struct segment_column *columns;
	size_t column_count;     /* at most 25 */
};

/* Packs at most SEGMENT_ROWS_PACKED rows; the caller frees *ret_bytes. */
void segment_pack(const struct segment_shape *shape, const void *rows, size_t count,
		  void **ret_bytes, size_t *ret_size);
/* -EBADMSG where it is damaged; the caller frees *ret_rows. err->why names what is wrong. */
int segment_unpack(const struct segment_shape *shape, const void *bytes, size_t size,
		   void **ret_rows, size_t *ret_count, struct error *err);
