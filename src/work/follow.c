/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No inotify: a slice is read once a second, and a look at the path then costs less than a wake-up for each line would.
 */
#include "work/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum { READ_SIZE = 256 << 10 };

struct followed {
	int fd;                                      /* -1: none */
	off_t at;                                    /* all before it is read */
	char *line;                                  /* the beginning of a line that is not finished */
	size_t size;
	bool cut;                                    /* of which more was read than fits */
};

struct follow {
	char *path, *bytes;
	struct followed now, before;                 /* before: rotated away */
	struct follow_statistics statistics;
};

/* Only a plain file has an end to begin at. */
static int open_plain(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int code;

	if (fd < 0)
		return -errno;
	code = fstat(fd, status) < 0 ? -errno : S_ISREG(status->st_mode) ? 0 : -EINVAL;
	if (code < 0)
		(void)close(fd);
	return code < 0 ? code : fd;
}

static void followed_begin(struct followed *file, int fd, off_t at)
{
	*file = (struct followed){ .fd = fd, .at = at, .line = xmalloc(FOLLOW_LINE_LIMIT) };
}

static void followed_end(struct followed *file)
{
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->line);
	*file = (struct followed){ .fd = -1 };
}

int follow_open(const char *path, struct follow **ret, struct error *err)
{
	struct follow *follow;
	struct stat status;
	int fd = open_plain(path, &status);

	if (fd < 0) {
		(void)fail(err, FAILURE_CANNOT, fd, "cannot follow the log '%s'", path);
		if (fd == -EINVAL)
			(void)error_because(err, "it is no plain file");
		return error_try(err, "name a file that exists and can be read");
	}
	follow = xcalloc(1, sizeof(*follow));
	follow->path = xstrdup(path);
	follow->bytes = xmalloc(READ_SIZE);
	follow->before.fd = -1;
	followed_begin(&follow->now, fd, status.st_size);
	*ret = follow;
	return 0;
}

void follow_free(struct follow *follow)
{
	if (!follow)
		return;
	followed_end(&follow->now);
	followed_end(&follow->before);
	free(follow->path);
	free(follow->bytes);
	free(follow);
}

static void keep_beginning(struct followed *file, const char *bytes, size_t size)
{
	size_t room = FOLLOW_LINE_LIMIT - file->size;

	file->cut |= size > room;
	memcpy(file->line + file->size, bytes, size < room ? size : room);
	file->size += size < room ? size : room;
}

struct lines {
	struct follow *follow;
	follow_line_function *call;
	void *context;
};

/* A line that lies whole in what was read is not copied. */
static void hand_line(const struct lines *lines, struct followed *file, const char *bytes, size_t size)
{
	bool whole = !file->size && size <= FOLLOW_LINE_LIMIT;

	if (!whole)
		keep_beginning(file, bytes, size);
	lines->follow->statistics.lines++;
	lines->follow->statistics.cut += !whole && file->cut;
	lines->call(lines->context, whole ? bytes : file->line, whole ? size : file->size);
	file->size = 0;
	file->cut = false;
}

static void take_bytes(const struct lines *lines, struct followed *file, const char *bytes, size_t size)
{
	const char *end = bytes + size, *feed;

	while (bytes < end && (feed = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		hand_line(lines, file, bytes, (size_t)(feed - bytes));
		bytes = feed + 1;
	}
	keep_beginning(file, bytes, (size_t)(end - bytes));
}

/* Up to where the file reaches now: a writer faster than we are does not hold us here. */
static int read_file(const struct lines *lines, struct followed *file)
{
	struct stat status;
	ssize_t got;

	if (file->fd < 0)
		return 0;
	if (fstat(file->fd, &status) < 0)
		return -errno;
	if (status.st_size < file->at) {
		lines->follow->statistics.truncated++;
		file->at = 0;
		file->size = 0;
		file->cut = false;
	}
	while (file->at < status.st_size) {
		got = pread(file->fd, lines->follow->bytes, READ_SIZE, file->at);
		if (got <= 0)
			return got < 0 ? -errno : 0;
		file->at += got;
		lines->follow->statistics.bytes += (uint64_t)got;
		take_bytes(lines, file, lines->follow->bytes, (size_t)got);
	}
	return 0;
}

/* Another file at the path: the one so far was rotated away. No file there: not yet. */
static void look_for_rotation(struct follow *follow)
{
	struct stat now, there;
	int fd;

	if (fstat(follow->now.fd, &now) < 0 || stat(follow->path, &there) < 0)
		return;
	if (now.st_dev == there.st_dev && now.st_ino == there.st_ino)
		return;
	fd = open_plain(follow->path, &there);
	if (fd < 0)
		return;
	followed_end(&follow->before);
	follow->before = follow->now;
	followed_begin(&follow->now, fd, 0);
	follow->statistics.rotated++;
}

int follow_read(struct follow *follow, follow_line_function *call, void *context, struct error *err)
{
	struct lines lines = { .follow = follow, .call = call, .context = context };
	int r = read_file(&lines, &follow->before);

	if (r == 0)
		r = read_file(&lines, &follow->now);
	look_for_rotation(follow);
	if (r == 0 && follow->now.at == 0)
		r = read_file(&lines, &follow->now);
	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot read the log '%s'", follow->path);
	return 0;
}

void follow_statistics(const struct follow *follow, struct follow_statistics *ret)
{
	*ret = follow->statistics;
}
