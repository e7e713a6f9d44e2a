/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers requests whose time is made of known parts, one after the other: it computes, waits for a mutex that another thread holds
 * while that sleeps, reads a disk, and sleeps, every fortieth time longer. Prints "latency run lock disk sleep" of each, in ns by
 * its own clocks: run is the thread's processor time in all of it.
 *
 * server DIRECTORY REQUESTS
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "crosscut.h"

enum { REQUESTS_MOST = 10000, FILE_BYTES = 32 << 20, READ_BYTES = 256 << 10, READS = 3, MS = 1000000, SLOW_EACH = 40 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int over;
static uint64_t parts[REQUESTS_MOST][5];
static _Alignas(4096) char buffer[READ_BYTES];

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

static void *hold(void *unused)
{
	while (!over) {
		(void)pthread_mutex_lock(&mutex);
		doze(2 * MS);
		(void)pthread_mutex_unlock(&mutex);
		doze(MS / 10);
	}
	return unused;
}

static void compute(uint64_t ns)
{
	for (uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns; now(CLOCK_THREAD_CPUTIME_ID) < until;)
		;
}

static void read_disk(int fd, unsigned number)
{
	for (unsigned i = 0; i < READS; i++)
		if (pread(fd, buffer, READ_BYTES, (off_t)((number * READS + i) * 7 % (FILE_BYTES / READ_BYTES)) * READ_BYTES) != READ_BYTES)
			exit(1);
}

static void answer(int fd, unsigned number, uint64_t *part)
{
	uint64_t began = now(CLOCK_MONOTONIC), ran = now(CLOCK_THREAD_CPUTIME_ID), at;

	compute(MS);
	at = now(CLOCK_MONOTONIC);
	(void)pthread_mutex_lock(&mutex);
	(void)pthread_mutex_unlock(&mutex);
	part[2] = now(CLOCK_MONOTONIC) - at;
	at += part[2];
	read_disk(fd, number);
	part[3] = now(CLOCK_MONOTONIC) - at;
	at += part[3];
	doze(number % SLOW_EACH ? 2 * MS : 22 * MS);
	part[4] = now(CLOCK_MONOTONIC) - at;
	part[1] = now(CLOCK_THREAD_CPUTIME_ID) - ran;
	part[0] = now(CLOCK_MONOTONIC) - began;
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

int main(int count, char **arguments)
{
	unsigned requests = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
	int fd = count > 2 ? make_file(arguments[1]) : -1;
	pthread_t holder;

	if (fd < 0 || requests > REQUESTS_MOST || pthread_create(&holder, NULL, hold, NULL))
		return 1;
	doze(1200 * MS);                /* whoever is to watch begins */
	for (unsigned i = 0; i < requests; i++) {
		CROSSCUT_BEGIN(i + 1, "GET /parts");
		answer(fd, i, parts[i]);
		CROSSCUT_END(i + 1, CROSSCUT_CORRECT);
		doze(MS / 5);
	}
	over = 1;
	(void)pthread_join(holder, NULL);
	for (unsigned i = 0; i < requests; i++)
		printf("%llu %llu %llu %llu %llu\n", (unsigned long long)parts[i][0], (unsigned long long)parts[i][1],
		       (unsigned long long)parts[i][2], (unsigned long long)parts[i][3], (unsigned long long)parts[i][4]);
	return 0;
}
