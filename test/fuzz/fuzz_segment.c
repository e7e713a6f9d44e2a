/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a segment of a capture file, of every kind: as they are, and with a segment's mark
 * and compressed, so that the fuzzer works on the columns and not on zstd. What unpacks must pack
 * and unpack again to the same rows.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/native_schema.h"

#include <assert.h>
#include <string.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const struct segment_shape *shape, const void *rows, size_t count)
{
	CLEANUP_TEXT void *bytes = NULL, *back = NULL;
	size_t size, back_count;
	struct error err;

	if (count > SEGMENT_ROWS_PACKED)
		return;
	segment_pack(shape, rows, count, &bytes, &size);
	assert(segment_unpack(shape, bytes, size, &back, &back_count, &err) == 0);
	assert(back_count == count && !memcmp(rows, back, count * shape->row_size));
}

static void unpack(const struct segment_shape *shape, const void *bytes, size_t size)
{
	CLEANUP_TEXT void *rows = NULL;
	size_t count;
	struct error err;

	if (segment_unpack(shape, bytes, size, &rows, &count, &err) == 0)
		again(shape, rows, count);
	else
		assert(err.code < 0 && *err.why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t plain_size = size + 5, bound = ZSTD_compressBound(plain_size), compressed;
	CLEANUP_TEXT char *plain = xmalloc(plain_size), *bytes = xmalloc(bound);

	memcpy(plain, "XSEG\1", 5);
	if (size)
		memcpy(plain + 5, data, size);
	compressed = ZSTD_compress(bytes, bound, plain, plain_size, 1);
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		unpack(&native_shapes[kind], data, size);
		unpack(&native_shapes[kind], bytes, compressed);
	}
	return 0;
}
