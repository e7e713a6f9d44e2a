/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zlib fills a buffer, three bytes of it become four letters; up to two bytes wait for the next buffer. gzip rather than
 * a denser format, because it is what every browser can undo without a script of ours.
 */
#include "view/gzip_base64.h"

#include "base/memory.h"
#include "base/output.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { BUFFER_SIZE = 3 * 16 * 1024, LEVEL = 6, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };

struct gzip_base64 {
	struct output *to;
	z_stream stream;
	unsigned char packed[BUFFER_SIZE];
	char letters[BUFFER_SIZE / 3 * 4];
};

struct gzip_base64 *gzip_base64_new(struct output *to)
{
	struct gzip_base64 *packer = xcalloc(1, sizeof(*packer));
	int r;

	packer->to = to;
	r = deflateInit2(&packer->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	if (r != Z_OK)
		abort();                 /* only out of memory, as in base/memory.h */
	packer->stream.next_out = packer->packed;
	packer->stream.avail_out = BUFFER_SIZE;
	return packer;
}

static void triple_encode(char letters[4], const unsigned char *bytes, size_t size)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = (unsigned)bytes[0] << 16 | (size > 1 ? (unsigned)bytes[1] << 8 : 0) | (size > 2 ? bytes[2] : 0);

	letters[0] = alphabet[bits >> 18];
	letters[1] = alphabet[bits >> 12 & 63];
	letters[2] = size > 1 ? alphabet[bits >> 6 & 63] : '=';
	letters[3] = size > 2 ? alphabet[bits & 63] : '=';
}

/* Writes the whole triples of what zlib has packed, or all of it at the end; what remains moves to the front. */
static void flush(struct gzip_base64 *packer, bool all)
{
	size_t size = BUFFER_SIZE - packer->stream.avail_out;
	size_t take = all ? size : size / 3 * 3, count = 0;

	for (size_t at = 0; at < take; at += 3) {
		triple_encode(packer->letters + count, packer->packed + at, take - at);
		count += 4;
	}
	output_write(packer->to, packer->letters, count);
	memmove(packer->packed, packer->packed + take, size - take);
	packer->stream.next_out = packer->packed + (size - take);
	packer->stream.avail_out = (unsigned)(BUFFER_SIZE - (size - take));
}

void gzip_base64_write(struct gzip_base64 *packer, const void *bytes, size_t size)
{
	assert(size <= UINT_MAX);
	packer->stream.next_in = bytes;
	packer->stream.avail_in = (unsigned)size;
	while (packer->stream.avail_in) {
		(void)deflate(&packer->stream, Z_NO_FLUSH);
		if (!packer->stream.avail_out)
			flush(packer, false);
	}
}

void gzip_base64_finish(struct gzip_base64 *packer)
{
	int r;

	do {
		r = deflate(&packer->stream, Z_FINISH);
		flush(packer, r == Z_STREAM_END);
	} while (r == Z_OK || r == Z_BUF_ERROR);
	(void)deflateEnd(&packer->stream);
	free(packer);
}
