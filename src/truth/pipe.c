/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipe from both ends: a reader that gets a byte once a millisecond, and a writer of whole
 * pipefuls whose reader empties it once a millisecond.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "truth/stage.h"

enum { PIPEFUL = 65536 };

struct pipe_ends {
	int from, to;
};

static char bytes[PIPEFUL] = { 1 }, spare[PIPEFUL] = { 1 };

static void read_byte(struct actor *actor)
{
	const struct pipe_ends *ends = actor->prop;
	char byte;

	do {
		stage_wait_begin(actor->self);
		(void)!read(ends->from, &byte, 1);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void write_byte(void *prop)
{
	(void)!write(((const struct pipe_ends *)prop)->to, bytes, 1);
}

static void write_pipeful(struct actor *actor)
{
	const struct pipe_ends *ends = actor->prop;

	do {
		stage_wait_begin(actor->self);
		(void)!write(ends->to, bytes, PIPEFUL);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void drain(void *prop)
{
	(void)!read(((const struct pipe_ends *)prop)->from, spare, PIPEFUL);
}

static void write_all(struct truth_context *context, void *prop)
{
	stage_wake(context, write_byte, prop);
}

static void drain_all(struct truth_context *context, void *prop)
{
	stage_wake(context, drain, prop);
}

static int open_pipe(struct pipe_ends *ends, struct error *err)
{
	int both[2];

	if (pipe2(both, O_CLOEXEC) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a pipe");
	*ends = (struct pipe_ends){ both[0], both[1] };
	memset(spare, 1, sizeof(spare));
	return 0;
}

static int stage_read(struct truth_context *context, struct error *err)
{
	struct pipe_ends ends;
	int r = open_pipe(&ends, err);

	return r < 0 ? r : stage_threads(context, 1, read_byte, write_all, &ends, err);
}

static int stage_write(struct truth_context *context, struct error *err)
{
	struct pipe_ends ends;
	int r = open_pipe(&ends, err);

	if (r < 0)
		return r;
	/* The one that drains must not wait in its turn. */
	(void)fcntl(ends.from, F_SETFL, O_NONBLOCK);
	return stage_threads(context, 1, write_pipeful, drain_all, &ends, err);
}

const struct truth truth_pipe_read = {
	.name = "pipe-read",
	.summary = "a thread that reads from an empty pipe",
	.why = "a queue's read waits for work, as far as is known: idle, marked ambiguous",
	.state = "idle", .part = "queue", .thread = "t-pipe-read", .default_ms = 600,
	.stage = stage_read,
};

const struct truth truth_pipe_write = {
	.name = "pipe-write",
	.summary = "a thread that writes to a full pipe",
	.why = "what is to be written is work outstanding: never idle",
	.state = "ipc", .part = "pipe", .thread = "t-pipe-write", .default_ms = 600,
	.stage = stage_write,
};
