/* SPDX-License-Identifier: Apache-2.0 */
/* bzip2, by its own library. */
#include "base/memory.h"
#include "format/unpacker.h"

#include <bzlib.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern const struct unpacking unpacking_bzip2;

/* "BZh", the block size, and the mark of a first block or of an empty stream's end. */
static bool bzip2_recognise(const unsigned char *head, size_t size)
{
	return size >= 10 && !memcmp(head, "BZh", 3) && head[3] >= '1' && head[3] <= '9' &&
	       (!memcmp(head + 4, "\x31\x41\x59\x26\x53\x59", 6) ||
		!memcmp(head + 4, "\x17\x72\x45\x38\x50\x90", 6));
}

struct bzip2 { bz_stream stream; bool ended; };

static void begin(struct bzip2 *bzip2)
{
	memset(bzip2, 0, sizeof(*bzip2));
	if (BZ2_bzDecompressInit(&bzip2->stream, 0, 0) != BZ_OK)
		abort();                         /* only without memory */
}

static void *bzip2_open(void)
{
	struct bzip2 *bzip2 = xcalloc(1, sizeof(*bzip2));

	begin(bzip2);
	return bzip2;
}

static unsigned fit(size_t size)
{
	return size > INT_MAX ? INT_MAX : (unsigned)size;
}

static int bzip2_unpack(void *state, struct unpack_step *step)
{
	struct bzip2 *bzip2 = state;
	unsigned in = fit(step->in_size), out = fit(step->out_size);
	int r;

	if (bzip2->ended) {
		(void)BZ2_bzDecompressEnd(&bzip2->stream);
		begin(bzip2);
	}
	bzip2->stream.next_in = (char *)step->in;        /* read only, whatever its type says */
	bzip2->stream.avail_in = in;
	bzip2->stream.next_out = (char *)step->out;
	bzip2->stream.avail_out = out;
	r = BZ2_bzDecompress(&bzip2->stream);
	step->in_size -= in - bzip2->stream.avail_in;
	step->in += in - bzip2->stream.avail_in;
	step->out_size -= out - bzip2->stream.avail_out;
	step->out += out - bzip2->stream.avail_out;
	bzip2->ended = r == BZ_STREAM_END;
	return bzip2->ended ? UNPACK_STREAM_END : r == BZ_OK ? UNPACK_MORE : -EBADMSG;
}

static void bzip2_close(void *state)
{
	struct bzip2 *bzip2 = state;

	(void)BZ2_bzDecompressEnd(&bzip2->stream);
	free(bzip2);
}

const struct unpacking unpacking_bzip2 = {
	.name = "bzip2",
	.compresses = true,
	.recognise = bzip2_recognise,
	.open = bzip2_open,
	.unpack = bzip2_unpack,
	.close = bzip2_close,
};
