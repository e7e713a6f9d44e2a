/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves what the user named to processes and threads. The kernel half decides who belongs: it is given the ids, and
 * children follow their parents. A cgroup is read as the ids of its members, so both versions of cgroups work; those
 * who join later are found by reading it again.
 */
#include "capture/population.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CGROUP_DEPTH = 16 };

/* A process that has ended stays in /proc until its parent asks; one whose leader alone has ended still has threads. */
static bool has_ended(pid_t id)
{
	CLEANUP_TEXT char *path = xasprintf("/proc/%d/status", (int)id);
	FILE *status = fopen(path, "re");
	char line[128], state = 0;
	int threads = 0;

	if (!status)
		return true;
	while (!threads && fgets(line, sizeof(line), status)) {
		(void)sscanf(line, "State: %c", &state);
		(void)sscanf(line, "Threads: %d", &threads);
	}
	(void)fclose(status);
	return (state == 'Z' || state == 'X') && threads <= 1;
}

static bool id_exists(const struct population *population, pid_t id)
{
	return population->kind == POPULATION_COMMAND || !has_ended(id);
}

/* /proc/TID answers for any thread; only a leader's has its own number as the group. */
static bool is_leader(pid_t id)
{
	char path[64], line[128];
	FILE *status;
	int group = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)id);
	status = fopen(path, "re");
	if (!status)
		return false;
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "Tgid: %d", &group) == 1)
			break;
	(void)fclose(status);
	return group == id;
}

static int check_ids(const struct population *population, struct error *err)
{
	bool threads = population->kind == POPULATION_THREADS;

	for (size_t i = 0; i < population->id_count; i++) {
		pid_t id = population->ids[i];

		if (!id_exists(population, id)) {
			fail(err, FAILURE_CANNOT, -ESRCH, "cannot capture %s %d", threads ? "thread" : "process", (int)id);
			error_because(err, "there is no such %s", threads ? "thread" : "process");
			return error_try(err, "ps -e%s -o pid%s,comm", threads ? "L" : "", threads ? ",lwp" : "");
		}
		if (population->kind == POPULATION_PROCESSES && !is_leader(id)) {
			fail(err, FAILURE_CANNOT, -ESRCH, "cannot capture process %d", (int)id);
			error_because(err, "%d is a thread of another process", (int)id);
			return error_try(err, "-t %d, or -p with the process' own id", (int)id);
		}
	}
	return 0;
}

int population_check(const struct population *population, struct error *err)
{
	pid_t *ids = NULL;
	size_t count;
	int r;

	switch (population->kind) {
	case POPULATION_NONE:
		fail(err, FAILURE_USAGE, -EINVAL, "nothing to record");
		error_because(err, "no target was named");
		return error_try(err, "crosscut record -p PID, --comm NAME, --cgroup PATH, -a, or -- COMMAND");
	case POPULATION_PROCESSES:
	case POPULATION_THREADS:
		return check_ids(population, err);
	case POPULATION_CGROUP:
		r = population_cgroup_processes(population->name, &ids, &count, err);
		free(ids);
		return r;
	default:
		return 0;
	}
}

struct id_list {
	pid_t *ids;
	size_t count, room;
};

static void read_members(const char *path, struct id_list *into)
{
	CLEANUP_TEXT char *file = xasprintf("%s/cgroup.procs", path);
	FILE *members = fopen(file, "re");
	int id;

	if (!members)
		return;
	while (into->count < POPULATION_LIMIT && fscanf(members, "%d", &id) == 1) {
		grow(into->ids, into->count, into->room);
		into->ids[into->count++] = id;
	}
	(void)fclose(members);
}

static void read_tree(const char *path, struct id_list *into, int depth)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return;
	read_members(path, into);
	while (depth < CGROUP_DEPTH && (entry = readdir(directory))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			CLEANUP_TEXT char *below = xasprintf("%s/%s", path, entry->d_name);

			read_tree(below, into, depth + 1);
		}
	}
	(void)closedir(directory);
}

int population_cgroup_processes(const char *path, pid_t **ret, size_t *ret_count, struct error *err)
{
	CLEANUP_TEXT char *file = xasprintf("%s/cgroup.procs", path);
	struct id_list list = { 0 };

	if (access(file, R_OK)) {
		fail(err, FAILURE_CANNOT, -errno, "cannot capture the cgroup '%s'", path);
		error_because(err, "it has no readable cgroup.procs: %s", strerror(errno));
		return error_try(err, "the cgroup's directory, such as /sys/fs/cgroup/system.slice/nginx.service");
	}
	read_tree(path, &list, 0);
	*ret = list.ids;
	*ret_count = list.count;
	return 0;
}

bool population_is_gone(const struct population *population)
{
	if (population->kind != POPULATION_PROCESSES && population->kind != POPULATION_THREADS)
		return false;
	for (size_t i = 0; i < population->id_count; i++)
		if (id_exists(population, population->ids[i]))
			return false;
	return true;
}

char *population_text(const struct population *population)
{
	struct text text = TEXT(4096);

	switch (population->kind) {
	case POPULATION_NONE: text_print(&text, "nothing"); break;
	case POPULATION_ALL: text_print(&text, "all processes"); break;
	case POPULATION_COMM: text_print(&text, "comm %s", population->name); break;
	case POPULATION_CGROUP: text_print(&text, "cgroup %s", population->name); break;
	case POPULATION_COMMAND: text_print(&text, "command %s", population->name); break;
	case POPULATION_PROCESSES:
	case POPULATION_THREADS:
		text_print(&text, population->kind == POPULATION_THREADS ? "tid " : "pid ");
		for (size_t i = 0; i < population->id_count; i++)
			text_print(&text, "%s%d", i ? "," : "", (int)population->ids[i]);
		break;
	}
	return text_take(&text);
}
