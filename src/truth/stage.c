/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judged threads, and those who play against them. A judged thread is born ready to run and ends by
 * itself, so that nothing but its body can block it: no start gate, no lock with the one that made
 * it. Its stack is touched before the body, for a page fault inside a wait would be counted as
 * wait.
 */
#include "truth/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void stage_restart(struct truth_context *context)
{
	context->end_ns = clock_now_ns() + context->duration_ns;
}

void stage_spin_ns(uint64_t duration_ns)
{
	uint64_t end_ns = clock_now_ns() + duration_ns;

	while (clock_now_ns() < end_ns)
		;
}

void stage_sleep_ns(uint64_t duration_ns)
{
	struct timespec rest = { (time_t)(duration_ns / 1000000000u),
				 (long)(duration_ns % 1000000000u) };

	while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
		;
}

int stage_pin(void)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return -errno;
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) < 0 ? -errno : 0;
	}
	return -ENODEV;
}

void stage_child(pid_t parent, const char *name)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);               /* it died before we asked */
	(void)prctl(PR_SET_NAME, name);
}

static void touch_stack(void)
{
	volatile char page[64 * 1024];

	for (size_t at = 0; at < sizeof(page); at += 1024)
		page[at] = 1;
}

/* "run_ns ready_ns slices" since the thread's birth. */
static void read_ready(struct truth_thread *self)
{
	char text[96];
	unsigned long long run_ns, ready_ns;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (size > 0) {
		text[size] = '\0';
		self->ready_known = sscanf(text, "%llu %llu", &run_ns, &ready_ns) == 2 &&
				    run_ns > 0;
		self->ready_ns = self->ready_known ? ready_ns : 0;
	}
	if (fd >= 0)
		(void)close(fd);
}

static struct truth_thread *actor_begin(struct truth_context *context)
{
	uint64_t start_ns = clock_now_ns();
	unsigned place = atomic_fetch_add(&context->report.thread_count, 1);
	struct truth_thread *self;

	if (place >= TRUTH_THREADS)
		abort();                /* a row's mistake: it starts a fixed number */
	self = &context->report.threads[place];
	*self = (struct truth_thread){ .start_ns = start_ns, .pid = getpid(), .tid = gettid() };
	(void)prctl(PR_SET_NAME, context->row->thread);
	(void)snprintf(self->name, sizeof(self->name), "%s", context->row->thread);
	touch_stack();
	return self;
}

/* Its end comes first: what it queues for while it asks is then known to lie beyond. */
static void actor_end(struct truth_thread *self)
{
	self->end_ns = clock_now_ns();
	self->cpu_ns = stage_cpu_ns();
	read_ready(self);
}

struct part {
	struct actor actor;
	void (*body)(struct actor *actor);
	pthread_t thread;
	const atomic_bool *complete;            /* all threads of the row are there */
};

static void *part_play(void *argument)
{
	struct part *part = argument;

	/*
	 * Whoever makes a thread holds the lock of their memory meanwhile, and a page fault would
	 * wait for that.
	 */
	while (!atomic_load_explicit(part->complete, memory_order_acquire))
		(void)sched_yield();
	part->actor.self = actor_begin(part->actor.context);
	part->body(&part->actor);
	atomic_fetch_sub(&part->actor.context->acting, 1);
	actor_end(part->actor.self);
	return NULL;
}

int stage_threads(struct truth_context *context, unsigned count, void (*body)(struct actor *actor),
		  void (*meanwhile)(struct truth_context *context, void *prop), void *prop,
		  struct error *err)
{
	struct part parts[STAGE_ACTORS];
	atomic_bool complete = false;
	unsigned started = 0;
	int r = 0;

	for (; started < count; started++) {
		parts[started] = (struct part){ .actor = { context, NULL, started, prop },
						.body = body, .complete = &complete };
		atomic_fetch_add(&context->acting, 1);
		r = -pthread_create(&parts[started].thread, NULL, part_play, &parts[started]);
		if (r < 0)
			break;
	}
	if (r < 0) {
		/*
		 * Those that did start wait for a partner that will not come: the process ends with
		 * us instead.
		 */
		return fail(err, FAILURE_WORK, r, "cannot start a thread of '%s'",
			    context->row->name);
	}
	atomic_store_explicit(&complete, true, memory_order_release);
	if (meanwhile)
		meanwhile(context, prop);
	while (started > 0)
		(void)pthread_join(parts[--started].thread, NULL);
	return 0;
}

int stage_process(struct truth_context *context, void (*body)(struct actor *actor), void *prop,
		  pid_t *ret_pid, struct error *err)
{
	struct actor actor = { .context = context, .prop = prop };
	pid_t parent = getpid(), pid;

	atomic_fetch_add(&context->acting, 1);
	pid = fork();
	if (pid < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot start a process of '%s'",
			    context->row->name);
	if (pid == 0) {
		actor.self = actor_begin(context);
		stage_child(parent, context->row->thread);
		body(&actor);
		atomic_fetch_sub(&context->acting, 1);
		actor_end(actor.self);
		_exit(0);
	}
	*ret_pid = pid;
	return 0;
}

void stage_wake(struct truth_context *context, void (*wake)(void *prop), void *prop)
{
	while (stage_more(context)) {
		stage_sleep_ns(STAGE_PACE_NS);
		wake(prop);
	}
	atomic_store_explicit(&context->over, true, memory_order_release);
	while (atomic_load(&context->acting) > 0) {
		wake(prop);
		stage_sleep_ns(STAGE_PACE_NS / 4);
	}
}

/* Handshakes are short and must not block: whoever waits stays on the run queue. */
static bool await_round(const atomic_uint *counter, unsigned round,
			const struct truth_context *context)
{
	while (atomic_load_explicit(counter, memory_order_acquire) < round) {
		if (stage_over(context))
			return false;
		(void)sched_yield();
	}
	return true;
}

static void lock_hold(struct truth_context *context, void *prop)
{
	struct stage_lock *lock = prop;

	for (unsigned round = 1; stage_more(context); round++) {
		lock->hold(lock);
		atomic_store_explicit(&lock->held_round, round, memory_order_release);
		stage_sleep_ns(STAGE_PACE_NS);
		lock->release(lock);
		for (unsigned actor = 0; actor < lock->actors; actor++)
			(void)await_round(&lock->done_round[actor], round, context);
	}
	atomic_store_explicit(&context->over, true, memory_order_release);
}

static void lock_ask(struct actor *actor)
{
	struct stage_lock *lock = actor->prop;
	bool given;

	for (unsigned round = 1; await_round(&lock->held_round, round, actor->context); round++) {
		stage_wait_begin(actor->self);
		given = lock->acquire(lock, actor->index);
		stage_wait_end(actor->self);
		if (given)
			lock->drop(lock, actor->index);
		atomic_store_explicit(&lock->done_round[actor->index], round, memory_order_release);
	}
}

int stage_lock(struct truth_context *context, struct stage_lock *lock, struct error *err)
{
	return stage_threads(context, lock->actors, lock_ask, lock_hold, lock, err);
}
