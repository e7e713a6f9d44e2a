/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All bytes of an input, for formats that must be seen whole: few of them are kept in memory, a plain
 * file is mapped, and anything else is spooled to a file that has lost its name.
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/input_state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 256 * 1024,
	MEMORY_LIMIT_BYTES = 16 << 20,           /* a whole that is kept in memory */
};

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
		(void)input_peek(input, MEMORY_LIMIT_BYTES, ret_size);
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
