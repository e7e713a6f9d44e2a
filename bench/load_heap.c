/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of malloc() and free(): of one size ("fixed"), or of 16 to 1015 bytes among 8192 that live ("mixed"). Keeps 32 MB in
 * 64-byte objects on the way where asked to. Prints ns of the thread's own CPU time per pair: fixed mixed.
 *
 * load_heap PAIRS [KEEP]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLOTS = 8192, KEPT_BYTES = 64 };

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double fixed(long pairs)
{
	double before = now_ns();

	for (long i = 0; i < pairs; i++) {
		void *object = malloc(64);

		__asm__ volatile("" : "+r"(object) : : "memory");
		free(object);
	}
	return (now_ns() - before) / (double)pairs;
}

static double mixed(long pairs)
{
	static void *slots[SLOTS];
	unsigned seed = 12345;
	double before = now_ns();

	for (long i = 0; i < pairs; i++) {
		seed = seed * 1664525 + 1013904223;
		free(slots[seed >> 8 & (SLOTS - 1)]);
		slots[seed >> 8 & (SLOTS - 1)] = malloc(16 + (seed >> 16) % 1000);
	}
	for (int i = 0; i < SLOTS; i++) {
		free(slots[i]);
		slots[i] = NULL;
	}
	return (now_ns() - before) / (double)pairs;
}

static __attribute__((noinline)) void keep(long count)
{
	for (long i = 0; i < count; i++) {
		void *volatile object = malloc(KEPT_BYTES);

		(void)object;
	}
}

int main(int count, char **arguments)
{
	long pairs = count > 1 ? atol(arguments[1]) : 2000000;

	(void)fixed(pairs / 10);
	printf("%.3f ", fixed(pairs));
	printf("%.3f\n", mixed(pairs));
	if (count > 2)
		keep(32000000 / KEPT_BYTES);
	return 0;
}
