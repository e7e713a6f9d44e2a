/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two pipes: over one the child waits for the word to go; over the other, closed by a successful exec, it tells why a
 * command could not start.
 */
#include "capture/launch.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int become_invoking_user(void)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID"), *user = getenv("SUDO_USER");

	if (geteuid() || !uid || !gid || !user)
		return 0;
	if (initgroups(user, (gid_t)atoi(gid)) || setgid((gid_t)atoi(gid)) || setuid((uid_t)atoi(uid)))
		return -errno;
	return 0;
}

uid_t launch_user(bool as_root)
{
	const char *uid = getenv("SUDO_UID");

	return as_root || geteuid() || !uid || !getenv("SUDO_GID") || !getenv("SUDO_USER") ? geteuid() : (uid_t)atoi(uid);
}

static void child(int go_fd, int error_fd, char *const *command, const char *const *environment, int (*body)(void *with), void *with,
		  bool as_root)
{
	char word;
	ssize_t got;
	int code;

	do {
		got = read(go_fd, &word, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(127);                     /* the capture came to nothing: a command must not run unseen */
	(void)close(go_fd);
	if (body) {
		(void)close(error_fd);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		exit(body(with));
	}
	code = as_root ? 0 : become_invoking_user();
	for (; environment && *environment; environment++)
		(void)putenv((char *)*environment);
	if (!code) {
		(void)execvp(command[0], command);
		code = -errno;
	}
	(void)!write(error_fd, &code, sizeof(code));
	_exit(127);
}

int launch_prepare(struct launch *launch, char *const *command, const char *const *environment, int (*body)(void *with), void *with,
		   bool as_root, struct error *err)
{
	int go[2], failed[2];

	*launch = (struct launch){ .go_fd = -1, .error_fd = -1 };
	if (pipe2(go, O_CLOEXEC))
		return fail(err, FAILURE_WORK, -errno, "cannot start a command");
	if (pipe2(failed, O_CLOEXEC)) {
		(void)close(go[0]);
		(void)close(go[1]);
		return fail(err, FAILURE_WORK, -errno, "cannot start a command");
	}
	(void)fflush(NULL);
	launch->pid = fork();
	if (!launch->pid) {
		(void)close(go[1]);
		(void)close(failed[0]);
		child(go[0], failed[1], command, environment, body, with, as_root);
	}
	(void)close(go[0]);
	(void)close(failed[1]);
	launch->go_fd = go[1];
	launch->error_fd = failed[0];
	if (launch->pid < 0) {
		launch->pid = 0;
		return fail(err, FAILURE_WORK, -errno, "cannot start a command");
	}
	return 0;
}

int launch_go(struct launch *launch, struct error *err)
{
	int code = 0;
	ssize_t size;

	if (write(launch->go_fd, "g", 1) != 1)
		return fail(err, FAILURE_WORK, -errno, "cannot start the command");
	do {
		size = read(launch->error_fd, &code, sizeof(code));     /* ends when exec closes the pipe */
	} while (size < 0 && errno == EINTR);
	(void)close(launch->error_fd);
	launch->error_fd = -1;
	if (size == (ssize_t)sizeof(code) && code < 0) {
		fail(err, FAILURE_WORK, code, "the command does not start");
		return error_try(err, "check its name and that the invoking user may run it");
	}
	return 0;
}

bool launch_ended(struct launch *launch)
{
	if (!launch->pid || launch->ended)
		return launch->ended;
	if (waitpid(launch->pid, &launch->status, WNOHANG) == launch->pid)
		launch->ended = true;
	return launch->ended;
}

void launch_outlive(struct launch *launch)
{
	while (launch->pid && !launch->ended)
		launch->ended = waitpid(launch->pid, &launch->status, 0) == launch->pid || errno != EINTR;
}

void launch_done(struct launch *launch)
{
	if (launch->go_fd >= 0)
		(void)close(launch->go_fd);
	if (launch->error_fd >= 0)
		(void)close(launch->error_fd);
	if (launch->pid && !launch_ended(launch)) {
		(void)kill(launch->pid, SIGKILL);
		(void)waitpid(launch->pid, &launch->status, 0);
	}
	*launch = (struct launch){ .go_fd = -1, .error_fd = -1 };
}
