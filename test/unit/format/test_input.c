/* SPDX-License-Identifier: Apache-2.0 */
#include "format/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "test.h"

#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

struct packed { unsigned char *bytes; size_t size; };

static struct packed pack_gzip(const void *bytes, size_t size)
{
	size_t room = size + size / 1000 + 1024;
	struct packed packed = { xmalloc(room), 0 };
	z_stream stream = { .next_in = (unsigned char *)bytes,
			    .avail_in = (unsigned)size,
			    .next_out = packed.bytes,
			    .avail_out = (unsigned)room };

	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	packed.size = stream.total_out;
	(void)deflateEnd(&stream);
	return packed;
}

static struct packed pack_zstd(const void *bytes, size_t size)
{
	struct packed packed = { xmalloc(ZSTD_compressBound(size)), 0 };
	ZSTD_CCtx *context = ZSTD_createCCtx();

	(void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	packed.size = ZSTD_compress2(context, packed.bytes, ZSTD_compressBound(size), bytes, size);
	(void)ZSTD_freeCCtx(context);
	return packed;
}

static struct packed pack_xz(const void *bytes, size_t size)
{
	size_t room = lzma_stream_buffer_bound(size);
	struct packed packed = { xmalloc(room), 0 };

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes, size, packed.bytes,
						 &packed.size, room), LZMA_OK);
	return packed;
}

static struct packed pack_bzip2(const void *bytes, size_t size)
{
	unsigned room = (unsigned)(size + size / 100 + 1024);
	struct packed packed = { xmalloc(room), 0 };

	assert_int_equal(BZ2_bzBuffToBuffCompress((char *)packed.bytes, &room, (char *)bytes,
						  (unsigned)size, 1, 0, 0), BZ_OK);
	packed.size = room;
	return packed;
}

static const struct { const char *name; struct packed (*pack)(const void *, size_t); } packers[] = {
	{ "gzip", pack_gzip }, { "zstd", pack_zstd }, { "xz", pack_xz }, { "bzip2", pack_bzip2 },
};

/* Not too compressible, and longer than any buffer. */
static unsigned char *numbers(size_t count, size_t *ret_size)
{
	struct text text = TEXT(64 << 20);

	for (size_t i = 0; i < count; i++)
		text_print(&text, "%zu %zx\n", i, i * 2654435761u);
	*ret_size = text.size;
	return (unsigned char *)text_take(&text);
}

static void assert_whole(struct input *input, const void *bytes, size_t size)
{
	struct error err = { 0 };
	const unsigned char *got;
	size_t got_size;

	assert_int_equal(input_whole(input, 1ull << 30, &got, &got_size, &err), 0);
	assert_int_equal(got_size, size);
	assert_memory_equal(got, bytes, size);
}

TEST(compressed_bytes_are_read_as_what_they_were)
{
	size_t size;
	CLEANUP_TEXT unsigned char *bytes = numbers(200000, &size);

	for (size_t i = 0; i < ARRAY_LENGTH(packers); i++) {
		CLEANUP(input) struct input *input = NULL;
		struct packed packed = packers[i].pack(bytes, size);

		input = input_memory(packed.bytes, packed.size, "packed");
		assert_string_equal(input_encoding(input), packers[i].name);
		assert_null(input_path(input));
		assert_whole(input, bytes, size);
		free(packed.bytes);
	}
}

/* Compressors' own tools warn of them; zeros are how tapes and blocks are filled up. */
TEST(bytes_behind_a_compressed_stream_are_noticed_unless_they_are_zeros)
{
	static const char *const behind[] = { "", "\0\0\0\0", "junk" };

	for (size_t i = 0; i < ARRAY_LENGTH(packers) * ARRAY_LENGTH(behind); i++) {
		struct packed packed = packers[i / ARRAY_LENGTH(behind)].pack("hello\n", 6);
		unsigned char *bytes = xcalloc(packed.size + 4, 1);
		struct input *input;

		memcpy(bytes, packed.bytes, packed.size);
		memcpy(bytes + packed.size, behind[i % ARRAY_LENGTH(behind)], 4 * !!(i % ARRAY_LENGTH(behind)));
		input = input_memory(bytes, packed.size + 4 * !!(i % ARRAY_LENGTH(behind)), "packed");
		assert_whole(input, "hello\n", 6);
		assert_int_equal(input_leaves(input), i % ARRAY_LENGTH(behind) == 2);
		input_free(input);
		free(bytes);
		free(packed.bytes);
	}
}

TEST(one_compression_inside_another_is_read_and_a_third_is_refused)
{
	for (size_t i = 0; i < ARRAY_LENGTH(packers); i++) {
		struct error err = { 0 };
		struct packed once = pack_gzip("hello\n", 6), twice = packers[i].pack(once.bytes, once.size),
			      thrice = pack_zstd(twice.bytes, twice.size);
		struct input *input = input_memory(twice.bytes, twice.size, "twice");
		size_t size;

		assert_whole(input, "hello\n", 6);
		input_free(input);
		input = input_memory(thrice.bytes, thrice.size, "thrice");
		assert_int_equal(input_error(input, &err), -EBADMSG);
		assert_non_null(strstr(err.why, "more than twice"));
		(void)input_peek(input, 100, &size);
		assert_int_equal(size, 0);
		input_free(input);
		free(once.bytes);
		free(twice.bytes);
		free(thrice.bytes);
	}
}

TEST(streams_that_follow_each_other_are_one_and_padding_is_left)
{
	for (size_t i = 0; i < ARRAY_LENGTH(packers); i++) {
		struct packed first = packers[i].pack("one\n", 4), second = packers[i].pack("two\n", 4);
		size_t size = first.size + second.size;
		CLEANUP_TEXT unsigned char *both = calloc(1, size + 512);
		CLEANUP(input) struct input *input = NULL;

		memcpy(both, first.bytes, first.size);
		memcpy(both + first.size, second.bytes, second.size);
		input = input_memory(both, size + 512, "both");
		assert_whole(input, "one\ntwo\n", 8);
		free(first.bytes);
		free(second.bytes);
	}
}

TEST(what_ends_too_early_or_is_damaged_says_so_after_what_could_be_read)
{
	size_t size;
	CLEANUP_TEXT unsigned char *bytes = numbers(100000, &size);

	for (size_t i = 0; i < ARRAY_LENGTH(packers); i++) {
		struct packed packed = packers[i].pack(bytes, size);
		struct error err = { 0 };
		struct input *input = input_memory(packed.bytes, packed.size / 2, "short");
		const unsigned char *whole;
		size_t got = 0, line_size;

		while (input_line(input, &line_size))
			got++;
		assert_true(got < 100000);
		assert_int_equal(input_error(input, &err), -EBADMSG);
		assert_int_equal(err.kind, FAILURE_WORK);
		assert_non_null(strstr(err.why, "too early"));
		input_free(input);
		packed.bytes[packed.size / 2] ^= 0xff;
		packed.bytes[packed.size / 2 + 1] ^= 0x55;
		input = input_memory(packed.bytes, packed.size, "damaged");
		assert_true(input_whole(input, 1 << 30, &whole, &got, &err) < 0);
		input_free(input);
		free(packed.bytes);
	}
}

TEST(a_bomb_is_not_unpacked)
{
	size_t size = 400 << 20;
	CLEANUP_TEXT unsigned char *zeros = calloc(1, size);
	struct packed packed = pack_zstd(zeros, size);
	CLEANUP(input) struct input *input = input_memory(packed.bytes, packed.size, "bomb");
	struct error err = { 0 };
	const unsigned char *whole;
	size_t got;

	assert_true(packed.size < 300 << 10);
	assert_int_equal(input_whole(input, 1ull << 40, &whole, &got, &err), -EFBIG);
	assert_non_null(strstr(err.why, "thousand times"));
	free(packed.bytes);
}

TEST(lines_end_in_lf_or_crlf_or_with_the_file)
{
	static const char text[] = "one\ntwo\r\n\nfo\0ur\n\r\nlast";
	static const char *const lines[] = { "one", "two", "", "fo", "", "last" };
	static const size_t sizes[] = { 3, 3, 0, 5, 0, 4 };
	CLEANUP(input) struct input *input = input_memory(text, sizeof(text) - 1, "lines");
	size_t size;

	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
		assert_string_equal(input_line(input, &size), lines[i]);
		assert_int_equal(size, sizes[i]);
		assert_int_equal(input_line_number(input), i + 1);
	}
	assert_null(input_line(input, &size));
	assert_int_equal(input_offset(input), sizeof(text) - 1);
}

TEST(utf_16_of_both_orders_and_marks_of_utf_8_are_plain_utf_8)
{
	static const char little[] = "\xff\xfe" "a\0\xe9\0\xac\x20\x3d\xd8\0\xde" "\r\0\n\0b\0";
	static const char big[] = "\xfe\xff" "\0a\0\xe9\x20\xac\xd8\x3d\xde\0" "\0\r\0\n\0b";
	static const char marked[] = "\xef\xbb\xbf" "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\r\nb";
	const struct { const char *bytes; size_t size; } rows[] = {
		{ little, sizeof(little) - 1 }, { big, sizeof(big) - 1 }, { marked, sizeof(marked) - 1 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		CLEANUP(input) struct input *input = input_memory(rows[i].bytes, rows[i].size, "text");
		size_t size;

		assert_string_equal(input_line(input, &size), "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
		assert_string_equal(input_line(input, &size), "b");
		assert_null(input_line(input, &size));
	}
}

TEST(halves_of_utf_16_are_replaced)
{
	static const char text[] = "\xff\xfe" "\x3d\xd8" "a\0" "\0\xde" "b\0" "\x3d\xd8" "c";
	CLEANUP(input) struct input *input = input_memory(text, sizeof(text) - 1, "text");
	size_t size;

	assert_string_equal(input_line(input, &size), "\xef\xbf\xbd" "a\xef\xbf\xbd" "b\xef\xbf\xbd");
	assert_null(input_line(input, &size));
}

TEST(a_line_over_the_limit_is_cut_and_counted)
{
	size_t size = (3 << 20) + 2, line_size;
	CLEANUP_TEXT char *text = malloc(size);
	CLEANUP(input) struct input *input = NULL;
	uint64_t first;

	memset(text, 'x', size);
	text[0] = '\n';
	text[size - 2] = '\n';
	text[size - 1] = 'y';
	input = input_memory(text, size, "long");
	assert_string_equal(input_line(input, &line_size), "");
	assert_non_null(input_line(input, &line_size));
	assert_int_equal(line_size, INPUT_LINE_LIMIT - 1);
	assert_string_equal(input_line(input, &line_size), "y");
	assert_int_equal(input_lines_cut(input, &first), 1);
	assert_int_equal(first, 2);
}

/* A file of its own for each test. */
struct temporary { char path[40]; int fd; };

static struct temporary temporary(const void *bytes, size_t size)
{
	struct temporary file = { .path = "/tmp/crosscut-test-XXXXXX" };

	file.fd = mkstemp(file.path);
	assert_int_equal(write(file.fd, bytes, size), size);
	return file;
}

TEST(a_large_file_is_mapped_and_small_ones_and_peeks_are_the_same_bytes)
{
	size_t size, peeked;
	CLEANUP_TEXT unsigned char *bytes = numbers(1300000, &size);
	struct temporary file = temporary(bytes, size);
	CLEANUP(input) struct input *input = NULL;
	struct error err = { 0 };

	assert_true(size > 17 << 20);
	assert_int_equal(input_open(file.path, &input, &err), 0);
	assert_string_equal(input_path(input), file.path);
	assert_memory_equal(input_peek(input, 1000, &peeked), bytes, 1000);
	assert_whole(input, bytes, size);
	assert_true(input_peek(input, 4096, &peeked) && peeked == size);
	input_skip(input, 100);
	assert_int_equal(input_offset(input), 100);
	(void)close(file.fd);
	(void)unlink(file.path);
}

TEST(a_pipe_is_read_to_its_end_and_spooled_where_all_is_wanted)
{
	size_t size;
	CLEANUP_TEXT unsigned char *bytes = numbers(1300000, &size);
	CLEANUP(input) struct input *input = NULL;
	CLEANUP_TEXT char *path = NULL;
	struct error err = { 0 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		(void)close(ends[0]);
		for (size_t at = 0; at < size;)
			at += (size_t)write(ends[1], bytes + at, size - at);
		_exit(0);
	}
	(void)close(ends[1]);
	path = xasprintf("/dev/fd/%d", ends[0]);
	assert_int_equal(input_open(path, &input, &err), 0);
	assert_null(input_path(input));
	assert_whole(input, bytes, size);
	(void)close(ends[0]);
}

TEST(what_is_spooled_by_name_is_the_whole_and_private)
{
	CLEANUP(input) struct input *input = input_memory("a capture", 9, "piped");
	CLEANUP_TEXT char *path = NULL;
	struct error err = { 0 };
	struct stat status;

	assert_int_equal(input_spool(input, 100, &path, &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 9);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(unlink(path), 0);
}

TEST(more_than_the_reader_wants_is_refused)
{
	CLEANUP(input) struct input *input = input_memory("0123456789", 10, "ten");
	struct error err = { 0 };
	const unsigned char *whole;
	size_t size;

	assert_int_equal(input_whole(input, 9, &whole, &size, &err), -EFBIG);
	assert_int_equal(err.kind, FAILURE_WORK);
}

TEST(what_is_no_file_and_no_pipe_is_refused)
{
	struct input *input = NULL;
	struct error err = { 0 };

	assert_int_equal(input_open("/", &input, &err), -EISDIR);
	assert_int_equal(input_open("/dev/null", &input, &err), -EINVAL);
	assert_int_equal(input_open("/nowhere/at/all", &input, &err), -ENOENT);
	assert_null(input);
}
