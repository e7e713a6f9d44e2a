/* SPDX-License-Identifier: Apache-2.0 */
/* A process may end between any two of these reads: every caller copes with -ENOENT and -ESRCH. */
#include "capture/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

static ssize_t read_path(const char *path, char *text, size_t size)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t have = 0;
	ssize_t got = 0;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (have < size - 1 && (got = read(fd, text + have, size - 1 - have)) > 0)
		have += (size_t)got;
	text[have] = '\0';
	return got < 0 ? -errno : (ssize_t)have;
}

ssize_t proc_read(pid_t pid, const char *name, char *text, size_t size)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return read_path(path, text, size);
}

ssize_t proc_link(pid_t pid, const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t length;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	length = readlink(path, text, size - 1);
	text[length < 0 ? 0 : length] = '\0';
	return length < 0 ? -errno : length;
}

ssize_t proc_read_inside(pid_t pid, const char *path, char *text, size_t size)
{
	char whole[PATH_MAX];

	text[0] = '\0';
	if (snprintf(whole, sizeof(whole), "/proc/%d/root%s", (int)pid, path) >= (int)sizeof(whole))
		return -ENAMETOOLONG;
	return read_path(whole, text, size);
}

const char *proc_field(const char *status, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);
	const char *at = status;

	value[0] = '\0';
	while (at && (strncmp(at, key, length) != 0 || at[length] != ':')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return value;
	at += length + 1;
	at += strspn(at, " \t");
	(void)snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
	return value;
}

uint32_t proc_last_number(const char *value)
{
	const char *at = value + strlen(value);

	while (at > value && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	while (at > value && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return (uint32_t)strtoul(at, NULL, 10);
}

/* "1234 (a name) Z 1 …": the state, the flags six fields further on, and eleven after them the number of threads. */
enum process_end proc_end(const char *stat)
{
	enum { EXITING = 0x4 };                         /* the kernel's PF_EXITING */
	const char *name_end = strrchr(stat, ')');
	unsigned long flags, threads;
	char state;

	if (!name_end || sscanf(name_end + 1, " %c %*s %*s %*s %*s %*s %lu %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &state, &flags,
				&threads) != 3)
		return PROCESS_ENDED;
	if (strchr("ZX", state))
		return threads > 1 ? PROCESS_ENDING : PROCESS_ENDED;
	return flags & EXITING ? PROCESS_ENDING : PROCESS_LIVES;
}
