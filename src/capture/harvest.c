/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and threads, from the text files below /proc. Mappings and their files are in harvest_mapping.c.
 */
#include "capture/harvest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/harvest_file.h"
#include "capture/proc.h"
#include "capture/runtime.h"

enum { STATUS_SIZE = 8192, CGROUP_SIZE = 16384, KTHREADD = 2 };

int harvest_pids(harvest_pid_function *call, void *context)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	int count = 0;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0])) {
			call(context, (pid_t)strtol(entry->d_name, NULL, 10));
			count++;
		}
	(void)closedir(folder);
	return count;
}

/* The kernel writes "\n" and "\\" in a name as two characters. */
static void read_name(const char *status, char comm[HARVEST_COMM])
{
	char *to = comm;

	(void)proc_field(status, "Name", comm, HARVEST_COMM);
	for (const char *from = comm; *from; from++) {
		if (from[0] == '\\' && (from[1] == 'n' || from[1] == '\\'))
			*to++ = *++from == 'n' ? '\n' : '\\';
		else
			*to++ = *from;
	}
	*to = '\0';
}

static uint32_t read_number(const char *status, const char *key)
{
	char value[256];

	return proc_last_number(proc_field(status, key, value, sizeof(value)));
}

static void read_status(const char *status, struct harvested_process *process)
{
	read_name(status, process->comm);
	process->parent_pid = read_number(status, "PPid");
	process->namespace_pid = read_number(status, "NSpid");
	if (!process->namespace_pid)
		process->namespace_pid = process->pid;
	process->kernel = process->pid == KTHREADD || process->parent_pid == KTHREADD;
}

/* How much a line "4:memory:/a/b" says: version 2 first, then the controllers that groups are usually made for. */
static int cgroup_rank(const char *number, const char *controllers, const char *path)
{
	static const char *const telling[] = { "cpu", "cpu,cpuacct", "memory", "pids", "cpuset", "name=systemd" };

	if (strcmp(path, "/") == 0)
		return strcmp(number, "0") == 0 ? 101 : 102;
	if (strcmp(number, "0") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LENGTH(telling); i++)
		if (strcmp(controllers, telling[i]) == 0)
			return 1 + (int)i;
	return 100;
}

static void read_cgroup(char *text, struct harvested_process *process)
{
	int best = 1000;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
		int rank;

		if (!path)
			continue;
		*controllers++ = *path++ = '\0';
		rank = cgroup_rank(line, controllers, path);
		if (rank >= best)
			continue;
		best = rank;
		(void)snprintf(process->cgroup, sizeof(process->cgroup), "%s", path);
		(void)snprintf(process->cgroup_hierarchy, sizeof(process->cgroup_hierarchy), "%s",
			       controllers[0] ? controllers : "v2");
	}
}

static void cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), size = sizeof(mark) - 1;

	if (length > size && strcmp(path + length - size, mark) == 0)
		path[length - size] = '\0';
}

struct runtime_search {
	int rank;
	char path[HARVEST_PATH];
};

static void find_runtime(void *context, const struct harvested_mapping *mapping)
{
	struct runtime_search *search = context;
	int rank = runtime_rank(mapping->path);

	if (rank >= search->rank)
		return;
	search->rank = rank;
	memcpy(search->path, mapping->path, sizeof(search->path));
}

static void read_runtime(struct harvest *harvest, struct harvested_process *process)
{
	struct runtime_search search = { .rank = RUNTIME_NONE };

	_Static_assert(sizeof(process->runtime) == RUNTIME_SIZE, "one size for a runtime's name");
	(void)mappings_walk((pid_t)process->pid, find_runtime, &search);
	if (search.rank != RUNTIME_NONE)
		runtime_describe((pid_t)process->pid, search.path, search.rank, process->runtime);
	else
		harvest_executable_runtime(harvest, (pid_t)process->pid, process->runtime);
}

int harvest_process(struct harvest *harvest, pid_t pid, struct harvested_process *ret)
{
	char text[CGROUP_SIZE];
	ssize_t size = proc_read(pid, "status", text, STATUS_SIZE);

	if (size <= 0)
		return -ESRCH;
	*ret = (struct harvested_process){ .pid = (uint32_t)pid };
	read_status(text, ret);
	if (proc_read(pid, "cgroup", text, sizeof(text)) > 0)
		read_cgroup(text, ret);
	(void)proc_link(pid, "ns/pid", ret->pid_namespace, sizeof(ret->pid_namespace));
	if (ret->kernel)
		return 0;
	(void)proc_link(pid, "exe", ret->executable, sizeof(ret->executable));
	cut_deleted(ret->executable);
	read_runtime(harvest, ret);
	return 0;
}

static void read_thread(const char *status, struct harvested_thread *thread)
{
	thread->pid = read_number(status, "Tgid");
	thread->tid = read_number(status, "Pid");
	thread->namespace_tid = read_number(status, "NSpid");
	if (!thread->namespace_tid)
		thread->namespace_tid = thread->tid;
	read_name(status, thread->comm);
}

int harvest_thread(pid_t tid, struct harvested_thread *ret)
{
	char text[STATUS_SIZE];

	if (proc_read(tid, "status", text, sizeof(text)) <= 0)
		return -ESRCH;
	read_thread(text, ret);
	return 0;
}

int harvest_threads(pid_t pid, harvest_thread_function *call, void *context)
{
	char name[64], text[STATUS_SIZE];
	const struct dirent *entry;
	DIR *folder;
	int count = 0;

	(void)snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	folder = opendir(name);
	if (!folder)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((entry = readdir(folder))) {
		struct harvested_thread thread;

		(void)snprintf(name, sizeof(name), "task/%.20s/status", entry->d_name);
		if (!isdigit((unsigned char)entry->d_name[0]) || proc_read(pid, name, text, sizeof(text)) <= 0)
			continue;
		read_thread(text, &thread);
		call(context, &thread);
		count++;
	}
	(void)closedir(folder);
	return count;
}

int harvest_arguments(pid_t pid, char *text, size_t size)
{
	ssize_t length = proc_read(pid, "cmdline", text, size);

	if (length < 0)
		return -ESRCH;
	while (length && !text[length - 1])
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = ' ';
	return 0;
}
