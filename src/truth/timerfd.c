/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that reads from a timer's descriptor, which ticks once a millisecond. */
#include "truth/stage.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void tick(struct actor *actor)
{
	int fd = *(const int *)actor->prop;
	uint64_t ticks;

	while (stage_more(actor->context)) {
		stage_wait_begin(actor->self);
		(void)!read(fd, &ticks, sizeof(ticks));
		stage_wait_end(actor->self);
	}
}

static int stage(struct truth_context *context, struct error *err)
{
	struct itimerspec period = { { 0, STAGE_PACE_NS }, { 0, STAGE_PACE_NS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, 0, &period, NULL) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a timer");
	return stage_threads(context, 1, tick, NULL, &fd, err);
}

const struct truth truth_timerfd = {
	.name = "timerfd",
	.summary = "a thread that reads the ticks of a timer descriptor",
	.state = "timer", .thread = "t-timerfd", .default_ms = 600,
	.stage = stage,
};
