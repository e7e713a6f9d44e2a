/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file per program in one folder. A file is written beside its place and renamed, so that a reader sees the old one or
 * the new one. Above the limit of all files the ones unused for longest go; a file that is read is marked as used by its
 * time of change.
 */
#include "symbol/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/directory.h"
#include "base/memory.h"
#include "symbol/code_map.h"

enum { ENTRY_LIMIT = 65536 };

static char *folder_of(const char *directory)
{
	return xasprintf("%s/code", directory);
}

/* A folder that others may write to could hold anything. */
static int open_folder(const char *directory)
{
	CLEANUP_TEXT char *path = folder_of(directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	(void)close(fd);
	return -EPERM;
}

static void *read_whole(int fd, size_t size)
{
	char *bytes = xmalloc(size);
	size_t at = 0;
	ssize_t more;

	while (at < size && (more = read(fd, bytes + at, size - at)) > 0)
		at += (size_t)more;
	if (at == size)
		return bytes;
	free(bytes);
	return NULL;
}

struct code_map *code_cache_read(const char *directory, const char *name)
{
	CLEANUP_FD int folder = open_folder(directory);
	CLEANUP_FD int fd = folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct code_map *map = NULL;
	struct stat status;
	void *bytes;

	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() || !status.st_size ||
	    status.st_size > CODE_CACHE_FILE_LIMIT)
		return NULL;
	bytes = read_whole(fd, (size_t)status.st_size);
	if (!bytes || code_map_open(bytes, (size_t)status.st_size, &map) < 0)
		return NULL;
	(void)futimens(fd, NULL);
	return map;
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

struct kept { char name[256]; struct timespec used; uint64_t bytes; };

static int compare_kept(const void *left, const void *right)
{
	const struct kept *a = left, *b = right;

	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	return a->used.tv_nsec < b->used.tv_nsec ? -1 : a->used.tv_nsec > b->used.tv_nsec;
}

static struct kept *list_kept(int folder, size_t *ret_count, uint64_t *ret_bytes)
{
	int copy = openat(folder, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	struct kept *kept = NULL;
	size_t count = 0, room = 0;
	const struct dirent *entry;
	struct stat status;

	*ret_bytes = 0;
	while (entries && count < ENTRY_LIMIT && (entry = readdir(entries))) {
		if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(status.st_mode))
			continue;
		grow(kept, count, room);
		kept[count] = (struct kept){ .used = status.st_mtim, .bytes = (uint64_t)status.st_size };
		(void)snprintf(kept[count].name, sizeof(kept[count].name), "%s", entry->d_name);
		count++;
		*ret_bytes += (uint64_t)status.st_size;
	}
	if (entries)
		(void)closedir(entries);
	*ret_count = count;
	return kept;
}

static void make_room(int folder, size_t size)
{
	uint64_t bytes;
	size_t count;
	CLEANUP_TEXT struct kept *kept = list_kept(folder, &count, &bytes);

	if (bytes + size <= CODE_CACHE_LIMIT)
		return;
	qsort(kept, count, sizeof(*kept), compare_kept);
	for (size_t i = 0; i < count && bytes + size > CODE_CACHE_LIMIT; i++)
		if (unlinkat(folder, kept[i].name, 0) == 0)
			bytes -= kept[i].bytes;
}

static int write_whole(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written <= 0)
			return -EIO;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

void code_cache_write(const char *directory, const char *name, const struct code_map *map)
{
	CLEANUP_TEXT char *path = folder_of(directory), *fresh = xasprintf("%s.%d.new", name, (int)getpid());
	size_t size;
	const void *bytes = code_map_bytes(map, &size);
	int made = directory_make(path);
	CLEANUP_FD int folder = made < 0 ? -1 : open_folder(directory);
	CLEANUP_FD int fd = -1;

	if (folder < 0 || size > CODE_CACHE_FILE_LIMIT)
		return;
	make_room(folder, size);
	fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (write_whole(fd, bytes, size) < 0 || renameat(folder, fresh, folder, name) < 0)
		(void)unlinkat(folder, fresh, 0);
}
