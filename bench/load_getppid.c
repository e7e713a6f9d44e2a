/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest system call in a loop: load_getppid SECONDS. It never waits, so whoever watches only waits costs nothing
 * here, and whoever watches system calls a lot. Prints the calls, the nanoseconds they took, and those that it had a processor.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 1000 };                  /* between two looks at the clock */

static uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	uint64_t processor_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID), calls = 0, start_ns = clock_now_ns(CLOCK_MONOTONIC), end_ns;

	do {
		for (int call = 0; call < CALLS; call++)
			(void)syscall(SYS_getppid);
		calls += CALLS;
		end_ns = clock_now_ns(CLOCK_MONOTONIC);
	} while ((double)(end_ns - start_ns) < seconds * 1e9);
	processor_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - processor_ns;
	printf("%llu %llu %llu\n", (unsigned long long)calls, (unsigned long long)(end_ns - start_ns), (unsigned long long)processor_ns);
	return 0;
}
