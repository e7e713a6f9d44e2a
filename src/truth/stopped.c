/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that stops itself, and its parent that lets it go on 2 ms later. Since it stops by a
 * call of its own, it can time the stop to the microsecond: nobody has to guess when a signal
 * arrived. Traced, the parent is its tracer, and the stop is the one in which a tracee shows the
 * signal it got.
 */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/stage.h"

static void stop_again(struct actor *actor)
{
	while (stage_more(actor->context)) {
		stage_wait_begin(actor->self);
		(void)kill(actor->self->pid, SIGSTOP);
		stage_wait_end(actor->self);
	}
}

static void show_again(struct actor *actor)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	while (stage_more(actor->context)) {
		stage_wait_begin(actor->self);
		(void)kill(actor->self->pid, SIGUSR1);
		stage_wait_end(actor->self);
	}
}

static void go_on(pid_t pid)
{
	(void)kill(pid, SIGCONT);
}

static void go_on_traced(pid_t pid)
{
	(void)ptrace(PTRACE_CONT, pid, NULL, NULL);     /* without the signal */
}

static int stage_with(struct truth_context *context, void (*body)(struct actor *),
		      void (*resume)(pid_t pid), struct error *err)
{
	pid_t pid;
	int status = 0, r = stage_process(context, body, NULL, &pid, err);

	if (r < 0)
		return r;
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		stage_sleep_ns(2 * STAGE_PACE_NS);
		resume(pid);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return fail(err, FAILURE_CANNOT, -EPERM, "'%s' could not be stopped", context->row->name);
}

static int stage_stopped(struct truth_context *context, struct error *err)
{
	return stage_with(context, stop_again, go_on, err);
}

static int stage_traced(struct truth_context *context, struct error *err)
{
	return stage_with(context, show_again, go_on_traced, err);
}

const struct truth truth_stopped = {
	.name = "stopped",
	.summary = "a process stopped by SIGSTOP",
	.state = "stopped", .part = "signal", .thread = "t-stopped", .default_ms = 600,
	.stage = stage_stopped,
};

const struct truth truth_traced = {
	.name = "traced",
	.summary = "a process stopped for its tracer",
	.state = "stopped", .part = "traced", .thread = "t-traced", .default_ms = 600,
	.stage = stage_traced,
};
