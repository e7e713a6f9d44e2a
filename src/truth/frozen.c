/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process in a control group that is frozen again and again. It cannot time a call, for it makes
 * none: it reads the clock in a loop and takes for frozen what is missing between two readings,
 * while a freeze was asked for.
 *
 * The two versions of control groups freeze differently: the first has a task state of its own, the
 * second is a kind of stop inside the signal code. Both are rows.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/group.h"
#include "truth/stage.h"

enum { FROZEN_NS = 10000000, BETWEEN_NS = 5000000, SETTLE_ATTEMPTS = 2000, GAP_NS = 50000 };

static const struct group_kind freezer = { "freezer", "freezer.state", NULL };
static const struct group_kind unified = { "freezer", NULL, "cgroup.freeze" };

/*
 * context->signal is odd from before a freeze is asked for until after the thaw. It is read on both
 * sides of the clock, so that no freeze slips between them while the thread is preempted. Between
 * two readings lies no system call: a freeze comes at the return from one, and would be missed
 * there.
 */
static void read_clock(struct actor *actor)
{
	struct truth_thread *self = actor->self;
	atomic_uint *signal = &actor->context->signal;
	unsigned before = atomic_load(signal), next, after;
	uint64_t now_ns;

	self->began_ns = clock_now_ns();
	while (!stage_over(actor->context)) {
		next = atomic_load(signal);
		now_ns = clock_now_ns();
		after = atomic_load(signal);
		if (now_ns - self->began_ns > GAP_NS && (after % 2 || after != before)) {
			/* What of it was on a CPU cannot be told. */
			self->began_cpu_ns = stage_cpu_ns();
			stage_wait_end(self);
			next = atomic_load(signal);
			now_ns = clock_now_ns();
		}
		before = next;
		self->began_ns = now_ns;
	}
}

static void set_frozen(struct truth_context *context, bool frozen, struct error *err)
{
	if (context->group_two)
		(void)group_write(context, "cgroup.freeze", frozen ? "1" : "0", err);
	else
		(void)group_write(context, "freezer.state", frozen ? "FROZEN" : "THAWED", err);
}

static bool is_frozen(const struct truth_context *context)
{
	char text[256];
	const char *file = context->group_two ? "cgroup.events" : "freezer.state";

	return group_read(context, file, text, sizeof(text)) == 0 &&
	       (strstr(text, "frozen 1") || strncmp(text, "FROZEN", 6) == 0);
}

static int freeze_once(struct truth_context *context, struct error *err)
{
	int attempt = 0;

	atomic_fetch_add(&context->signal, 1);
	set_frozen(context, true, err);
	while (!is_frozen(context) && ++attempt < SETTLE_ATTEMPTS)
		stage_sleep_ns(STAGE_PACE_NS / 10);
	stage_sleep_ns(FROZEN_NS);
	set_frozen(context, false, err);
	atomic_fetch_add(&context->signal, 1);
	stage_sleep_ns(BETWEEN_NS);
	return attempt < SETTLE_ATTEMPTS ? 0 : -ETIMEDOUT;
}

static int stage(struct truth_context *context, struct error *err)
{
	pid_t pid;
	int r = stage_process(context, read_clock, NULL, &pid, err);

	if (r < 0)
		return r;
	r = group_enter(context, pid, err);
	stage_restart(context);
	while (r >= 0 && stage_more(context)) {
		r = freeze_once(context, err);
		if (r < 0)
			(void)fail(err, FAILURE_WORK, r, "'%s' does not freeze", context->group);
	}
	atomic_store_explicit(&context->over, true, memory_order_release);
	(void)waitpid(pid, NULL, 0);
	return r;
}

static int possible_one(const struct truth_context *context, struct error *err)
{
	(void)context;
	return group_possible(&freezer, err);
}

static int possible_two(const struct truth_context *context, struct error *err)
{
	(void)context;
	return group_possible(&unified, err);
}

static int prepare_one(struct truth_context *context, struct error *err)
{
	return group_create(context, &freezer, err);
}

static int prepare_two(struct truth_context *context, struct error *err)
{
	return group_create(context, &unified, err);
}

const struct truth truth_frozen = {
	.name = "frozen",
	.summary = "a process in a frozen control group (unified hierarchy)",
	.state = "stopped", .part = "frozen", .thread = "t-frozen", .default_ms = 600,
	.possible = possible_two, .prepare = prepare_two, .stage = stage, .cleanup = group_remove,
};

const struct truth truth_frozen_one = {
	.name = "frozen-v1",
	.summary = "a process in a frozen control group (freezer controller)",
	.state = "stopped", .part = "frozen", .thread = "t-frozen-v1", .default_ms = 600,
	.possible = possible_one, .prepare = prepare_one, .stage = stage, .cleanup = group_remove,
};
