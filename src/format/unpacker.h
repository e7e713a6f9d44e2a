/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One layer between the bytes of a file and its reader: a compression, or another encoding of text.
 * A row recognises its layer by the first bytes and unpacks some bytes at a time; streams that
 * follow each other are one, as the compressors' own tools have it. Private to input.c and unpacker*.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct unpacker;

/* Both sides of one step; unpack moves them on. */
struct unpack_step {
	const unsigned char *in;
	size_t in_size;
	unsigned char *out;
	size_t out_size;
	bool in_ended;                           /* nothing follows what is in `in` */
};

enum { UNPACK_MORE, UNPACK_STREAM_END };

struct unpacking {
	const char *name;                        /* "gzip" */
	bool compresses;
	bool (*recognise)(const unsigned char *head, size_t size);
	void *(*open)(void);
	/* UNPACK_MORE, UNPACK_STREAM_END after a whole stream (begun anew by the next call), or negative errno. */
	int (*unpack)(void *state, struct unpack_step *step);
	void (*close)(void *state);
};

enum { UNPACKER_HEAD_BYTES = 16 };

/* The row that knows these first bytes, or NULL. */
const struct unpacking *unpacking_of(const unsigned char *head, size_t size);

/* Where a unpacker takes its bytes from: fewer than size only at the end; negative errno. */
typedef ssize_t unpacker_source(void *from, void *to, size_t size);

struct unpacker *unpacker_new(const struct unpacking *unpacking, unpacker_source *source, void *from);
void unpacker_free(struct unpacker *unpacker);          /* NULL is fine */
DEFINE_CLEANUP(unpacker)
const char *unpacker_name(const struct unpacker *unpacker);
/* After its end: does something else follow that it passes by? Zeros are padding. */
bool unpacker_leaves(const struct unpacker *unpacker);
/* What was read already, in front of what the source gives. */
void unpacker_put_back(struct unpacker *unpacker, const void *bytes, size_t size);
/* At least one byte, 0 at the end, negative errno: -EBADMSG damaged, -ENODATA cut short, -EFBIG wants too much memory. */
ssize_t unpacker_read(void *unpacker, void *to, size_t size);
