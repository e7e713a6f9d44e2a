/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer over a chain of layers: file or pipe, decompressions, text encoding. Most inputs are
 * larger than what a reader holds of them, so only a peek or a long line makes the buffer grow.
 * What is decompressed may not outgrow what it came from without measure: a kilobyte that turns
 * into terabytes is refused.
 */
#include "format/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/input_state.h"
#include "format/unpacker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 256 * 1024,
	COMPRESSION_LIMIT = 2,
	RATIO_LIMIT = 1024,                      /* what deflate can do at most */
	RATIO_GRACE_BYTES = 64 << 20,
};

/* --- Layers ----------------------------------------------------------------------------------- */

static ssize_t raw_read(void *object, void *to, size_t size)
{
	struct input *input = object;
	ssize_t got;

	if (input->fd < 0) {
		got = (ssize_t)(size < input->memory_size ? size : input->memory_size);
		memcpy(to, input->memory, (size_t)got);
		input->memory += got;
		input->memory_size -= (size_t)got;
	} else {
		do {
			got = read(input->fd, to, size);
		} while (got < 0 && errno == EINTR);
		if (got < 0)
			got = -errno;
	}
	input->raw_bytes += got > 0 ? (uint64_t)got : 0;
	return got;
}

static void input_broke(struct input *input, int code, const char *why)
{
	input->ended = true;
	if (input->code)
		return;
	input->code = code;
	input->why = why;
}

static void layers_broke(struct input *input, int code)
{
	if (!input->layer_count)
		input_broke(input, code, NULL);
	else if (code == -ENODATA)
		input_broke(input, -EBADMSG, "its compressed data end too early");
	else if (code == -EFBIG)
		input_broke(input, code, "to decompress it takes more memory than any usual file needs");
	else if (code == -EBADMSG)
		input_broke(input, code, "its compressed data are damaged");
	else
		input_broke(input, code, NULL);
}

static void chunk_read(struct input *input)
{
	void *to = input->bytes + input->end;
	size_t room = input->room - input->end;
	ssize_t got = input->layer_count ? unpacker_read(input->layers[input->layer_count - 1], to, room)
					 : raw_read(input, to, room);

	if (got < 0) {
		layers_broke(input, (int)got);
		return;
	}
	input->ended = !got;
	input->end += (size_t)got;
	input->unpacked_bytes += (uint64_t)got;
	if (input->layer_count &&
	    input->unpacked_bytes > RATIO_GRACE_BYTES + input->raw_bytes * RATIO_LIMIT)
		input_broke(input, -EFBIG, "it decompresses to more than a thousand times its size");
}

/* Makes wanted unread bytes be there, if there are so many. */
static void fill(struct input *input, size_t wanted)
{
	if (input->ended || input->end - input->start >= wanted)
		return;
	if (input->start) {
		memmove(input->bytes, input->bytes + input->start, input->end - input->start);
		input->end -= input->start;
		input->start = 0;
	}
	while (!input->ended && input->end < wanted) {
		if (input->room - input->end < CHUNK_BYTES) {
			input->room = input->room * 2 < 2 * CHUNK_BYTES ? 2 * CHUNK_BYTES : input->room * 2;
			input->bytes = xreallocarray(input->bytes, input->room, 1);
		}
		chunk_read(input);
	}
}

static void layer_push(struct input *input, const struct unpacking *unpacking)
{
	size_t below = input->layer_count;
	struct unpacker *layer = unpacker_new(unpacking, below ? unpacker_read : raw_read,
					    below ? (void *)input->layers[below - 1] : (void *)input);

	unpacker_put_back(layer, input->bytes + input->start, input->end - input->start);
	input->start = input->end = 0;
	input->ended = false;
	input->unpacked_bytes = 0;
	input->layers[input->layer_count++] = layer;
	text_print(&input->encoding, "%s%s", below ? ", " : "", unpacker_name(layer));
}

static void layers_find(struct input *input)
{
	size_t size, compressions = 0;

	for (;;) {
		const unsigned char *head = input_peek(input, UNPACKER_HEAD_BYTES, &size);
		const struct unpacking *unpacking = unpacking_of(head, size);

		if (!unpacking || input->code)
			break;
		if (unpacking->compresses && ++compressions > COMPRESSION_LIMIT) {
			input_broke(input, -EBADMSG, "it is compressed more than twice over");
			input->start = input->end;
			return;
		}
		layer_push(input, unpacking);
		if (!unpacking->compresses)
			return;
	}
	if (size >= 3 && !memcmp(input->bytes + input->start, "\xef\xbb\xbf", 3)) {
		input->start += 3;
		input->mark_size = 3;
	}
}

/* --- Opening ---------------------------------------------------------------------------------- */

static int fail_open(const char *path, struct error *err)
{
	int r = fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);

	return error_try(err, r == -ENOENT ? "the name of a file that exists"
					   : "the user who recorded it, or root");
}

/* Without waiting: a pipe that nobody writes to is not waited for. */
static int file_open(const char *path, struct input *input, struct error *err)
{
	struct stat status;

	input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (input->fd < 0 || fstat(input->fd, &status) < 0)
		return fail_open(path, err);
	if (S_ISREG(status.st_mode)) {
		input->path = xstrdup(path);
		return 0;
	}
	if (S_ISFIFO(status.st_mode)) {
		(void)fcntl(input->fd, F_SETFL, O_RDONLY);
		return 0;
	}
	fail(err, FAILURE_WORK, S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL, "cannot read '%s'", path);
	if (!S_ISDIR(status.st_mode))
		error_because(err, "it is no regular file and no pipe");
	return error_try(err, "a file made by crosscut record");
}

static int standard_input_open(struct input *input, struct error *err)
{
	if (isatty(STDIN_FILENO)) {
		fail(err, FAILURE_USAGE, -EINVAL, "cannot read standard input");
		error_because(err, "it is a terminal");
		return error_try(err, "a pipe into crosscut, or the name of a file");
	}
	input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return input->fd < 0 ? fail(err, FAILURE_WORK, -errno, "cannot read standard input") : 0;
}

static struct input *input_new(const char *name)
{
	struct input *input = xcalloc(1, sizeof(*input));

	input->name = xstrdup(name);
	input->fd = -1;
	input->line.limit = INPUT_LINE_LIMIT;
	input->encoding.limit = 64;
	return input;
}

int input_open(const char *path, struct input **ret, struct error *err)
{
	const bool standard = !strcmp(path, "-");
	CLEANUP(input) struct input *input = input_new(standard ? "standard input" : path);
	int r = standard ? standard_input_open(input, err) : file_open(path, input, err);

	if (r < 0)
		return r;
	layers_find(input);
	r = input_error(input, err);
	if (r < 0)
		return r;
	*ret = take(input);
	return 0;
}

struct input *input_memory(const void *bytes, size_t size, const char *name)
{
	struct input *input = input_new(name);

	if (unpacking_of(bytes, size)) {
		input->memory = bytes;
		input->memory_size = size;
	} else {
		input->bytes = (unsigned char *)bytes;   /* read only while it is borrowed */
		input->end = size;
		input->raw_bytes = size;
		input->borrowed = input->ended = true;
	}
	layers_find(input);
	return input;
}

void input_free(struct input *input)
{
	if (!input)
		return;
	while (input->layer_count)
		unpacker_free(input->layers[--input->layer_count]);
	if (!input->borrowed)
		free(input->bytes);
	if (input->mapped)
		(void)munmap(input->mapped, input->mapped_size);
	if (input->fd >= 0)
		(void)close(input->fd);
	text_done(&input->line);
	text_done(&input->encoding);
	free(input->name);
	free(input->path);
	free(input->counts);
	free(input);
}

/* --- Reading ---------------------------------------------------------------------------------- */

const char *input_name(const struct input *input)
{
	return input->name;
}

const char *input_path(const struct input *input)
{
	return input->layer_count ? NULL : input->path;
}

const char *input_encoding(const struct input *input)
{
	return text_string(&input->encoding);
}

void input_tell_counts(struct input *input, const char *counts)
{
	free(input->counts);
	input->counts = counts ? xstrdup(counts) : NULL;
}

bool input_leaves(const struct input *input)
{
	for (size_t i = 0; i < input->layer_count; i++)
		if (unpacker_leaves(input->layers[i]))
			return true;
	return false;
}

const char *input_counts(const struct input *input)
{
	return input->counts;
}

const unsigned char *input_peek(struct input *input, size_t wanted, size_t *ret_size)
{
	static const unsigned char nothing[1];

	if (wanted > INPUT_PEEK_LIMIT)
		wanted = INPUT_PEEK_LIMIT;
	fill(input, wanted);
	*ret_size = input->end - input->start;
	return input->bytes ? input->bytes + input->start : nothing;
}

void input_skip(struct input *input, size_t size)
{
	assert(size <= input->end - input->start);
	input->start += size;
	input->offset += size;
}

uint64_t input_offset(const struct input *input)
{
	return input->offset;
}

int input_error(const struct input *input, struct error *err)
{
	if (!input->code)
		return 0;
	fail(err, FAILURE_WORK, input->code, "cannot read '%s'", input->name);
	if (input->why)
		error_because(err, "%s", input->why);
	return input->code == -EIO ? err->code : error_try(err, "an undamaged copy of the file");
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* Bytes up to the end of the line, or up to the limit; the rest of a longer line is passed over. */
static void line_take(struct input *input, const unsigned char *bytes, size_t size)
{
	size_t room = INPUT_LINE_LIMIT - 1 - input->line.size;

	text_append(&input->line, bytes, size < room ? size : room);
	if (size <= room)
		return;
	if (!input->line.cut && !input->lines_cut++)
		input->first_cut = input->line_number;
	input->line.cut = true;
}

const char *input_line(struct input *input, size_t *ret_size)
{
	const unsigned char *bytes, *line_end = NULL;
	size_t size, taken;

	bytes = input_peek(input, 1, &size);
	if (!size)
		return NULL;
	input->line_number++;
	text_clear(&input->line);
	for (; size && !line_end; bytes = input_peek(input, 1, &size)) {
		line_end = memchr(bytes, '\n', size);
		taken = line_end ? (size_t)(line_end - bytes) : size;
		line_take(input, bytes, taken);
		input_skip(input, taken + !!line_end);
		if (line_end)
			break;
	}
	*ret_size = input->line.size;
	if (*ret_size && input->line.bytes[*ret_size - 1] == '\r')
		input->line.bytes[--*ret_size] = '\0';
	return input->line.bytes ? input->line.bytes : "";
}

uint64_t input_line_number(const struct input *input)
{
	return input->line_number;
}

uint64_t input_lines_cut(const struct input *input, uint64_t *ret_first)
{
	*ret_first = input->first_cut;
	return input->lines_cut;
}
