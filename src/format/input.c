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
	LAYER_LIMIT = 3,                         /* two compressions and an encoding of text */
	COMPRESSION_LIMIT = 2,
	MEMORY_LIMIT_BYTES = 16 << 20,           /* a whole that is kept in memory */
	RATIO_LIMIT = 1024,                      /* what deflate can do at most */
	RATIO_GRACE_BYTES = 64 << 20,
};

struct input {
	char *name, *path;
	int fd;
	const unsigned char *memory;             /* what is left of an input in memory */
	size_t memory_size;
	struct unpacker *layers[LAYER_LIMIT];
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

/* --- The whole -------------------------------------------------------------------------------- */

static int fail_large(const struct input *input, uint64_t limit_bytes, struct error *err)
{
	fail(err, FAILURE_WORK, -EFBIG, "cannot read '%s'", input->name);
	return error_because(err, "it is larger than the %llu MiB that its format is read with",
			     (unsigned long long)(limit_bytes >> 20));
}

static const char *temporary_directory(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named ? named : "/tmp";
}

static int fail_spool(const struct input *input, int code, struct error *err)
{
	fail(err, FAILURE_WORK, code, "cannot keep '%s' in '%s'", input->name, temporary_directory());
	return error_try(err, "TMPDIR set to a directory with room for it");
}

static int bytes_write(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t put = write(fd, bytes, size);

		if (put < 0 && errno != EINTR)
			return -errno;
		bytes += put > 0 ? put : 0;
		size -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

static int rest_write(struct input *input, int fd, uint64_t limit_bytes, uint64_t *ret_size,
		      struct error *err)
{
	uint64_t total = 0;
	size_t size;

	for (;;) {
		const unsigned char *bytes = input_peek(input, CHUNK_BYTES, &size);
		int r;

		if (!size)
			break;
		total += size;
		if (total > limit_bytes)
			return fail_large(input, limit_bytes, err);
		r = bytes_write(fd, bytes, size);
		if (r < 0)
			return fail_spool(input, r, err);
		input_skip(input, size);
	}
	*ret_size = total;
	return input_error(input, err);
}

static int spool_open(const struct input *input, char **ret_path, struct error *err)
{
	CLEANUP_TEXT char *path = xasprintf("%s/crosscut-XXXXXX", temporary_directory());
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		return fail_spool(input, -errno, err);
	*ret_path = take(path);
	return fd;
}

int input_spool(struct input *input, uint64_t limit_bytes, char **ret_path, struct error *err)
{
	CLEANUP_TEXT char *path = NULL;
	CLEANUP_FD int fd = spool_open(input, &path, err);
	uint64_t size;
	int r = fd < 0 ? fd : rest_write(input, fd, limit_bytes, &size, err);

	if (r < 0) {
		if (path)
			(void)unlink(path);
		return r;
	}
	*ret_path = take(path);
	return 0;
}

/* From here on the buffer is the mapping. */
static int map(struct input *input, int fd, size_t skip, uint64_t size, struct error *err)
{
	void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (mapped == MAP_FAILED)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%s'", input->name);
	(void)madvise(mapped, size, MADV_SEQUENTIAL);            /* best effort */
	if (!input->borrowed)
		free(input->bytes);
	input->mapped = mapped;
	input->mapped_size = size;
	input->bytes = mapped;
	input->start = skip;
	input->end = size;
	input->offset = 0;
	input->borrowed = input->ended = true;
	return 0;
}

static int spool_map(struct input *input, uint64_t limit_bytes, struct error *err)
{
	CLEANUP_TEXT char *path = NULL;
	CLEANUP_FD int fd = spool_open(input, &path, err);
	uint64_t size = 0;
	int r;

	if (fd < 0)
		return fd;
	(void)unlink(path);                      /* the open file stays */
	r = rest_write(input, fd, limit_bytes, &size, err);
	return r < 0 ? r : map(input, fd, 0, size, err);
}

int input_whole(struct input *input, uint64_t limit_bytes, const unsigned char **ret, size_t *ret_size,
		struct error *err)
{
	struct stat status;
	int r = 0;

	assert(!input->offset);
	if (!input->borrowed && input_path(input) && fstat(input->fd, &status) == 0 &&
	    status.st_size > MEMORY_LIMIT_BYTES) {
		if ((uint64_t)status.st_size > limit_bytes)
			return fail_large(input, limit_bytes, err);
		r = map(input, input->fd, input->mark_size, (uint64_t)status.st_size, err);
	}
	if (r >= 0)
		fill(input, MEMORY_LIMIT_BYTES);
	if (r >= 0 && !input->ended)
		r = spool_map(input, limit_bytes, err);
	if (r >= 0)
		r = input_error(input, err);
	if (r >= 0 && input->end - input->start > limit_bytes)
		r = fail_large(input, limit_bytes, err);
	if (r < 0)
		return r;
	*ret = input_peek(input, 0, ret_size);
	return 0;
}
