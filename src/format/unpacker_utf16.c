/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-16 of either byte order, known by its mark, as UTF-8: what some shells' redirections write.
 * Half of a pair becomes U+FFFD, since a name is better read wrongly than not at all.
 */
#include "base/memory.h"
#include "format/unpacker.h"

#include <stdlib.h>

extern const struct unpacking unpacking_utf16;

enum { UTF8_MOST = 4, UNIT_BYTES = 2, REPLACEMENT = 0xfffd };

struct utf16 { bool begun, big_endian; };

static bool utf16_recognise(const unsigned char *head, size_t size)
{
	return size >= 2 && ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff));
}

static void *utf16_open(void)
{
	return xcalloc(1, sizeof(struct utf16));
}

static uint32_t unit_at(const struct utf16 *utf16, const unsigned char *at)
{
	return utf16->big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

/* The character at in; *ret_size bytes of it. 0 where it is cut and more may come. */
static uint32_t character(const struct utf16 *utf16, const struct unpack_step *step, size_t *ret_size)
{
	uint32_t first = unit_at(utf16, step->in), second;

	*ret_size = UNIT_BYTES;
	if (first < 0xd800 || first > 0xdfff)
		return first;
	if (first > 0xdbff)
		return REPLACEMENT;
	if (step->in_size < 2 * UNIT_BYTES) {
		*ret_size = step->in_ended ? step->in_size : 0;
		return REPLACEMENT;
	}
	second = unit_at(utf16, step->in + UNIT_BYTES);
	if (second < 0xdc00 || second > 0xdfff)
		return REPLACEMENT;
	*ret_size = 2 * UNIT_BYTES;
	return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

static void put(struct unpack_step *step, uint32_t byte)
{
	*step->out++ = (unsigned char)byte;
	step->out_size--;
}

static void character_put(struct unpack_step *step, uint32_t c)
{
	if (c < 0x80) {
		put(step, c);
		return;
	}
	if (c < 0x800) {
		put(step, 0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			put(step, 0xe0 | c >> 12);
		} else {
			put(step, 0xf0 | c >> 18);
			put(step, 0x80 | (c >> 12 & 0x3f));
		}
		put(step, 0x80 | (c >> 6 & 0x3f));
	}
	put(step, 0x80 | (c & 0x3f));
}

static void take_in(struct unpack_step *step, size_t size)
{
	step->in += size;
	step->in_size -= size;
}

static int utf16_unpack(void *state, struct unpack_step *step)
{
	struct utf16 *utf16 = state;

	if (!utf16->begun) {
		utf16->begun = true;
		utf16->big_endian = step->in[0] == 0xfe;
		take_in(step, UNIT_BYTES);
	}
	while (step->in_size >= UNIT_BYTES && step->out_size >= UTF8_MOST) {
		size_t size;
		uint32_t c = character(utf16, step, &size);

		if (!size)
			break;
		take_in(step, size);
		character_put(step, c);
	}
	if (step->in_ended && step->in_size < UNIT_BYTES) {
		take_in(step, step->in_size);    /* half a unit says nothing */
		return UNPACK_STREAM_END;
	}
	return UNPACK_MORE;
}

const struct unpacking unpacking_utf16 = {
	.name = "UTF-16",
	.recognise = utf16_recognise,
	.open = utf16_open,
	.unpack = utf16_unpack,
	.close = free,
};
