/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that reads a counter which another thread adds to once a millisecond. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "truth/stage.h"

static void read_counter(struct actor *actor)
{
	int fd = *(const int *)actor->prop;
	uint64_t value;

	do {
		stage_wait_begin(actor->self);
		(void)!read(fd, &value, sizeof(value));
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void add_one(void *prop)
{
	const uint64_t one = 1;

	(void)!write(*(const int *)prop, &one, sizeof(one));
}

static void add_all(struct truth_context *context, void *prop)
{
	stage_wake(context, add_one, prop);
}

static int stage(struct truth_context *context, struct error *err)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a counter");
	return stage_threads(context, 1, read_counter, add_all, &fd, err);
}

const struct truth truth_eventfd = {
	.name = "eventfd",
	.summary = "a thread that reads an event counter",
	.why = "a queue's read waits for work, as far as is known: idle, marked ambiguous",
	.state = "idle", .part = "queue", .thread = "t-eventfd", .default_ms = 600,
	.stage = stage,
};
