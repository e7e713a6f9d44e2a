/* SPDX-License-Identifier: Apache-2.0 */
/* zstd (RFC 8878), skippable frames included; the window that a file may ask for is limited. */
#include "format/unpacker.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

extern const struct unpacking unpacking_zstd;

enum { WINDOW_LIMIT_LOG2 = 27 };                 /* 128 MiB, what zstd's own tool allows unasked */

static bool zstd_recognise(const unsigned char *head, size_t size)
{
	return size >= 4 && ((head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd) ||
			     ((head[0] & 0xf0) == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18));
}

static void *zstd_open(void)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();

	if (!context)
		abort();                         /* only without memory */
	(void)ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LIMIT_LOG2);
	return context;
}

static int zstd_unpack(void *state, struct unpack_step *step)
{
	ZSTD_inBuffer in = { step->in, step->in_size, 0 };
	ZSTD_outBuffer out = { step->out, step->out_size, 0 };
	size_t r = ZSTD_decompressStream(state, &out, &in);

	step->in += in.pos;
	step->in_size -= in.pos;
	step->out += out.pos;
	step->out_size -= out.pos;
	if (ZSTD_isError(r))
		return ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge ? -EFBIG : -EBADMSG;
	return r ? UNPACK_MORE : UNPACK_STREAM_END;
}

static void zstd_close(void *state)
{
	(void)ZSTD_freeDCtx(state);
}

const struct unpacking unpacking_zstd = {
	.name = "zstd",
	.compresses = true,
	.recognise = zstd_recognise,
	.open = zstd_open,
	.unpack = zstd_unpack,
	.close = zstd_close,
};
