/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service whose cost is known: load_service SCALE REST_US [EXTRA]. Two workers take in turn: parse, look up, render (each of them
 * burns so many loops, SCALE times as many as plain), a planned wait, and one call of completed(), which is the unit of work.
 * REST_US is how long a worker rests between completions: between half of it and one and a half times, so that no clock is
 * in step with it. EXTRA 1 adds a stack of its own (audit, a sixth of the cost), 0 leaves it out. Runs until it is killed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WORKERS = 2 };

static double scale = 1;
static unsigned rest_us;
static int with_extra;
static volatile uint64_t sink;

/* The work is done here, once for each caller, so that no two functions share code or a place in a cache line by chance. */
#define BURN(name, loops)                                              \
	__attribute__((noinline)) static void name(void)               \
	{                                                              \
		uint64_t end = (uint64_t)((loops) * scale), x = sink; \
		for (uint64_t i = 0; i < end; i++)                     \
			x = x * 6364136223846793005u + i;              \
		sink = x;                                              \
	}

BURN(parse, 200000)
BURN(look_up, 150000)
BURN(render, 100000)
BURN(audit, 90000)

/* Not static: whoever records counts its calls, by a probe on its first instruction, which a frame makes a push. */
__attribute__((noinline)) void completed(void);
void completed(void)
{
	void *frame = __builtin_frame_address(0);

	__asm__ volatile("" ::"r"(frame) : "memory");
}

__attribute__((noinline)) static void serve(void)
{
	parse();
	look_up();
	if (with_extra)
		audit();
	render();
	completed();
	sink++;
}

static void *worker(void *unused)
{
	unsigned seed = (unsigned)(uintptr_t)&unused;

	for (;;) {
		serve();
		(void)usleep(rest_us / 2 + (unsigned)rand_r(&seed) % (rest_us + 1));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORKERS];

	if (argc < 3) {
		fprintf(stderr, "usage: load_service SCALE REST_US [EXTRA]\n");
		return 2;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The slack of a timer lets it end at a tick of the sampler, right before the work, which that tick then cannot see. */
	(void)prctl(PR_SET_TIMERSLACK, 1);
	scale = atof(argv[1]);
	rest_us = (unsigned)atoi(argv[2]);
	with_extra = argc > 3 && atoi(argv[3]);
	for (int i = 1; i < WORKERS; i++)       /* this thread is one of them: one that only waited for the others would wait untold */
		if (pthread_create(&threads[i], NULL, worker, NULL))
			return 1;
	(void)worker(NULL);
	return 0;
}
