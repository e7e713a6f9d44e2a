/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The command of `record -- COMMAND`: forked first, held at a pipe until the window opens, then run, as the invoking user
 * where sudo says who that is.
 */
#include <stdbool.h>
#include <sys/types.h>

struct error;

struct launch {
	pid_t pid;              /* 0: none */
	int go_fd, error_fd;
	bool ended;
	int status;             /* of waitpid, once ended */
};

/* environment: "NAME=VALUE" beyond what we have, NULL-terminated; NULL: nothing. body, where given, runs in the child in place
 * of a command; its return is the exit status. */
int launch_prepare(struct launch *launch, char *const *command, const char *const *environment, int (*body)(void *with), void *with,
		   bool as_root, struct error *err);
/* Whose the command will be: root's, or the user's whom sudo was called by. */
uid_t launch_user(bool as_root);
int launch_go(struct launch *launch, struct error *err);        /* FAILURE_WORK where the command does not start */
bool launch_ended(struct launch *launch);                       /* without blocking */
void launch_outlive(struct launch *launch);      /* waits until it has ended by itself; signals go on to it */
void launch_done(struct launch *launch);                        /* kills and reaps it if it still runs */
