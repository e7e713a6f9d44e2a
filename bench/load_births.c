/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that are born and die at even distances: load_births PER_SECOND SECONDS. What they run differs in turn: a program
 * that ends at once, one that lists a folder, a shell with a pipe, a child that never changes its image, a program with threads of its
 * own. It says at the end how many were born; children of the shell are not counted.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

extern char **environ;

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t when_ns)
{
	struct timespec when = { .tv_sec = (time_t)(when_ns / 1000000000u), .tv_nsec = (long)(when_ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL))
		;
}

static void *nap(void *unused)
{
	(void)usleep(1000);
	return unused;
}

/* What a child of this program does that is told to have threads. */
static int be_threaded(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, nap, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}

static int fork_only(void)
{
	pid_t child = fork();

	if (!child) {
		(void)usleep(500);
		_exit(0);
	}
	return child < 0;
}

static int bear(const char *self, uint64_t number)
{
	char *const lines[][5] = {
		{ "/bin/true" }, { "/bin/ls", "-l", "/etc" }, { "/bin/sh", "-c", "echo one | cat" }, { (char *)self, "threads" },
	};
	size_t kind = number % (sizeof(lines) / sizeof(*lines) + 1);
	posix_spawn_file_actions_t actions;
	pid_t child;
	int r;

	if (kind == sizeof(lines) / sizeof(*lines))
		return fork_only();
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
	r = posix_spawn(&child, lines[kind][0], &actions, NULL, lines[kind], environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = now_ns(), born = 0, failed = 0, wanted;
	double per_second;

	if (argc == 2 && !strcmp(argv[1], "threads"))
		return be_threaded();
	if (argc != 3 || (per_second = strtod(argv[1], NULL)) <= 0) {
		fprintf(stderr, "usage: load_births PER_SECOND SECONDS\n");
		return 2;
	}
	(void)signal(SIGCHLD, SIG_IGN);                 /* nobody asks how they ended */
	wanted = (uint64_t)(per_second * strtod(argv[2], NULL));
	for (uint64_t i = 0; i < wanted; i++) {
		failed += bear(argv[0], i) != 0;
		born++;
		sleep_until(start_ns + (uint64_t)((double)(i + 1) * 1e9 / per_second));
	}
	printf("%llu born in %.1f s, %llu failed\n", (unsigned long long)born, (double)(now_ns() - start_ns) / 1e9,
	       (unsigned long long)failed);
	return failed != 0;
}
