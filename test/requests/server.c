/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers requests whose time is made of known parts, one after the other: it waits for a mutex that another thread holds while that
 * sleeps, computes, reads a disk, and sleeps. Every fortieth is slow: its lock is held five times as long, and all else is doubled.
 *
 * Beside its own clock it reads what the kernel's scheduler keeps of its thread, before and after each part: how long it ran, and how
 * long it was ready and did not run. What is left of a part it was blocked. Prints one line for each request: the latency, and of the
 * lock, the run, the disk and the sleep the elapsed, the running and the ready time, all in ns.
 *
 * server DIRECTORY REQUESTS
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "crosscut.h"

enum { REQUESTS_MOST = 10000, FILE_BYTES = 64 << 20, READ_BYTES = 4 << 20, MS = 1000000, SLOW_EACH = 40, PARTS = 4 };

struct reading { uint64_t elapsed, ran, ready; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t wanted, held;
static volatile long hold_ns;           /* 0: no more */
static struct reading readings[REQUESTS_MOST][PARTS + 1];
static _Alignas(4096) char buffer[READ_BYTES];
static int scheduler;

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	(void)clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void doze(long ns)
{
	(void)nanosleep(&(struct timespec){ ns / 1000000000, ns % 1000000000 }, NULL);
}

/* /proc/thread-self/schedstat: ran, ready, times that it ran. The first is only as fresh as the last tick; the thread's clock is not. */
static struct reading take(void)
{
	struct reading reading = { .ran = now(CLOCK_THREAD_CPUTIME_ID) };
	char text[128], *at = text;
	ssize_t length;

	reading.elapsed = now(CLOCK_MONOTONIC);
	length = pread(scheduler, text, sizeof(text) - 1, 0);
	if (length <= 0)
		exit(1);
	text[length] = 0;
	(void)strtoull(at, &at, 10);
	reading.ready = strtoull(at, &at, 10);
	return reading;
}

/* Takes the mutex, says so, and keeps it as long as is wanted from when that is said. */
static void *hold(void *unused)
{
	for (;;) {
		(void)pthread_mutex_lock(&mutex);
		(void)sem_post(&held);
		(void)sem_wait(&wanted);
		if (!hold_ns)
			return unused;
		doze(hold_ns);
		(void)pthread_mutex_unlock(&mutex);
		(void)sem_wait(&wanted);
	}
}

static void compute(uint64_t ns)
{
	for (uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns; now(CLOCK_THREAD_CPUTIME_ID) < until;)
		;
}

static void read_disk(int fd, unsigned number)
{
	if (pread(fd, buffer, READ_BYTES, (off_t)(number % (FILE_BYTES / READ_BYTES)) * READ_BYTES) != READ_BYTES)
		exit(1);
}

static void answer(int fd, unsigned number, struct reading *reading)
{
	unsigned times = number % SLOW_EACH ? 1 : 2;

	reading[0] = take();
	(void)pthread_mutex_lock(&mutex);
	reading[1] = take();
	compute(times * 2 * MS);
	reading[2] = take();
	for (unsigned i = 0; i < times; i++)
		read_disk(fd, number + i);
	reading[3] = take();
	doze(times * 2 * MS);
	reading[4] = take();
}

static int make_file(const char *directory)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/server.data", directory);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	for (unsigned i = 0; fd >= 0 && i < FILE_BYTES / READ_BYTES; i++)
		if (write(fd, buffer, READ_BYTES) != READ_BYTES)
			return -1;
	(void)unlink(path);
	return fd;
}

static void print(const struct reading *reading)
{
	printf("%llu", (unsigned long long)(reading[PARTS].elapsed - reading[0].elapsed));
	for (unsigned i = 0; i < PARTS; i++)
		printf(" %llu %llu %llu", (unsigned long long)(reading[i + 1].elapsed - reading[i].elapsed),
		       (unsigned long long)(reading[i + 1].ran - reading[i].ran), (unsigned long long)(reading[i + 1].ready - reading[i].ready));
	putchar('\n');
}

int main(int count, char **arguments)
{
	unsigned requests = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
	int fd = count > 2 ? make_file(arguments[1]) : -1;
	pthread_t holder;

	scheduler = open("/proc/thread-self/schedstat", O_RDONLY);
	if (fd < 0 || scheduler < 0 || requests > REQUESTS_MOST || sem_init(&wanted, 0, 0) || sem_init(&held, 0, 0) ||
	    pthread_create(&holder, NULL, hold, NULL))
		return 1;
	doze(1200 * MS);                /* whoever is to watch begins */
	for (unsigned i = 0; i < requests; i++) {
		(void)sem_wait(&held);
		hold_ns = (i % SLOW_EACH ? 2 : 10) * MS;
		(void)sem_post(&wanted);
		CROSSCUT_BEGIN(i + 1, "GET /parts");
		answer(fd, i, readings[i]);
		CROSSCUT_END(i + 1, CROSSCUT_CORRECT);
		(void)pthread_mutex_unlock(&mutex);
		(void)sem_post(&wanted);
	}
	(void)sem_wait(&held);
	hold_ns = 0;
	(void)sem_post(&wanted);
	(void)pthread_join(holder, NULL);
	for (unsigned i = 0; i < requests; i++)
		print(readings[i]);
	return 0;
}
