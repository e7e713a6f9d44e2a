/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parent that waits for a child, in both ways: until it exits, and with vfork until it has let go
 * of the memory that they share. The children sleep for 2 ms.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/stage.h"

static void wait_for_exit(struct actor *actor)
{
	pid_t parent = getpid(), child;

	while (stage_more(actor->context)) {
		child = fork();
		if (child == 0) {
			stage_child(parent, "h-child");
			stage_sleep_ns(2 * STAGE_PACE_NS);
			_exit(0);
		}
		stage_wait_begin(actor->self);
		(void)waitpid(child, NULL, 0);
		stage_wait_end(actor->self);
	}
}

static void wait_for_memory(struct actor *actor)
{
	const struct timespec rest = { 0, 2 * STAGE_PACE_NS };
	pid_t child;

	while (stage_more(actor->context)) {
		stage_wait_begin(actor->self);
		child = vfork();
		if (child == 0) {
			/* On the parent's stack: nothing that returns or writes. */
			(void)prctl(PR_SET_NAME, "h-child");
			(void)nanosleep(&rest, NULL);
			_exit(0);
		}
		stage_wait_end(actor->self);
		(void)waitpid(child, NULL, 0);  /* it has all but exited */
	}
}

static int stage_wait4(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, wait_for_exit, NULL, NULL, err);
}

static int stage_vfork(struct truth_context *context, struct error *err)
{
	return stage_threads(context, 1, wait_for_memory, NULL, NULL, err);
}

const struct truth truth_vfork = {
	.name = "vfork",
	.summary = "a parent whose memory a child of vfork has borrowed",
	.state = "child", .part = "process", .thread = "t-vfork", .default_ms = 800,
	.stage = stage_vfork,
};

const struct truth truth_wait4 = {
	.name = "wait4",
	.summary = "a parent that waits for its child to exit",
	.state = "child", .part = "process", .thread = "t-wait4", .default_ms = 800,
	.stage = stage_wait4,
};
