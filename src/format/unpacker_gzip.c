/* SPDX-License-Identifier: Apache-2.0 */
/* gzip (RFC 1952) by zlib. */
#include "base/memory.h"
#include "format/unpacker.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

extern const struct unpacking unpacking_gzip;

static bool gzip_recognise(const unsigned char *head, size_t size)
{
	return size >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

static void *gzip_open(void)
{
	z_stream *stream = xcalloc(1, sizeof(*stream));

	if (inflateInit2(stream, 16 + MAX_WBITS) != Z_OK)
		abort();                         /* only without memory */
	return stream;
}

static unsigned fit(size_t size)
{
	return size > INT_MAX ? INT_MAX : (unsigned)size;
}

static int gzip_unpack(void *state, struct unpack_step *step)
{
	z_stream *stream = state;
	unsigned in = fit(step->in_size), out = fit(step->out_size);
	int r;

	stream->next_in = (unsigned char *)step->in;     /* read only, whatever its type says */
	stream->avail_in = in;
	stream->next_out = step->out;
	stream->avail_out = out;
	r = inflate(stream, Z_NO_FLUSH);
	step->in_size -= in - stream->avail_in;
	step->in += in - stream->avail_in;
	step->out_size -= out - stream->avail_out;
	step->out += out - stream->avail_out;
	if (r == Z_STREAM_END) {
		(void)inflateReset(stream);
		return UNPACK_STREAM_END;
	}
	return r == Z_OK || r == Z_BUF_ERROR ? UNPACK_MORE : -EBADMSG;
}

static void gzip_close(void *state)
{
	(void)inflateEnd(state);
	free(state);
}

const struct unpacking unpacking_gzip = {
	.name = "gzip",
	.compresses = true,
	.recognise = gzip_recognise,
	.open = gzip_open,
	.unpack = gzip_unpack,
	.close = gzip_close,
};
