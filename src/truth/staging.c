/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of a row: prepare in the caller, fork, wait for the word, perform, reap.
 *
 *    caller ── prepare ── fork ────────── go ──────────────────── wait ── free
 *                          └─ process: blocks on the pipe … stage() … exit
 *    guard (where something outlives processes): blocks on its pipe … cleanup()
 *
 * Cleanup has one path, the guard, so that it is the same after a good run and after kill -9 of the
 * caller.
 */
#include "truth/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "truth/stage.h"

enum {
	PROCESS_GRACE_S = 20,   /* the process may take this much longer than its row's time … */
	CALLER_GRACE_S = 25,    /* … and is killed after this */
};

struct staging {
	struct truth_context *context;
	pid_t pid;                      /* 0 = none to be reaped */
	int go;                         /* a byte into it is the word; -1 = said */
};

static struct truth_context *context_new(const struct truth *row, uint64_t duration_ns)
{
	struct truth_context *context = mmap(NULL, sizeof(*context), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (context == MAP_FAILED)
		abort();
	context->row = row;
	context->duration_ns = duration_ns ? duration_ns : row->default_ms * UINT64_C(1000000);
	context->directory = -1;
	context->guard = -1;
	for (size_t file = 0; file < TRUTH_FILES; file++)
		context->files[file] = -1;
	return context;
}

/*
 * Lets the guard go: it cleans up, and we wait for that, since the next row may want the same
 * names.
 */
static void guard_release(struct truth_context *context)
{
	if (context->guard >= 0) {
		/* A byte, for some other child of the caller may hold a copy of this end. */
		(void)!write(context->guard, "x", 1);
		(void)close(context->guard);
	}
	context->guard = -1;
	if (context->guard_pid > 0)
		while (waitpid(context->guard_pid, NULL, 0) < 0 && errno == EINTR)
			;
	context->guard_pid = 0;
}

static void context_free(struct truth_context *context)
{
	guard_release(context);
	for (size_t file = 0; file < TRUTH_FILES; file++)
		if (context->files[file] >= 0)
			(void)close(context->files[file]);
	if (context->directory >= 0)
		(void)close(context->directory);
	(void)munmap(context, sizeof(*context));
}

static void guard_run(struct truth_context *context, int holders)
{
	char byte;

	(void)setsid();                 /* out of reach of the terminal's Ctrl-C */
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)prctl(PR_SET_NAME, "truth-guard");
	while (read(holders, &byte, 1) < 0 && errno == EINTR)
		;
	context->row->cleanup(context);
	_exit(0);
}

int staging_guard(struct truth_context *context, struct error *err)
{
	int ends[2];
	pid_t pid;

	if (context->guard >= 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		return fail(err, FAILURE_WORK, -errno, "cannot start the guard of '%s'",
			    context->row->name);
	}
	if (pid == 0) {
		(void)close(ends[1]);
		guard_run(context, ends[0]);
	}
	(void)close(ends[0]);
	context->guard = ends[1];
	context->guard_pid = pid;
	return 0;
}

static int staging_prepare(struct truth_context *context, const char *directory, struct error *err)
{
	const struct truth *row = context->row;
	int r = 0;

	context->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (context->directory < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot open '%s'", directory);
	if (row->possible)
		r = row->possible(context, err);
	if (r >= 0 && row->prepare)
		r = row->prepare(context, err);
	return r;
}

int staging_new(const struct truth *row, const char *directory, uint64_t duration_ns,
		struct staging **ret, struct error *err)
{
	struct truth_context *context = context_new(row, duration_ns);
	int r = staging_prepare(context, directory, err);

	if (r < 0) {
		context_free(context);
		return r;
	}
	*ret = xcalloc(1, sizeof(**ret));
	**ret = (struct staging){ .context = context, .go = -1 };
	return 0;
}

static void perform(struct truth_context *context)
{
	const struct truth *row = context->row;

	stage_restart(context);
	(void)alarm((unsigned)(context->duration_ns / 1000000000u) + PROCESS_GRACE_S);
	_exit(row->stage(context, &context->report.error) < 0);
}

static void process_run(struct truth_context *context, pid_t parent, int go)
{
	char byte;
	ssize_t size;

	stage_child(parent, "truth");
	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGPIPE, SIG_IGN);
	if (context->guard >= 0)
		(void)close(context->guard);    /* the caller's alone */
	do
		size = read(go, &byte, 1);
	while (size < 0 && errno == EINTR);
	if (size != 1)
		_exit(0);                       /* dismissed */
	perform(context);
}

void staging_environment(struct staging *staging, const char *const *environment)
{
	for (size_t i = 0; i < TRUTH_VARIABLES && environment[i]; i++)
		(void)snprintf(staging->context->environment[i],
			       sizeof(staging->context->environment[i]), "%s", environment[i]);
}

int staging_start(struct staging *staging, pid_t *ret_pid, struct error *err)
{
	int ends[2];
	pid_t parent = getpid(), pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0) {
		(void)close(ends[1]);
		process_run(staging->context, parent, ends[0]);
	}
	(void)close(ends[0]);
	if (pid < 0) {
		(void)close(ends[1]);
		return fail(err, FAILURE_WORK, -errno, "cannot start a process");
	}
	staging->go = ends[1];
	staging->pid = pid;
	*ret_pid = pid;
	return 0;
}

void staging_go(struct staging *staging)
{
	if (staging->go < 0)
		return;
	/* It waits, or it is dead, which staging_wait() finds out. */
	(void)!write(staging->go, "g", 1);
	(void)close(staging->go);
	staging->go = -1;
}

/* 1 when it has exited, 0 when the time is up. */
static int await_exit(pid_t pid, uint64_t limit_ns)
{
	uint64_t end_ns = clock_now_ns() + limit_ns, now_ns;
	struct pollfd process = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int r = 0;

	if (process.fd < 0)
		return 1;               /* no pidfd on this kernel: its own alarm must do */
	while ((now_ns = clock_now_ns()) < end_ns && r <= 0)
		r = poll(&process, 1, (int)((end_ns - now_ns) / 1000000u) + 1);
	(void)close(process.fd);
	return r > 0;
}

static int reap(struct staging *staging, bool kill_it)
{
	int status = 0;

	if (kill_it)
		(void)kill(staging->pid, SIGKILL);
	while (waitpid(staging->pid, &status, 0) < 0 && errno == EINTR)
		;
	staging->pid = 0;
	return status;
}

int staging_wait(struct staging *staging, struct error *err)
{
	struct truth_context *context = staging->context;
	const char *name = context->row->name;
	uint64_t limit_ns = context->duration_ns + CALLER_GRACE_S * UINT64_C(1000000000);
	bool exited = await_exit(staging->pid, limit_ns);
	int status = reap(staging, !exited);

	if (!exited || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		return fail(err, FAILURE_WORK, -ETIMEDOUT, "'%s' did not end by itself", name);
	if (WIFSIGNALED(status)) {
		(void)fail(err, FAILURE_WORK, -ECHILD, "'%s' was killed", name);
		return error_because(err, "by signal %d", WTERMSIG(status));
	}
	if (WEXITSTATUS(status) != 0) {
		if (context->report.error.code == 0)
			return fail(err, FAILURE_WORK, -ECHILD, "'%s' failed", name);
		*err = context->report.error;
		return err->code;
	}
	return 0;
}

const struct truth_report *staging_report(const struct staging *staging)
{
	return &staging->context->report;
}

void staging_free(struct staging *staging)
{
	if (!staging)
		return;
	if (staging->go >= 0)
		(void)close(staging->go);
	if (staging->pid > 0)
		(void)reap(staging, true);
	context_free(staging->context);
	free(staging);
}
