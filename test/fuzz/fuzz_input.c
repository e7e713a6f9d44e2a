/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an input: from memory, from a file and from a pipe, asked for whole, piece by piece, by lines and as a spooled
 * file, they are the same bytes, or refused with a reason.
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/input.h"

#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIPE_BYTES = 32 * 1024, PIECE_BYTES = 1000, MOST_BYTES = 1 << 20 };

struct seen { uint64_t bytes, hash; };

static void seen_add(struct seen *seen, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		seen->hash = (seen->hash ^ bytes[i]) * 0x100000001b3;
	seen->bytes += size;
}

static struct input *open_descriptor(int fd)
{
	struct input *input = NULL;
	struct error err = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (input_open(path, &input, &err) < 0)
		assert(err.kind == FAILURE_WORK && *err.what);
	return input;
}

static struct input *open_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct input *input;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	input = open_descriptor(fd);
	(void)close(fd);
	return input;
}

static struct input *open_pipe(const uint8_t *data, size_t size)
{
	struct input *input;
	int ends[2];

	if (size > PIPE_BYTES || pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	if (write(ends[1], data, size) != (ssize_t)size)
		abort();
	(void)close(ends[1]);
	input = open_descriptor(ends[0]);
	(void)close(ends[0]);
	return input;
}

static bool read_pieces(struct input *input, struct seen *seen)
{
	struct error err = { 0 };
	size_t size;

	for (;;) {
		const unsigned char *bytes = input_peek(input, PIECE_BYTES, &size);

		if (!size || seen->bytes > MOST_BYTES)
			break;
		size = size > PIECE_BYTES ? PIECE_BYTES : size;
		seen_add(seen, bytes, size);
		input_skip(input, size);
	}
	return input_error(input, &err) == 0 && seen->bytes <= MOST_BYTES;
}

static bool read_whole(struct input *input, struct seen *seen)
{
	struct error err = { 0 };
	const unsigned char *bytes;
	size_t size;

	if (input_whole(input, MOST_BYTES, &bytes, &size, &err) < 0) {
		assert(*err.what);
		return false;
	}
	seen_add(seen, bytes, size);
	return true;
}

static bool read_spooled(struct input *input, struct seen *seen)
{
	struct error err = { 0 };
	unsigned char bytes[4096];
	char *path = NULL;
	ssize_t got;
	int fd;

	if (input_spool(input, MOST_BYTES, &path, &err) < 0)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		seen_add(seen, bytes, (size_t)got);
	(void)close(fd);
	(void)unlink(path);
	free(path);
	return true;
}

static void read_lines(struct input *input)
{
	struct error err = { 0 };
	uint64_t count = 0, first;
	size_t size;

	while (count < MOST_BYTES && input_line(input, &size)) {
		count++;
		assert(input_line_number(input) == count);
	}
	(void)input_lines_cut(input, &first);
	(void)input_error(input, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input *inputs[] = { input_memory(data, size, "fuzz"), open_file(data, size), open_pipe(data, size),
				   input_memory(data, size, "fuzz") };
	bool (*const ways[])(struct input *, struct seen *) = { read_pieces, read_whole, read_pieces, read_spooled };
	struct seen first = { 0 };

	for (size_t i = 0; i < 4; i++) {
		struct seen seen = { 0 };

		if (inputs[i] && ways[i](inputs[i], &seen)) {
			assert(!first.bytes || (first.bytes == seen.bytes && first.hash == seen.hash));
			first = seen;
		}
		input_free(inputs[i]);
	}
	inputs[0] = open_file(data, size);
	if (inputs[0])
		read_lines(inputs[0]);
	input_free(inputs[0]);
	return 0;
}
