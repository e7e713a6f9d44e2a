/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A real process to look at: it lives until child_end(). Its folder holds what it needs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char child_folder[64];

static inline void child_make_folder(void)
{
	(void)snprintf(child_folder, sizeof(child_folder), "/tmp/crosscut-child-XXXXXX");
	assert_non_null(mkdtemp(child_folder));
}

__attribute__((format(printf, 1, 2))) static inline void child_run(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

/* Returns when the new image runs: exec closes the pipe. */
static inline pid_t child_begin(const char *path, const char *argument)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)execl(path, path, argument, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	(void)close(ends[0]);
	return pid;
}

static inline void child_end(pid_t pid)
{
	int status;

	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}
