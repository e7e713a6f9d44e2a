/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What an input knows. Private to input.c, which streams, and input_whole.c, which gives all bytes at once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/input.h"

enum { INPUT_LAYER_LIMIT = 3 };                      /* two compressions and an encoding of text */

struct unpacker;

struct input {
	char *name, *path;
	int fd;
	const unsigned char *memory;             /* what is left of an input in memory */
	size_t memory_size;
	struct unpacker *layers[INPUT_LAYER_LIMIT];
	size_t layer_count;
	unsigned char *bytes;                    /* the buffer: unread from start to end */
	size_t start, end, room;
	bool borrowed;                           /* bytes is all there is, and not ours to change */
	void *mapped;
	size_t mapped_size, mark_size;           /* mark: of UTF-8, dropped at the beginning */
	bool ended;
	uint64_t offset, raw_bytes, unpacked_bytes;
	struct text line, encoding;
	uint64_t line_number, lines_cut, first_cut;
	int code;
	const char *why;
	char *counts;                            /* what the user says that its numbers are; NULL: nothing */
};
