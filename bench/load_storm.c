/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A storm of switches that begins while somebody watches: load_storm STORM_SECONDS WORK_NS. Two processes on one CPU wake each
 * other: a thousand times a second at most until SIGUSR1, then as fast as they can, with so much computing in each round trip that
 * watching costs a known share of it. Ten times a second it prints the clock, the round trips so far and the CPU time both
 * processes took for them, so that a busy neighbour does not look like a cost.
 */
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PRINT_NS = 100000000, QUIET_ROUND_US = 1000 };

static volatile sig_atomic_t storming;

static void on_signal(int number)
{
	(void)number;
	storming = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void work(uint64_t loops)
{
	for (volatile uint64_t i = 0; i < loops; i++)
		;
}

static void wait_for(atomic_uint *word, unsigned wanted)
{
	unsigned seen;

	while ((seen = atomic_load(word)) != wanted)
		(void)syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void hand_on(atomic_uint *word, unsigned next)
{
	atomic_store(word, next);
	(void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* So many loops take so long here, by CPU time: a neighbour does not count. */
static uint64_t loops_of(uint64_t work_ns)
{
	uint64_t start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	work(20000000);
	return work_ns * 20000000 / (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns + 1);
}

int main(int argc, char **argv)
{
	atomic_uint *word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t end_ns = 0, print_ns, now_ns, rounds = 0, loops;
	clockid_t other_clock;
	cpu_set_t one;
	pid_t other;

	if (argc != 3 || word == MAP_FAILED) {
		fprintf(stderr, "usage: load_storm STORM_SECONDS WORK_NS\n");
		return 2;
	}
	CPU_ZERO(&one);
	CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
	(void)signal(SIGUSR1, on_signal);
	loops = loops_of(strtoull(argv[2], NULL, 10));
	other = fork();
	if (!other) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			wait_for(word, 1);
			hand_on(word, 0);
		}
	}
	if (other < 0 || clock_getcpuclockid(other, &other_clock))
		return 1;
	print_ns = clock_ns(CLOCK_MONOTONIC);
	do {
		work(loops);
		hand_on(word, 1);
		wait_for(word, 0);
		rounds++;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (!storming)
			(void)usleep(QUIET_ROUND_US);
		else if (!end_ns)
			end_ns = now_ns + (uint64_t)(strtod(argv[1], NULL) * 1e9);
		if (now_ns < print_ns)
			continue;
		printf("%llu %llu %llu %d\n", (unsigned long long)now_ns, (unsigned long long)rounds,
		       (unsigned long long)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) + clock_ns(other_clock)), end_ns != 0);
		(void)fflush(stdout);
		print_ns += PRINT_NS;
	} while (!end_ns || now_ns < end_ns);
	(void)kill(other, SIGKILL);
	(void)waitpid(other, NULL, 0);
	return 0;
}
