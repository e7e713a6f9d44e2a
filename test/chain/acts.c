/* SPDX-License-Identifier: Apache-2.0 */
/* The acts that have to do with other processes, descriptors and files. */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_BYTES = 16 << 20, BLOCK = 4096, DIRECT_BYTES = 512 << 10 };

/* --- Processes -------------------------------------------------------------------------------------------------------- */

void wait_for_children(struct stage *stage)
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
int set_shared(struct stage *stage)
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

void want_shared(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)pthread_mutex_lock((pthread_mutex_t *)stage->memory);
		(void)pthread_mutex_unlock((pthread_mutex_t *)stage->memory);
		doze(MS / 5);
	}
}

/* --- Descriptors ------------------------------------------------------------------------------------------------------- */

int set_pipes(struct stage *stage)
{
	return pipe(stage->fds) < 0 || pipe(stage->fds + 2) < 0 ? -errno : 0;
}

void read_second_pipe(struct stage *stage)
{
	char byte;

	while (read(stage->fds[2], &byte, 1) == 1)
		;
}

void pass_on(struct stage *stage)
{
	char byte;

	while (read(stage->fds[0], &byte, 1) == 1 && write(stage->fds[3], &byte, 1) == 1)
		;
	(void)close(stage->fds[3]);
}

void feed_first_pipe(struct stage *stage)
{
	while (goes_on(stage)) {
		doze(3 * MS);
		(void)!write(stage->fds[1], "x", 1);
	}
	(void)close(stage->fds[1]);
}

int set_sockets(struct stage *stage)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, stage->fds) < 0 ? -errno : 0;
}

void ping(struct stage *stage)
{
	char byte = 'x';

	while (goes_on(stage) && write(stage->fds[0], &byte, 1) == 1 && read(stage->fds[0], &byte, 1) == 1)
		;
	(void)shutdown(stage->fds[0], SHUT_RDWR);
}

void pong(struct stage *stage)
{
	char byte;

	while (read(stage->fds[1], &byte, 1) == 1) {
		compute(2 * MS);
		if (write(stage->fds[1], &byte, 1) != 1)
			break;
	}
}

/* An event loop that reads a disk before it answers. */
int set_server(struct stage *stage)
{
	stage->fds[2] = epoll_create1(0);
	stage->fds[3] = file_make(stage->directory, FILE_BYTES);
	if (stage->fds[2] < 0 || stage->fds[3] < 0 || fcntl(stage->fds[3], F_SETFL, fcntl(stage->fds[3], F_GETFL) | O_DIRECT) < 0)
		return -ENODEV;
	return set_sockets(stage);
}

int set_connection(struct stage *stage)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	stage->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size) || connect(stage->fds[0], (struct sockaddr *)&address, size))
		return -errno;
	stage->fds[1] = accept(listener, NULL, NULL);
	(void)close(listener);
	(void)setsockopt(stage->fds[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(stage->fds[1], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return stage->fds[1] < 0 ? -errno : 0;
}

int set_remote_server(struct stage *stage)
{
	int r = set_server(stage);

	if (r < 0)
		return r;
	(void)close(stage->fds[0]);
	(void)close(stage->fds[1]);
	return set_connection(stage);
}

static void read_disk(int fd, unsigned *place)
{
	static _Alignas(BLOCK) char block[DIRECT_BYTES];

	for (unsigned i = 0; i < 8; i++)
		(void)!pread(fd, block, sizeof(block), (off_t)((*place += 7) % (FILE_BYTES / DIRECT_BYTES)) * DIRECT_BYTES);
}

void serve_from_disk(struct stage *stage)
{
	struct epoll_event event = { .events = EPOLLIN };
	unsigned place = 0;
	char byte;

	(void)epoll_ctl(stage->fds[2], EPOLL_CTL_ADD, stage->fds[1], &event);
	while (epoll_wait(stage->fds[2], &event, 1, -1) == 1 && read(stage->fds[1], &byte, 1) == 1) {
		read_disk(stage->fds[3], &place);
		if (write(stage->fds[1], &byte, 1) != 1)
			break;
	}
}

int set_event(struct stage *stage)
{
	stage->fds[0] = eventfd(0, 0);
	return stage->fds[0];
}

void want_event(struct stage *stage)
{
	uint64_t count;

	while (goes_on(stage))
		(void)!read(stage->fds[0], &count, sizeof(count));
}

void give_events(struct stage *stage)
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
int set_file_lock(struct stage *stage)
{
	char path[64];

	stage->fds[0] = file_make(stage->directory, 1 << 20);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", stage->fds[0]);
	stage->fds[1] = open(path, O_RDWR | O_CLOEXEC);
	return stage->fds[0] < 0 || stage->fds[1] < 0 ? -ENODEV : 0;
}

void want_file(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)flock(stage->fds[0], LOCK_EX);
		(void)flock(stage->fds[0], LOCK_UN);
		doze(MS / 5);
	}
}

void hold_file(struct stage *stage)
{
	while (goes_on(stage)) {
		(void)flock(stage->fds[1], LOCK_EX);
		doze(4 * MS);
		(void)flock(stage->fds[1], LOCK_UN);
		doze(MS / 10);
	}
}

int set_direct(struct stage *stage)
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

int set_mapped(struct stage *stage)
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
}

static void touch_cold(struct stage *stage)
{
	volatile char *memory = stage->memory;

	for (unsigned i = 0; i < 32 && stage->memory != MAP_FAILED; i++)
		(void)memory[(size_t)(atomic_fetch_add(&stage->turn, 1777) % (FILE_BYTES / BLOCK)) * BLOCK];
}

HOLD(hold_and_fault, map_cold(stage), touch_cold(stage))

/* Another's changes are in the journal's transaction that the judged one must wait for. The directory is the root of a file
 * system that has a journal. */
int set_journal(struct stage *stage)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/lost+found", stage->directory);
	if (access(path, F_OK))
		return -ENODEV;                         /* no file system of its own */
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

void sync_mine(struct stage *stage)
{
	change_and_sync(stage, stage->fds[0]);
}

void sync_others(struct stage *stage)
{
	change_and_sync(stage, stage->fds[1]);
}
