/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program prints the path of the file in its own cache. What it fetched is checked by its caller like any other file
 * from anywhere.
 */
#include "symbol/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"

enum { PATH_SIZE = 4096, WALL_S = 120 };

extern char **environ;

bool debuginfod_usable(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *path = getenv("PATH");
	CLEANUP_TEXT char *places = xstrdup(path ? path : "");
	char *rest = NULL;

	for (char *place = strtok_r(places, ":", &rest); place && urls && *urls; place = strtok_r(NULL, ":", &rest)) {
		CLEANUP_TEXT char *program = xasprintf("%s/debuginfod-find", place);

		if (access(program, X_OK) == 0)
			return true;
	}
	return false;
}

static pid_t start(const char *build_id, int to)
{
	char *words[] = { "debuginfod-find", "debuginfo", (char *)(uintptr_t)build_id, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, to, 1);
	(void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, words[0], &actions, NULL, words, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* One line, within the time. */
static size_t read_path(int from, char path[PATH_SIZE])
{
	uint64_t end_ns = clock_now_ns() + WALL_S * 1000000000ull;
	size_t size = 0;

	while (size < PATH_SIZE - 1) {
		struct pollfd wait = { .fd = from, .events = POLLIN };
		uint64_t now_ns = clock_now_ns();
		ssize_t more;

		if (now_ns >= end_ns)
			return 0;
		if (poll(&wait, 1, (int)((end_ns - now_ns) / 1000000) + 1) <= 0)
			continue;
		more = read(from, path + size, PATH_SIZE - 1 - size);
		if (more <= 0)
			break;
		size += (size_t)more;
	}
	path[size] = '\0';
	path[strcspn(path, "\n")] = '\0';
	return strlen(path);
}

int debuginfod_open(const char *build_id)
{
	char path[PATH_SIZE];
	int ends[2], status = 0, fd;
	size_t size;
	pid_t pid;

	if (strlen(build_id) < 8 || pipe2(ends, O_CLOEXEC) < 0)
		return -ENOENT;
	pid = start(build_id, ends[1]);
	(void)close(ends[1]);
	size = pid < 0 ? 0 : read_path(ends[0], path);
	(void)close(ends[0]);
	if (pid > 0 && !size)
		(void)kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!size || !WIFEXITED(status) || WEXITSTATUS(status) || path[0] != '/')
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}
