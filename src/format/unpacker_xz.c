/* SPDX-License-Identifier: Apache-2.0 */
/* xz by liblzma, with a limit of memory: a file asks for the dictionary that it was packed with. */
#include "base/memory.h"
#include "format/unpacker.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

extern const struct unpacking unpacking_xz;

enum { MEMORY_LIMIT_BYTES = 128 << 20 };         /* xz -9 needs 65 MiB */

static bool xz_recognise(const unsigned char *head, size_t size)
{
	return size >= 6 && !memcmp(head, "\xfd" "7zXZ", 6);
}

struct xz { lzma_stream stream; bool ended; };

static void begin(struct xz *xz)
{
	xz->ended = false;
	if (lzma_stream_decoder(&xz->stream, MEMORY_LIMIT_BYTES, 0) != LZMA_OK)
		abort();                         /* only without memory */
}

static void *xz_open(void)
{
	struct xz *xz = xcalloc(1, sizeof(*xz));

	xz->stream = (lzma_stream)LZMA_STREAM_INIT;
	begin(xz);
	return xz;
}

static int xz_unpack(void *state, struct unpack_step *step)
{
	struct xz *xz = state;
	lzma_ret r;

	if (xz->ended)
		begin(xz);
	xz->stream.next_in = step->in;
	xz->stream.avail_in = step->in_size;
	xz->stream.next_out = step->out;
	xz->stream.avail_out = step->out_size;
	r = lzma_code(&xz->stream, LZMA_RUN);
	step->in = xz->stream.next_in;
	step->in_size = xz->stream.avail_in;
	step->out = xz->stream.next_out;
	step->out_size = xz->stream.avail_out;
	xz->ended = r == LZMA_STREAM_END;
	if (r == LZMA_MEMLIMIT_ERROR)
		return -EFBIG;
	return xz->ended ? UNPACK_STREAM_END : r == LZMA_OK || r == LZMA_BUF_ERROR ? UNPACK_MORE : -EBADMSG;
}

static void xz_close(void *state)
{
	struct xz *xz = state;

	lzma_end(&xz->stream);
	free(xz);
}

const struct unpacking unpacking_xz = {
	.name = "xz",
	.compresses = true,
	.recognise = xz_recognise,
	.open = xz_open,
	.unpack = xz_unpack,
	.close = xz_close,
};
