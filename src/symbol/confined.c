/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain fork: the child needs what is in memory and no program. It may be forked while other threads of ours run, since
 * the C library keeps its allocator usable in a child. The filter answers what it does not allow with EPERM instead of a
 * kill, so that a library which would only look for something goes on without it.
 */
#include "symbol/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/memory.h"

enum { NOBODY = 65534, STATUS_FAILED = 1, CHUNK_BYTES = 256 << 10 };

/* --- In the child ----------------------------------------------------------------------------------------------- */

static uint64_t mapped_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (file && fscanf(file, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (file)
		(void)fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(__rlimit_resource_t what, uint64_t most)
{
	(void)setrlimit(what, &(struct rlimit){ .rlim_cur = most, .rlim_max = most });
}

/* The sanitizers' shadow takes terabytes of address space. */
static void limit_memory(uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_AS, mapped_bytes() + bytes);
#else
	(void)bytes;
	(void)mapped_bytes;
#endif
}

static void give_up_rights(void)
{
	if (geteuid() == 0) {
		(void)!setgroups(0, NULL);
		(void)!setresgid(NOBODY, NOBODY, NOBODY);
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	}
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static void close_between(unsigned first, unsigned last)
{
	if (first <= last)
		(void)syscall(SYS_close_range, first, last, 0);
}

/* Leaves the answer's pipe and the one to keep; and where the sanitizers report, standard error. */
static void close_others(int keep, int to)
{
	unsigned low = (unsigned)(keep < to ? keep : to), high = (unsigned)(keep < to ? to : keep);

#ifdef __SANITIZE_ADDRESS__
	close_between(0, 1);
	if (low > 3)
		close_between(3, low - 1);
#else
	if (low > 0)
		close_between(0, low - 1);
#endif
	close_between(low + 1, high - 1);
	close_between(high + 1, ~0U);
}

static void forget_signals(void)
{
	sigset_t all;

	for (int number = 1; number < 32; number++)
		(void)signal(number, SIG_DFL);
	(void)signal(SIGINT, SIG_IGN);               /* Ctrl-C ends the capture, not its names */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_UNBLOCK, &all, NULL);
}

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

void confined_close_door(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(pread64), ALLOW(write), ALLOW(lseek), ALLOW(fstat), ALLOW(newfstatat), ALLOW(close),
		ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(brk), ALLOW(madvise), ALLOW(futex),
		ALLOW(clock_gettime), ALLOW(getrandom), ALLOW(getpid), ALLOW(gettid), ALLOW(tgkill), ALLOW(rt_sigreturn),
		ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(sigaltstack), ALLOW(exit), ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = { .len = ARRAY_LENGTH(filter), .filter = filter };

	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);    /* a kernel without: the limits still hold */
}

static void write_all(int to, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(to, bytes, size);

		if (written <= 0)
			_exit(STATUS_FAILED);
		bytes += written;
		size -= (size_t)written;
	}
}

__attribute__((noreturn)) static void run_child(confined_function *function, void *context, int keep, int to,
						const struct confined_limits *limits)
{
	size_t size = 0;
	void *bytes;

	forget_signals();
	close_others(keep, to);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, limits->processor_s);
	limit_memory(limits->memory_bytes);
	give_up_rights();
	bytes = function(context, &size);
	if (!bytes)
		_exit(STATUS_FAILED);
	write_all(to, bytes, size);
	_exit(0);
}

/* --- In the parent ---------------------------------------------------------------------------------------------- */

struct answer { char *bytes; size_t size, room; };

static int read_some(int from, struct answer *answer)
{
	ssize_t size;

	if (answer->room - answer->size < CHUNK_BYTES) {
		answer->room = 2 * answer->room + CHUNK_BYTES;
		answer->bytes = xreallocarray(answer->bytes, answer->room, 1);
	}
	size = read(from, answer->bytes + answer->size, answer->room - answer->size);
	if (size < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : 0;
	answer->size += (size_t)size;
	return size > 0;
}

static enum confined_end read_answer(int from, const struct confined_limits *limits, struct answer *answer)
{
	uint64_t end_ns = clock_now_ns() + limits->wall_ns, now_ns;

	for (;;) {
		struct pollfd wait = { .fd = from, .events = POLLIN };

		now_ns = clock_now_ns();
		if (now_ns >= end_ns)
			return CONFINED_TIMED_OUT;
		if (poll(&wait, 1, (int)((end_ns - now_ns) / 1000000) + 1) <= 0)
			continue;
		if (!read_some(from, answer))
			return CONFINED_DONE;
		if (answer->size > limits->answer_bytes)
			return CONFINED_TOO_LARGE;
	}
}

static enum confined_end await(pid_t pid, enum confined_end end)
{
	int status = 0;

	if (end != CONFINED_DONE)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (end != CONFINED_DONE)
		return end;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? CONFINED_TIMED_OUT : CONFINED_CRASHED;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CONFINED_DONE : CONFINED_FAILED;
}

enum confined_end confined_run(confined_function *function, void *context, int keep, const struct confined_limits *limits,
			       void **ret_bytes, size_t *ret_size)
{
	struct answer answer = { 0 };
	enum confined_end end;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return CONFINED_NOT_RUN;
	pid = fork();
	if (pid == 0)
		run_child(function, context, keep, ends[1], limits);
	(void)close(ends[1]);
	end = pid < 0 ? CONFINED_NOT_RUN : await(pid, read_answer(ends[0], limits, &answer));
	(void)close(ends[0]);
	if (end != CONFINED_DONE) {
		free(answer.bytes);
		return end;
	}
	*ret_bytes = answer.bytes;
	*ret_size = answer.size;
	return CONFINED_DONE;
}
