/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes on one CPU that wake each other through one word: load_futex SECONDS. Two switches, two waits and two
 * wake-ups in each round trip and next to nothing else, so it shows at its largest what watching them costs. Prints the
 * round trips, the nanoseconds they took, and those that either had a processor.
 */
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PINGS_TURN, PONGS_TURN, CLOSED };
enum { ROUNDS = 100 };                  /* between two looks at the clock */

static uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits as long as the word is `other`, then writes `next`; false when it was closed meanwhile. */
static bool turn(atomic_uint *word, unsigned other, unsigned next)
{
	unsigned seen;

	while ((seen = atomic_load(word)) == other)
		(void)syscall(SYS_futex, word, FUTEX_WAIT, other, NULL, NULL, 0);
	if (seen == CLOSED)
		return false;
	atomic_store(word, next);
	(void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return true;
}

static int stay_on_last_cpu(void)
{
	cpu_set_t allowed, last;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	CPU_ZERO(&last);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &allowed)) {
			CPU_SET(cpu, &last);
			break;
		}
	return sched_setaffinity(0, sizeof(last), &last);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	atomic_uint *word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t rounds = 0, start_ns, end_ns, processor_ns;
	clockid_t clock_of_pong;
	pid_t pong;

	if (word == MAP_FAILED || stay_on_last_cpu() || (pong = fork()) < 0) {
		perror("load_futex");
		return 1;
	}
	if (!pong) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (turn(word, PINGS_TURN, PINGS_TURN))
			;
		_exit(0);
	}
	if (clock_getcpuclockid(pong, &clock_of_pong)) {
		fprintf(stderr, "load_futex: the other process has no clock\n");
		return 1;
	}
	processor_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) + clock_now_ns(clock_of_pong);
	start_ns = clock_now_ns(CLOCK_MONOTONIC);
	do {
		for (int round = 0; round < ROUNDS; round++)
			(void)turn(word, PONGS_TURN, PONGS_TURN);
		rounds += ROUNDS;
		end_ns = clock_now_ns(CLOCK_MONOTONIC);
	} while ((double)(end_ns - start_ns) < seconds * 1e9);
	processor_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) + clock_now_ns(clock_of_pong) - processor_ns;
	(void)turn(word, PONGS_TURN, CLOSED);
	(void)waitpid(pong, NULL, 0);
	printf("%llu %llu %llu\n", (unsigned long long)rounds, (unsigned long long)(end_ns - start_ns), (unsigned long long)processor_ns);
	return 0;
}
