/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Written in full, for a hole is read without a disk. Its bytes differ per page, in case the disk
 * below deduplicates or leaves out zeros.
 */
#include "truth/cold_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"

/* linux/magic.h has no place for them all in older headers. */
enum { MAGIC_TMPFS = 0x01021994, MAGIC_RAMFS = 0x858458f6 };

int cold_file_possible(const struct truth_context *context, struct error *err)
{
	struct statfs system;

	if (fstatfs(context->directory, &system) < 0)
		return fail(err, FAILURE_CANNOT, -errno, "cannot stage '%s'", context->row->name);
	if ((unsigned long)system.f_type == MAGIC_TMPFS ||
	    (unsigned long)system.f_type == MAGIC_RAMFS) {
		(void)fail(err, FAILURE_CANNOT, -EOPNOTSUPP, "cannot stage '%s'",
			   context->row->name);
		return error_because(err, "its directory is in memory, not on a disk");
	}
	return 0;
}

int cold_file_open(int directory)
{
	char name[32];
	int fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd < 0 ? -errno : fd;
	(void)snprintf(name, sizeof(name), "truth-%d", (int)getpid());
	fd = openat(directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	(void)unlinkat(directory, name, 0);
	return fd;
}

static int fill(int fd)
{
	enum { CHUNK = 1 << 20 };
	CLEANUP_TEXT char *chunk = xmalloc(CHUNK);
	uint64_t word = UINT64_C(0x9e3779b97f4a7c15);

	for (size_t at = 0; at < TRUTH_FILE_BYTES; at += CHUNK) {
		for (size_t i = 0; i < CHUNK; i += sizeof(word)) {
			word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
			memcpy(chunk + i, &word, sizeof(word));
		}
		if (pwrite(fd, chunk, CHUNK, (off_t)at) != CHUNK)
			return errno ? -errno : -ENOSPC;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int cold_file_prepare(struct truth_context *context, struct error *err)
{
	int fd = cold_file_open(context->directory), r;

	if (fd < 0)
		return fail(err, FAILURE_WORK, fd, "cannot make a file for '%s'",
			    context->row->name);
	context->files[0] = fd;
	r = fill(fd);
	if (r == 0)
		r = -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (r == 0)
		r = -posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return r < 0 ? fail(err, FAILURE_WORK, r, "cannot write %d bytes for '%s'",
			    TRUTH_FILE_BYTES, context->row->name)
		     : 0;
}

int cold_file_reopen(const struct truth_context *context, int flags)
{
	char path[32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", context->files[0]);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
