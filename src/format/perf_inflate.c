/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a few bytes inflate to has no limit, so nothing is kept but what does not make a record yet: less than one record
 * and one window of zstd, whose size is limited as well.
 */
#include "format/perf_inflate.h"

#include "base/memory.h"
#include "format/perf_session.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

enum { PART_BYTES = 256 * 1024, WINDOW_LOG_LIMIT = 27, RATIO_LIMIT = 1024, RATIO_GRACE_BYTES = 64 << 20 };

struct perf_inflate {
	ZSTD_DStream *stream;
	size_t size;
	uint64_t taken, given;           /* bytes, of all records: hostile ones inflate to terabytes */
	uint8_t bytes[PERF_RECORD_BYTES_LIMIT + PART_BYTES];
};

struct perf_inflate *perf_inflate_new(void)
{
	struct perf_inflate *inflate = xcalloc(1, sizeof(*inflate));

	inflate->stream = ZSTD_createDStream();
	if (inflate->stream)
		(void)ZSTD_DCtx_setParameter(inflate->stream, ZSTD_d_windowLogMax, WINDOW_LOG_LIMIT);
	return inflate;
}

void perf_inflate_free(struct perf_inflate *inflate)
{
	if (!inflate)
		return;
	(void)ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

/* Gives the whole records and moves the rest to the front. */
static int give_records(struct perf_inflate *inflate, int swapped, perf_inflate_give *give, void *context)
{
	struct perf_bytes bytes = perf_bytes_of(inflate->bytes, inflate->size, swapped);
	int r = 0;

	while (r >= 0 && perf_bytes_left(&bytes) >= PERF_RECORD_HEAD) {
		struct perf_bytes head = bytes;
		uint16_t size;

		(void)perf_u32(&head);
		(void)perf_u16(&head);
		size = perf_u16(&head);
		if (size < PERF_RECORD_HEAD)
			return -EBADMSG;
		if (size > perf_bytes_left(&bytes))
			break;
		r = give(context, perf_take(&bytes, size), size);
	}
	inflate->size = perf_bytes_left(&bytes);
	memmove(inflate->bytes, bytes.at, inflate->size);
	return r;
}

int perf_inflate_put(struct perf_inflate *inflate, const uint8_t *bytes, size_t size, int swapped, perf_inflate_give *give,
		     void *context)
{
	ZSTD_inBuffer in = { .src = bytes, .size = size };
	bool full = false;

	if (!inflate->stream)
		return -ENOMEM;
	inflate->taken += size;
	while (in.pos < in.size || full) {
		ZSTD_outBuffer out = { .dst = inflate->bytes, .size = sizeof(inflate->bytes), .pos = inflate->size };
		size_t left = ZSTD_decompressStream(inflate->stream, &out, &in);
		int r;

		if (ZSTD_isError(left))
			return -EBADMSG;
		full = out.pos == out.size;
		if (out.pos == inflate->size && !full && in.pos == in.size)
			return 0;
		inflate->given += out.pos - inflate->size;
		if (inflate->given > RATIO_GRACE_BYTES + inflate->taken * RATIO_LIMIT)
			return -EFBIG;
		inflate->size = out.pos;
		r = give_records(inflate, swapped, give, context);
		if (r < 0)
			return r;
	}
	return 0;
}
