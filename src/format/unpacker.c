/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers there are, and how one runs: it keeps a buffer of what it takes in, hands that to its
 * row piece by piece, and begins the row's stream anew where another follows. What follows a whole
 * stream and is none of its kind is left, as gzip and bzip2 leave it: archives pad with zeros.
 */
#include "format/unpacker.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct unpacking unpacking_bzip2, unpacking_gzip, unpacking_utf16, unpacking_xz,
	unpacking_zstd;

static const struct unpacking *const unpackings[] = {
	&unpacking_bzip2, &unpacking_gzip, &unpacking_utf16, &unpacking_xz, &unpacking_zstd,
};

enum { IN_BYTES = 128 * 1024 };

struct unpacker {
	const struct unpacking *unpacking;
	unpacker_source *source;
	void *from, *state;
	unsigned char *in;
	size_t in_start, in_end, in_room;
	bool in_ended, between, ended;           /* between: a stream is whole and none has begun */
};

const struct unpacking *unpacking_of(const unsigned char *head, size_t size)
{
	for (size_t i = 0; i < ARRAY_LENGTH(unpackings); i++)
		if (unpackings[i]->recognise(head, size))
			return unpackings[i];
	return NULL;
}

struct unpacker *unpacker_new(const struct unpacking *unpacking, unpacker_source *source, void *from)
{
	struct unpacker *unpacker = xcalloc(1, sizeof(*unpacker));

	unpacker->unpacking = unpacking;
	unpacker->source = source;
	unpacker->from = from;
	unpacker->state = unpacking->open();
	unpacker->in_room = IN_BYTES;
	unpacker->in = xmalloc(unpacker->in_room);
	return unpacker;
}

void unpacker_free(struct unpacker *unpacker)
{
	if (!unpacker)
		return;
	unpacker->unpacking->close(unpacker->state);
	free(unpacker->in);
	free(unpacker);
}

const char *unpacker_name(const struct unpacker *unpacker)
{
	return unpacker->unpacking->name;
}

void unpacker_put_back(struct unpacker *unpacker, const void *bytes, size_t size)
{
	if (size > unpacker->in_room) {
		unpacker->in = xreallocarray(unpacker->in, size, 1);
		unpacker->in_room = size;
	}
	memcpy(unpacker->in, bytes, size);
	unpacker->in_end = size;
}

static ssize_t refill(struct unpacker *unpacker)
{
	size_t left = unpacker->in_end - unpacker->in_start;
	ssize_t got;

	memmove(unpacker->in, unpacker->in + unpacker->in_start, left);
	unpacker->in_start = 0;
	unpacker->in_end = left;
	if (left == unpacker->in_room)
		return -EBADMSG;                 /* its row takes nothing of all this */
	got = unpacker->source(unpacker->from, unpacker->in + left, unpacker->in_room - left);
	unpacker->in_ended = !got;
	unpacker->in_end += got > 0 ? (size_t)got : 0;
	return got;
}

/* Does another stream follow? Else this layer is at its end. */
static bool stream_follows(struct unpacker *unpacker)
{
	return unpacker->unpacking->recognise(unpacker->in + unpacker->in_start,
					    unpacker->in_end - unpacker->in_start);
}

bool unpacker_leaves(const struct unpacker *unpacker)
{
	for (size_t i = unpacker->in_start; unpacker->ended && i < unpacker->in_end; i++)
		if (unpacker->in[i])
			return true;
	return false;
}

static int step(struct unpacker *unpacker, struct unpack_step *ahead)
{
	int r;

	ahead->in = unpacker->in + unpacker->in_start;
	ahead->in_size = unpacker->in_end - unpacker->in_start;
	ahead->in_ended = unpacker->in_ended;
	r = unpacker->unpacking->unpack(unpacker->state, ahead);
	unpacker->in_start = unpacker->in_end - ahead->in_size;
	unpacker->between = r == UNPACK_STREAM_END;
	return r;
}

ssize_t unpacker_read(void *object, void *to, size_t size)
{
	struct unpacker *unpacker = object;
	struct unpack_step ahead = { .out = to, .out_size = size };

	while (!unpacker->ended && ahead.out_size == size) {
		size_t in_before;
		ssize_t got;
		int r;

		while (!unpacker->in_ended &&
		       unpacker->in_end - unpacker->in_start < UNPACKER_HEAD_BYTES) {
			got = refill(unpacker);
			if (got < 0)
				return got;
		}
		if (unpacker->between && !stream_follows(unpacker)) {
			unpacker->ended = true;
			break;
		}
		in_before = unpacker->in_start;
		r = step(unpacker, &ahead);
		if (r < 0)
			return r;
		if (r == UNPACK_MORE && unpacker->in_start == in_before && ahead.out_size == size) {
			if (unpacker->in_ended)
				return -ENODATA;
			got = refill(unpacker);
			if (got < 0)
				return got;
		}
	}
	return (ssize_t)(size - ahead.out_size);
}
