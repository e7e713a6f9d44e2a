/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits whose ground is staged: in each scenario a thread "NN-wait" waits for others, who wait in turn, down to one that
 * computes, sleeps, or waits for a device. Each performs for a third of a second, one after the other, in a process of its
 * own; test/chain/run captures them and judges.
 *
 *	scenarios DIRECTORY [NAME]      files are made, without names, in DIRECTORY
 *	scenarios --list                number, name, and what its chain is to be, as a regular expression
 */
#include "scenarios.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void name_self(unsigned number, const char *role)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%02u-%s", number, role);
	(void)prctl(PR_SET_NAME, name);
}

/* So much time of the processor, however often it is taken away meanwhile. */
void compute(uint64_t ns)
{
	struct timespec start, now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((uint64_t)(now.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec < ns);
}

void doze(uint64_t ns)
{
	struct timespec rest = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	(void)nanosleep(&rest, NULL);
}

bool goes_on(const struct stage *stage)
{
	return !atomic_load(&stage->over);
}

/* A file of that size whose pages are on the disk and in no cache. */
int file_make(const char *directory, size_t bytes)
{
	char path[4096];
	static char block[1 << 20];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/chain-XXXXXX", directory);
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	(void)unlink(path);
	memset(block, 7, sizeof(block));
	for (size_t at = 0; at < bytes; at += sizeof(block))
		if (write(fd, block, sizeof(block)) != sizeof(block))
			return -1;
	(void)fsync(fd);
	file_forget(fd);
	return fd;
}

void file_forget(int fd)
{
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

struct starting { struct stage *stage; const struct role *role; };

static void *role_run(void *context)
{
	struct starting *starting = context;

	name_self(starting->stage->number, starting->role->name);
	starting->role->act(starting->stage);
	return NULL;
}

/* The threads of a scenario live until its time is over; whoever waits is woken then by those it waits for. */
static int perform(const struct scenario *scenario, unsigned number, const char *directory)
{
	static struct stage stage;
	static struct starting starting[ROLES];
	pthread_t threads[ROLES];
	size_t count = 0;

	stage.number = number;
	stage.directory = directory;
	if (scenario->set && scenario->set(&stage) < 0)
		return 77;
	for (; count < ROLES && scenario->roles[count].act; count++) {
		starting[count] = (struct starting){ &stage, &scenario->roles[count] };
		if (pthread_create(&threads[count], NULL, role_run, &starting[count]))
			return 1;
	}
	doze(PERFORMANCE_NS);
	atomic_store(&stage.over, true);
	for (size_t i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}

static int perform_apart(const struct scenario *scenario, unsigned number, const char *directory)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)alarm(20);
		name_self(number, "stage");
		_exit(perform(scenario, number, directory));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	(void)printf("%u %s %s\n", number, scenario->name,
		     !WIFEXITED(status) ? "died" : WEXITSTATUS(status) == 77 ? "refused" : WEXITSTATUS(status) ? "failed" : "performed");
	return fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (unsigned i = 0; i < scenario_count; i++)
			(void)printf("%u\t%s\t%s\n", i + 1, scenarios[i].name, scenarios[i].chain);
		return 0;
	}
	if (argc < 2 || argc > 3) {
		(void)fprintf(stderr, "usage: scenarios DIRECTORY [NAME] | --list\n");
		return 2;
	}
	for (unsigned i = 0; i < scenario_count; i++)
		if ((argc < 3 || !strcmp(argv[2], scenarios[i].name)) && perform_apart(&scenarios[i], i + 1, argv[1]))
			return 1;
	return 0;
}
