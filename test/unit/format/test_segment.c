/* SPDX-License-Identifier: Apache-2.0 */
#include "format/segment.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zstd.h>

struct row { uint64_t large; double real; uint32_t word; uint16_t half; uint8_t byte; };

#define COLUMN(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct row, member)
static const struct segment_column columns[] = {
	COLUMN(1, VARINT, large), COLUMN(2, REAL, real),  COLUMN(3, DELTA, word),
	COLUMN(4, VARINT, half),  COLUMN(5, DELTA, byte),
};
static const struct segment_shape shape = { "row", sizeof(struct row), columns,
					    ARRAY_LENGTH(columns) };
static const struct segment_shape older = { "row", sizeof(struct row), columns, 2 };

enum { ROWS = 1000 };

static struct row *rows_made(void)
{
	struct row *rows = xcalloc(ROWS, sizeof(*rows));

	for (uint32_t i = 0; i < ROWS; i++)
		rows[i] = (struct row){ i % 3 ? UINT64_MAX - i : i, i / 7.0,
					i % 2 ? UINT32_MAX - i : i, (uint16_t)(i * 65),
					(uint8_t)(255 - i % 256) };
	rows[5].real = -0.0;
	return rows;
}

static bool rows_same(const struct row *a, const struct row *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].large != b[i].large || memcmp(&a[i].real, &b[i].real, 8) ||
		    a[i].word != b[i].word || a[i].half != b[i].half || a[i].byte != b[i].byte)
			return false;
	return true;
}

struct packed { void *bytes; size_t size; };

/* Plain bytes as a segment: what a file might hold. */
static struct packed compressed(const void *plain, size_t size)
{
	struct packed packed = { xmalloc(ZSTD_compressBound(size)), 0 };

	packed.size = ZSTD_compress(packed.bytes, ZSTD_compressBound(size), plain, size, 1);
	return packed;
}

static int unpacked(struct packed packed, struct error *err)
{
	void *rows = NULL;
	size_t count = 0;
	int r = segment_unpack(&shape, packed.bytes, packed.size, &rows, &count, err);

	assert_true(r < 0 || rows);
	free(rows);
	free(packed.bytes);
	return r;
}

static void is_damaged(const void *plain, size_t size, const char *words)
{
	struct error err = { 0 };

	assert_int_equal(unpacked(compressed(plain, size), &err), -EBADMSG);
	assert_non_null(strstr(err.why, words));
}

TEST(rows_come_back_as_they_were_packed)
{
	CLEANUP_TEXT void *rows = rows_made(), *bytes = NULL, *back = NULL;
	size_t size, count;
	struct error err;

	segment_pack(&shape, rows, ROWS, &bytes, &size);
	assert_int_equal(segment_unpack(&shape, bytes, size, &back, &count, &err), 0);
	assert_int_equal(count, ROWS);
	assert_true(rows_same(rows, back, ROWS));
}

TEST(no_rows_are_a_segment_too)
{
	CLEANUP_TEXT void *bytes = NULL, *back = NULL;
	size_t size, count = 7;
	struct error err;

	segment_pack(&shape, "", 0, &bytes, &size);
	assert_int_equal(segment_unpack(&shape, bytes, size, &back, &count, &err), 0);
	assert_int_equal(count, 0);
}

TEST(the_largest_numbers_of_a_full_segment_fit)
{
	CLEANUP_TEXT struct row *rows = xcalloc(SEGMENT_ROWS_PACKED, sizeof(*rows));
	CLEANUP_TEXT void *bytes = NULL, *back = NULL;
	size_t size, count;
	struct error err;

	for (size_t i = 0; i < SEGMENT_ROWS_PACKED; i++)
		rows[i] = (struct row){ UINT64_MAX, 1e308, i % 2 ? UINT32_MAX : 0, UINT16_MAX,
					i % 2 ? UINT8_MAX : 0 };
	segment_pack(&shape, rows, SEGMENT_ROWS_PACKED, &bytes, &size);
	assert_int_equal(segment_unpack(&shape, bytes, size, &back, &count, &err), 0);
	assert_true(count == SEGMENT_ROWS_PACKED && rows_same(rows, back, count));
}

TEST(columns_that_a_reader_does_not_know_are_skipped_and_those_absent_are_zero)
{
	CLEANUP_TEXT struct row *rows = rows_made();
	CLEANUP_TEXT void *bytes = NULL, *by_older = NULL, *older_bytes = NULL, *by_newer = NULL;
	size_t size, count;
	struct error err;
	struct row *got;

	segment_pack(&shape, rows, ROWS, &bytes, &size);
	assert_int_equal(segment_unpack(&older, bytes, size, &by_older, &count, &err), 0);
	got = by_older;
	assert_true(got[9].large == rows[9].large && got[9].real == rows[9].real && !got[9].word &&
		    !got[9].byte);

	segment_pack(&older, rows, ROWS, &older_bytes, &size);
	assert_int_equal(segment_unpack(&shape, older_bytes, size, &by_newer, &count, &err), 0);
	got = by_newer;
	assert_true(count == ROWS && got[9].large == rows[9].large && !got[9].word && !got[9].half);
}

TEST(a_segment_cut_anywhere_is_damaged)
{
	CLEANUP_TEXT void *rows = rows_made(), *bytes = NULL;
	size_t size;
	struct error err;

	segment_pack(&shape, rows, 20, &bytes, &size);
	for (size_t cut = 0; cut < size; cut++) {
		struct packed packed = { xmalloc(cut), cut };

		memcpy(packed.bytes, bytes, cut);
		assert_int_equal(unpacked(packed, &err), -EBADMSG);
	}
}

TEST(plain_bytes_cut_anywhere_are_damaged)
{
	static const unsigned char good[] = "XSEG\1\2\2" "\4\1\3\7\x81\1" "\1\1\2\5\6";
	struct error err;

	assert_int_equal(unpacked(compressed(good, sizeof(good) - 1), &err), 0);
	for (size_t cut = 0; cut < sizeof(good) - 1; cut++)
		assert_int_equal(unpacked(compressed(good, cut), &err), -EBADMSG);
}

TEST(every_length_is_checked)
{
	is_damaged("XSEG\2\0\0", 7, "version");
	is_damaged("ZSEG\1\0\0", 7, "mark");
	is_damaged("XSEG\1\0\0\0", 8, "bytes follow");
	/* 1 Mi rows and one */
	is_damaged("XSEG\1\x81\x80\x40\0", 9, "more rows");
	is_damaged("XSEG\1\0\x41", 7, "more rows or columns");
	is_damaged("XSEG\1\1\1\1\1\x7f\1", 11, "beyond the segment's end");
	is_damaged("XSEG\1\1\1\1\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 19,
		   "beyond the segment's end");
	/* a value too many */
	is_damaged("XSEG\1\1\1\1\1\2\1\1", 12, "does not hold its values");
	/* and one too few */
	is_damaged("XSEG\1\2\1\1\1\1\1", 11, "does not hold its values");
	/* 256 in a byte */
	is_damaged("XSEG\1\1\1\5\1\2\x80\2", 12, "does not hold its values");
	is_damaged("XSEG\1\1\1\2\1\1\1", 11, "codec");
	is_damaged("XSEG\1\1\1\1\x9\1\1", 11, "codec");
	is_damaged("XSEG\1\1\2\1\1\1\1\1\1\1\1", 15, "twice");
	/* 65 bits */
	is_damaged("XSEG\1\1\1\1\1\12\xff\xff\xff\xff\xff\xff\xff\xff\xff\2", 20,
		   "does not hold its values");
}

TEST(a_column_unknown_by_its_id_may_have_an_unknown_codec)
{
	struct error err;

	assert_int_equal(unpacked(compressed("XSEG\1\1\1\x63\x63\1\1", 11), &err), 0);
}

TEST(a_frame_that_would_unpack_too_large_is_not_unpacked)
{
	size_t size = SEGMENT_BYTE_LIMIT + 1;
	CLEANUP_TEXT char *zeros = xcalloc(size, 1);
	struct error err = { 0 };

	assert_int_equal(unpacked(compressed(zeros, size), &err), -EBADMSG);
	assert_non_null(strstr(err.why, "16 MiB"));
	assert_int_equal(unpacked((struct packed){ xstrdup("no zstd"), 7 }, &err), -EBADMSG);
}

TEST(slowly_rising_numbers_take_about_a_byte)
{
	CLEANUP_TEXT struct row *rows = xcalloc(ROWS, sizeof(*rows));
	CLEANUP_TEXT void *bytes = NULL;
	size_t size;

	for (uint32_t i = 0; i < ROWS; i++)
		rows[i].word = 1000000 + i * 3 + i * i % 7;
	segment_pack(&shape, rows, ROWS, &bytes, &size);
	assert_true(size < ROWS + 64);
}
