/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One descriptor, watched by each of the three calls that wait for any of many. A counter is added
 * to once a millisecond; what is read after the call has returned is there, and waits for nothing.
 */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "truth/stage.h"

struct watch {
	int counter, epoll;
	void (*wait)(const struct watch *watch);
};

static void wait_epoll(const struct watch *watch)
{
	struct epoll_event event;

	(void)epoll_wait(watch->epoll, &event, 1, -1);
}

static void wait_poll(const struct watch *watch)
{
	struct pollfd entry = { .fd = watch->counter, .events = POLLIN };

	(void)poll(&entry, 1, -1);
}

static void wait_select(const struct watch *watch)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(watch->counter, &set);
	(void)select(watch->counter + 1, &set, NULL, NULL, NULL);
}

static void watch_counter(struct actor *actor)
{
	const struct watch *watch = actor->prop;
	uint64_t value;

	do {
		stage_wait_begin(actor->self);
		watch->wait(watch);
		stage_wait_end(actor->self);
		(void)!read(watch->counter, &value, sizeof(value));
	} while (!stage_over(actor->context));
}

static void add_one(void *prop)
{
	const struct watch *watch = prop;
	const uint64_t one = 1;

	(void)!write(watch->counter, &one, sizeof(one));
}

static void add_all(struct truth_context *context, void *prop)
{
	stage_wake(context, add_one, prop);
}

static int stage_with(struct truth_context *context, void (*wait)(const struct watch *),
		      struct error *err)
{
	struct watch watch = { eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), epoll_create1(EPOLL_CLOEXEC),
			       wait };
	struct epoll_event event = { .events = EPOLLIN };

	if (watch.counter < 0 || watch.epoll < 0 ||
	    epoll_ctl(watch.epoll, EPOLL_CTL_ADD, watch.counter, &event) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot watch a descriptor");
	return stage_threads(context, 1, watch_counter, add_all, &watch, err);
}

static int stage_epoll(struct truth_context *context, struct error *err)
{
	return stage_with(context, wait_epoll, err);
}

static int stage_poll(struct truth_context *context, struct error *err)
{
	return stage_with(context, wait_poll, err);
}

static int stage_select(struct truth_context *context, struct error *err)
{
	return stage_with(context, wait_select, err);
}

const struct truth truth_epoll = {
	.name = "epoll",
	.summary = "epoll_wait on a descriptor that becomes readable",
	.state = "idle", .part = "poll", .thread = "t-epoll", .default_ms = 600,
	.stage = stage_epoll,
};

const struct truth truth_poll = {
	.name = "poll",
	.summary = "poll on a descriptor that becomes readable",
	.state = "idle", .part = "poll", .thread = "t-poll", .default_ms = 600,
	.stage = stage_poll,
};

const struct truth truth_select = {
	.name = "select",
	.summary = "select on a descriptor that becomes readable",
	.state = "idle", .part = "poll", .thread = "t-select", .default_ms = 600,
	.stage = stage_select,
};
