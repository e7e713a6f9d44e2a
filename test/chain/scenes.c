/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The twenty scenarios. A part that computes may be preempted on a busy machine, and what is ready again waits for a
 * processor: then its ground is runnable, of the same thread. Where that is the point (starved, inverted), it is all there is.
 */
#include "scenarios.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMPUTES "(oncpu|runnable/[a-z]+)"

enum { FILE_BYTES = 16 << 20, BLOCK = 4096, DIRECT_BYTES = 512 << 10 };

static int set_locks(struct stage *stage)
{
	pthread_rwlockattr_t attributes;

	(void)pthread_mutex_init(&stage->mutex, NULL);
	(void)pthread_mutex_init(&stage->inner, NULL);
	(void)pthread_cond_init(&stage->condition, NULL);
	(void)pthread_rwlockattr_init(&attributes);
	(void)pthread_rwlock_init(&stage->rwlock, &attributes);
	(void)sem_init(&stage->asked, 0, 0);
	(void)sem_init(&stage->done, 0, 0);
	return 0;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* Wants the mutex as often as it can, and holds it for nothing. */
static void want_mutex(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->mutex);
		(void)pthread_mutex_unlock(&stage->mutex);
		doze(MS / 5);
	}
}

/* Holds the mutex while it does something; lets go in between, for others to have it. */
#define HOLD(name, before, what)                                    \
	static void name(struct stage *stage)                       \
	{                                                           \
		while (goes_on(stage)) {                            \
			before;                                     \
			(void)pthread_mutex_lock(&stage->mutex);    \
			what;                                       \
			(void)pthread_mutex_unlock(&stage->mutex);  \
			doze(MS / 10);                              \
		}                                                   \
	}

/* --- Locks --------------------------------------------------------------------------------------------------------- */

HOLD(hold_and_sleep, (void)0, doze(4 * MS))
HOLD(hold_and_compute, (void)0, compute(2 * MS))
HOLD(hold_and_want, (void)0, (pthread_mutex_lock(&stage->inner), pthread_mutex_unlock(&stage->inner)))

static void hold_inner(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->inner);
		doze(4 * MS);
		(void)pthread_mutex_unlock(&stage->inner);
		doze(MS / 10);
	}
}

static void hold_nicely(struct stage *stage)
{
	pin(0);
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	hold_and_compute(stage);
}

static void hold_pinned(struct stage *stage)
{
	pin(0);
	while (goes_on(stage)) {
		(void)pthread_mutex_lock(&stage->mutex);
		compute(3 * MS);
		(void)pthread_mutex_unlock(&stage->mutex);
		doze(MS / 10);
	}
}

static void hog(struct stage *stage)
{
	pin(0);
	while (goes_on(stage))
		compute(MS);
}

/* --- Reader-writer lock, condition, semaphore, join -------------------------------------------------------------------- */

static void read_and_sleep(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_rwlock_rdlock(&stage->rwlock);
		doze(4 * MS);
		(void)pthread_rwlock_unlock(&stage->rwlock);
		doze(MS / 10);
	}
}

static void want_to_write(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_rwlock_wrlock(&stage->rwlock);
		(void)pthread_rwlock_unlock(&stage->rwlock);
		doze(MS / 5);
	}
}

static void want_turn(struct stage *stage)
{
	unsigned seen = 0;

	(void)pthread_mutex_lock(&stage->mutex);
	while (goes_on(stage)) {
		while (atomic_load(&stage->turn) == seen)
			(void)pthread_cond_wait(&stage->condition, &stage->mutex);
		seen = atomic_load(&stage->turn);
	}
	(void)pthread_mutex_unlock(&stage->mutex);
}

static void give_turns(struct stage *stage)
{
	bool last;

	do {
		last = !goes_on(stage);
		doze(3 * MS);
		(void)pthread_mutex_lock(&stage->mutex);
		atomic_fetch_add(&stage->turn, 1);
		(void)pthread_mutex_unlock(&stage->mutex);
		(void)pthread_cond_signal(&stage->condition);
	} while (!last);
}

static void want_post(struct stage *stage)
{
	while (goes_on(stage))
		(void)sem_wait(&stage->done);
}

static void post(struct stage *stage)
{
	bool last;

	do {
		last = !goes_on(stage);
		compute(2 * MS);
		(void)sem_post(&stage->done);
	} while (!last);
}

/* Hands a job to the pool and waits for its end. */
static void ask_pool(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)sem_post(&stage->asked);
		(void)sem_wait(&stage->done);
	}
	(void)sem_post(&stage->asked);
	(void)sem_post(&stage->asked);
}

static void serve_pool(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)sem_wait(&stage->asked);
		compute(2 * MS);
		(void)sem_post(&stage->done);
	}
}

static void *sleep_and_end(void *context)
{
	name_self(((struct stage *)context)->number, "ends");
	doze(3 * MS);
	return NULL;
}

static void join_others(struct stage *stage)
{
	while (goes_on(stage)) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, sleep_and_end, stage))
			(void)pthread_join(thread, NULL);
	}
}

/* --- Processes -------------------------------------------------------------------------------------------------------- */

static void wait_for_children(struct stage *stage)
{
	while (goes_on(stage)) {
		pid_t pid = fork();

		if (!pid) {
			name_self(stage->number, "child");
			compute(3 * MS);
			_exit(0);
		}
		if (pid > 0)
			(void)waitpid(pid, NULL, 0);
	}
}

/* A mutex that two processes share. */
static int set_shared(struct stage *stage)
{
	pthread_mutexattr_t attributes;
	pid_t parent = getpid();

	stage->memory = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stage->memory == MAP_FAILED)
		return -errno;
	(void)pthread_mutexattr_init(&attributes);
	(void)pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	(void)pthread_mutex_init((pthread_mutex_t *)stage->memory, &attributes);
	if (fork())
		return 0;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	name_self(stage->number, "other");
	for (uint64_t end = now_ns() + 2ull * PERFORMANCE_NS; now_ns() < end && getppid() == parent;) {
		(void)pthread_mutex_lock((pthread_mutex_t *)stage->memory);
		doze(4 * MS);
		(void)pthread_mutex_unlock((pthread_mutex_t *)stage->memory);
		doze(MS / 10);
	}
	_exit(0);
}

static void want_shared(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock((pthread_mutex_t *)stage->memory);
		(void)pthread_mutex_unlock((pthread_mutex_t *)stage->memory);
		doze(MS / 5);
	}
}

/* --- Descriptors ------------------------------------------------------------------------------------------------------- */

static int set_pipes(struct stage *stage)
{
	return pipe(stage->fds) < 0 || pipe(stage->fds + 2) < 0 ? -errno : 0;
}

static void read_second_pipe(struct stage *stage)
{
	char byte;

	while (read(stage->fds[2], &byte, 1) == 1)
		;
}

static void pass_on(struct stage *stage)
{
	char byte;

	while (read(stage->fds[0], &byte, 1) == 1 && write(stage->fds[3], &byte, 1) == 1)
		;
	(void)close(stage->fds[3]);
}

static void feed_first_pipe(struct stage *stage)
{
	while (goes_on(stage)) {
		doze(3 * MS);
		(void)!write(stage->fds[1], "x", 1);
	}
	(void)close(stage->fds[1]);
}

static int set_sockets(struct stage *stage)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, stage->fds) < 0 ? -errno : 0;
}

static void ping(struct stage *stage)
{
	char byte = 'x';

	while (goes_on(stage) && write(stage->fds[0], &byte, 1) == 1 && read(stage->fds[0], &byte, 1) == 1)
		;
	(void)shutdown(stage->fds[0], SHUT_RDWR);
}

static void pong(struct stage *stage)
{
	char byte;

	while (read(stage->fds[1], &byte, 1) == 1) {
		compute(2 * MS);
		if (write(stage->fds[1], &byte, 1) != 1)
			break;
	}
}

/* An event loop that reads a disk before it answers. */
static int set_server(struct stage *stage)
{
	stage->fds[2] = epoll_create1(0);
	stage->fds[3] = file_make(stage->directory, FILE_BYTES);
	return stage->fds[2] < 0 || stage->fds[3] < 0 ? -ENODEV : set_sockets(stage);
}

static void read_disk(int fd, unsigned *place)
{
	static _Thread_local char block[BLOCK];

	for (unsigned i = 0; i < 64; i++)
		(void)!pread(fd, block, sizeof(block), (off_t)((*place += 1777) % (FILE_BYTES / BLOCK)) * BLOCK);
}

static void serve_from_disk(struct stage *stage)
{
	struct epoll_event event = { .events = EPOLLIN };
	unsigned place = 0;
	char byte;

	(void)posix_fadvise(stage->fds[3], 0, 0, POSIX_FADV_RANDOM);
	(void)epoll_ctl(stage->fds[2], EPOLL_CTL_ADD, stage->fds[1], &event);
	while (epoll_wait(stage->fds[2], &event, 1, -1) == 1 && read(stage->fds[1], &byte, 1) == 1) {
		file_forget(stage->fds[3]);
		read_disk(stage->fds[3], &place);
		if (write(stage->fds[1], &byte, 1) != 1)
			break;
	}
}

static int set_event(struct stage *stage)
{
	stage->fds[0] = eventfd(0, 0);
	return stage->fds[0];
}

static void want_event(struct stage *stage)
{
	uint64_t count;

	while (goes_on(stage))
		(void)!read(stage->fds[0], &count, sizeof(count));
}

static void give_events(struct stage *stage)
{
	uint64_t one = 1;
	bool last;

	do {
		last = !goes_on(stage);
		compute(2 * MS);
		(void)!write(stage->fds[0], &one, sizeof(one));
	} while (!last);
}

/* --- Files --------------------------------------------------------------------------------------------------------------- */

/* Two openings of one file: a lock of flock() belongs to the opening. */
static int set_file_lock(struct stage *stage)
{
	char path[64];

	stage->fds[0] = file_make(stage->directory, 1 << 20);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", stage->fds[0]);
	stage->fds[1] = open(path, O_RDWR | O_CLOEXEC);
	return stage->fds[0] < 0 || stage->fds[1] < 0 ? -ENODEV : 0;
}

static void want_file(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)flock(stage->fds[0], LOCK_EX);
		(void)flock(stage->fds[0], LOCK_UN);
		doze(MS / 5);
	}
}

static void hold_file(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)flock(stage->fds[1], LOCK_EX);
		doze(4 * MS);
		(void)flock(stage->fds[1], LOCK_UN);
		doze(MS / 10);
	}
}

static int set_direct(struct stage *stage)
{
	int flags;

	set_locks(stage);
	stage->fds[0] = file_make(stage->directory, FILE_BYTES);
	flags = stage->fds[0] < 0 ? -1 : fcntl(stage->fds[0], F_GETFL);
	stage->memory = aligned_alloc(BLOCK, DIRECT_BYTES);
	return flags < 0 || fcntl(stage->fds[0], F_SETFL, flags | O_DIRECT) < 0 ? -ENODEV : 0;
}

static void read_direct(struct stage *stage)
{
	for (unsigned i = 0; i < 8; i++)
		(void)!pread(stage->fds[0], stage->memory, DIRECT_BYTES,
			     (off_t)(atomic_fetch_add(&stage->turn, 7) % (FILE_BYTES / DIRECT_BYTES)) * DIRECT_BYTES);
}
HOLD(hold_and_read, (void)0, read_direct(stage))

static int set_mapped(struct stage *stage)
{
	set_locks(stage);
	stage->fds[0] = file_make(stage->directory, FILE_BYTES);
	return stage->fds[0] < 0 ? -ENODEV : 0;
}

/* Pages of a mapped file that are in no cache. */
static void map_cold(struct stage *stage)
{
	if (stage->memory && stage->memory != MAP_FAILED)
		(void)munmap(stage->memory, FILE_BYTES);
	file_forget(stage->fds[0]);
	stage->memory = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, stage->fds[0], 0);
	(void)madvise(stage->memory, FILE_BYTES, MADV_RANDOM);
}

static void touch_cold(struct stage *stage)
{
	volatile char *memory = stage->memory;

	for (unsigned i = 0; i < 48 && stage->memory != MAP_FAILED; i++)
		(void)memory[(size_t)(atomic_fetch_add(&stage->turn, 1777) % (FILE_BYTES / BLOCK)) * BLOCK];
}

HOLD(hold_and_fault, map_cold(stage), touch_cold(stage))

/* Another's changes are in the journal's transaction that the judged one must wait for. */
static int set_journal(struct stage *stage)
{
	stage->fds[0] = file_make(stage->directory, 1 << 20);
	stage->fds[1] = file_make(stage->directory, 1 << 20);
	return stage->fds[0] < 0 || stage->fds[1] < 0 ? -ENODEV : 0;
}

static void change_and_sync(struct stage *stage, int fd)
{
	unsigned at = 0;

	while (goes_on(stage)) {
		(void)!pwrite(fd, "x", 1, 1 + (1 << 20) + (off_t)++at * BLOCK);        /* grows: its inode must be committed */
		(void)fsync(fd);
	}
}

static void sync_mine(struct stage *stage)
{
	change_and_sync(stage, stage->fds[0]);
}

static void sync_others(struct stage *stage)
{
	change_and_sync(stage, stage->fds[1]);
}

/* --- All ------------------------------------------------------------------------------------------------------------------- */

#define LOCKED "lock/mutex[^▸]*"
const struct scenario scenarios[] = {
	{ "nested-locks", LOCKED "▸ %N-mid: " LOCKED "▸ %N-inner: timer", set_locks,
	  { { "wait", want_mutex }, { "mid", hold_and_want }, { "inner", hold_inner } } },
	{ "inversion", LOCKED "▸ %N-low: runnable/preempted", set_locks,
	  { { "wait", want_mutex }, { "low", hold_nicely }, { "hog", hog }, { "hog", hog } } },
	{ "convoy", LOCKED "▸ %N-one: (" LOCKED "▸ %N-one: )*" COMPUTES, set_locks,
	  { { "wait", want_mutex }, { "one", hold_and_compute }, { "one", hold_and_compute }, { "one", hold_and_compute } } },
	{ "journal", "disk/[a-z]+ ▸ jbd2/[^:]*: (disk/[a-z]+ ▸ kworker/[^:]*: )*(disk/[a-z]+|oncpu)", set_journal, { { "wait", sync_mine }, { "other", sync_others } }, .alone = true },
	{ "pipeline", "[a-z]+/[a-z-]+ ▸ %N-mid: [a-z]+/[a-z-]+ ▸ %N-first: timer", set_pipes,
	  { { "wait", read_second_pipe }, { "mid", pass_on }, { "first", feed_first_pipe } } },
	{ "pool", "[a-z]+/[a-z-]+ ▸ %N-pool: " COMPUTES, set_locks, { { "wait", ask_pool }, { "pool", serve_pool } } },
	{ "ping", "[a-z]+/[a-z-]+ ▸ %N-pong: " COMPUTES, set_sockets, { { "wait", ping }, { "pong", pong } } },
	{ "condition", "[a-z]+/[a-z-]+ ▸ %N-gives: timer", set_locks, { { "wait", want_turn }, { "gives", give_turns } } },
	{ "semaphore", "[a-z]+/[a-z-]+ ▸ %N-posts: " COMPUTES, set_locks, { { "wait", want_post }, { "posts", post } } },
	{ "rwlock", "lock/rwlock[^▸]*▸ %N-reads: timer", set_locks, { { "wait", want_to_write }, { "reads", read_and_sleep } } },
	{ "join", "child/[a-z]+ ▸ %N-ends: timer", NULL, { { "wait", join_others } } },
	{ "child", "child/[a-z]+ ▸ %N-child: " COMPUTES, NULL, { { "wait", wait_for_children } } },
	{ "shared", LOCKED "▸ %N-other: timer", set_shared, { { "wait", want_shared } } },
	{ "event-loop", "[a-z]+/[a-z-]+ ▸ %N-serves: disk/read", set_server, { { "wait", ping }, { "serves", serve_from_disk } } },
	{ "eventfd", "[a-z]+/[a-z-]+ ▸ %N-gives: " COMPUTES, set_event, { { "wait", want_event }, { "gives", give_events } } },
	{ "file-lock", "lock/[a-z]+[^▸]*▸ %N-holds: timer", set_file_lock, { { "wait", want_file }, { "holds", hold_file } } },
	{ "direct", LOCKED "▸ %N-holds: disk/read", set_direct, { { "wait", want_mutex }, { "holds", hold_and_read } } },
	{ "timer", LOCKED "▸ %N-holds: timer", set_locks, { { "wait", want_mutex }, { "holds", hold_and_sleep } } },
	{ "starved", LOCKED "▸ %N-holds: runnable/preempted", set_locks,
	  { { "wait", want_mutex }, { "holds", hold_pinned }, { "hog", hog }, { "hog", hog }, { "hog", hog } } },
	{ "cold-fault", LOCKED "▸ %N-holds: (paging/[a-z-]+|disk/read)", set_mapped, { { "wait", want_mutex }, { "holds", hold_and_fault } } },
};
const unsigned scenario_count = sizeof(scenarios) / sizeof(scenarios[0]);
