/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most processes see our own files, so a map can be opened by their path even after they are gone. Of a process in a
 * container its root folder is kept open as well. Paths are resolved inside that root (openat2), so that no link of the
 * container leads out of it.
 */
#include "capture/harvest_generated.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/memory.h"
#include "capture/harvest.h"
#include "capture/proc.h"
#include "symbol/generated.h"

enum { PROCESS_LIMIT = 65536, STALE_S = 2 };

struct written {                                     /* a file that a runtime writes */
	int fd;                                      /* -1 none */
	uint64_t device, inode;
	const char *refused;                         /* why there is none, although there was a file */
};

struct process {
	uint32_t pid, parent_pid, namespace_pid;
	uid_t user, effective_user;
	int64_t start_s;                             /* CLOCK_REALTIME; 0 unknown */
	uint64_t stack_start;                        /* chosen at random with each new image; 0 unknown */
	int root_fd;                                 /* of another root; -1 it is ours */
	bool other_root, gone;
	struct written perf_map, jitdump;
	char path[32];
};

struct harvest_generated {
	struct map *by_pid;
	struct process *processes;
	size_t count, room, open;
	struct generated_file *files;
	size_t file_count, file_room;
};

struct harvest_generated *harvest_generated_new(void)
{
	struct harvest_generated *harvest = xcalloc(1, sizeof(*harvest));

	harvest->by_pid = map_new(sizeof(uint32_t));
	return harvest;
}

static void close_fd(struct harvest_generated *harvest, int *fd)
{
	if (*fd < 0)
		return;
	(void)close(*fd);
	harvest->open--;
	*fd = -1;
}

void harvest_generated_free(struct harvest_generated *harvest)
{
	if (!harvest)
		return;
	for (size_t i = 0; i < harvest->count; i++) {
		close_fd(harvest, &harvest->processes[i].root_fd);
		close_fd(harvest, &harvest->processes[i].perf_map.fd);
		close_fd(harvest, &harvest->processes[i].jitdump.fd);
	}
	map_free(harvest->by_pid);
	free(harvest->processes);
	free(harvest->files);
	free(harvest);
}

/* --- Who it is -------------------------------------------------------------------------------------------------- */

static int64_t now_s(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return now.tv_sec;
}

/* "pid (name) state …": field 22 is when it began, in ticks since boot, field 28 where its stack does. */
static void read_stat(struct process *process)
{
	char text[2048], *at, *rest = NULL;
	uint64_t ticks = 0;
	int field = 2;

	if (proc_read((pid_t)process->pid, "stat", text, sizeof(text)) <= 0 || !(at = strrchr(text, ')')))
		return;
	for (at = strtok_r(at + 1, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		field++;
		if (field == 22)
			ticks = strtoull(at, NULL, 10);
		if (field == 28)
			process->stack_start = strtoull(at, NULL, 10);
	}
	process->start_s = now_s(CLOCK_REALTIME) - now_s(CLOCK_BOOTTIME) + (int64_t)(ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void read_users(struct process *process)
{
	char text[8192], value[128];
	unsigned int user = 0, effective = 0;

	if (proc_read((pid_t)process->pid, "status", text, sizeof(text)) > 0)
		(void)sscanf(proc_field(text, "Uid", value, sizeof(value)), "%u %u", &user, &effective);
	process->user = user;
	process->effective_user = effective;
}

/* The same root folder may carry another /tmp: so the mounts must be ours too. */
static bool sees_our_files(const struct process *process)
{
	char ours[64], theirs[64], name[64];
	struct stat our_root, its_root;

	(void)snprintf(name, sizeof(name), "/proc/%u/root", process->pid);
	if (proc_link(getpid(), "ns/mnt", ours, sizeof(ours)) < 0 ||
	    proc_link((pid_t)process->pid, "ns/mnt", theirs, sizeof(theirs)) < 0 || strcmp(ours, theirs))
		return false;
	return stat("/", &our_root) == 0 && stat(name, &its_root) == 0 && our_root.st_dev == its_root.st_dev &&
	       our_root.st_ino == its_root.st_ino;
}

static void open_root(struct harvest_generated *harvest, struct process *process)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%u/root", process->pid);
	process->other_root = !sees_our_files(process);
	if (!process->other_root || harvest->open >= HARVEST_GENERATED_LIMIT)
		return;
	process->root_fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	harvest->open += process->root_fd >= 0;
}

/* --- Its files -------------------------------------------------------------------------------------------------- */

/* A kernel before 5.6 has no openat2, and follows what links there are. */
static int open_inside(int root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = openat(root, path, (int)how.flags);
	return fd < 0 ? -errno : fd;
}

/* NULL where it is believed. */
static const char *refusal_of(const struct process *process, const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "it is no regular file";
	if (status->st_uid && status->st_uid != process->user && status->st_uid != process->effective_user)
		return "it belongs to another user";
	if (process->start_s && status->st_mtim.tv_sec + STALE_S < process->start_s)
		return "it is older than the process";
	return NULL;
}

/* Takes the descriptor, or closes it. */
static void keep(struct harvest_generated *harvest, const struct process *process, int fd, struct written *to)
{
	const char *refused;
	struct stat status;

	if (fd < 0 && to->fd < 0)
		to->refused = fd == -ELOOP ? "it is a symbolic link" : fd == -EACCES ? "it may not be read" : to->refused;
	if (fd < 0)
		return;
	refused = fstat(fd, &status) < 0 ? "it cannot be read" : refusal_of(process, &status);
	if (!refused && to->fd < 0 && harvest->open >= HARVEST_GENERATED_LIMIT)
		refused = "too many such files were open";
	if (refused || (to->fd >= 0 && to->device == status.st_dev && to->inode == status.st_ino)) {
		to->refused = to->fd < 0 ? refused : NULL;
		(void)close(fd);
		return;
	}
	close_fd(harvest, &to->fd);
	*to = (struct written){ .fd = fd, .device = status.st_dev, .inode = status.st_ino };
	harvest->open++;
}

static void look_for_map(struct harvest_generated *harvest, struct process *process)
{
	char path[64];
	int root = process->root_fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/root", process->pid);
	if (root < 0)
		root = open(process->other_root ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return;
	(void)snprintf(path, sizeof(path), "tmp/perf-%u.map", process->namespace_pid);
	keep(harvest, process, open_inside(root, path), &process->perf_map);
	if (root != process->root_fd)
		(void)close(root);
}

/* --- Calls ------------------------------------------------------------------------------------------------------ */

static struct process *find(struct harvest_generated *harvest, uint32_t pid)
{
	const uint32_t *index = map_find(harvest->by_pid, &pid);

	return index ? &harvest->processes[*index] : NULL;
}

static struct process *add(struct harvest_generated *harvest, uint32_t pid)
{
	if (harvest->count >= PROCESS_LIMIT)
		return NULL;
	grow(harvest->processes, harvest->count, harvest->room);
	*map_put(harvest->by_pid, &pid, NULL) = (uint32_t)harvest->count;
	return &harvest->processes[harvest->count++];
}

void harvest_generated_process(struct harvest_generated *harvest, const struct harvested_process *seen)
{
	struct process *process = find(harvest, seen->pid);

	if (seen->kernel)
		return;
	if (process) {                                       /* a new image, or its number is used again */
		close_fd(harvest, &process->root_fd);
		close_fd(harvest, &process->perf_map.fd);
		close_fd(harvest, &process->jitdump.fd);
	} else {
		process = add(harvest, seen->pid);
	}
	if (!process)
		return;
	*process = (struct process){ .pid = seen->pid, .parent_pid = seen->parent_pid, .namespace_pid = seen->namespace_pid,
				     .root_fd = -1, .perf_map.fd = -1, .jitdump.fd = -1 };
	(void)snprintf(process->path, sizeof(process->path), "[anon:%u]", seen->pid);
	read_stat(process);
	read_users(process);
	open_root(harvest, process);
	look_for_map(harvest, process);
}

static bool is_jitdump(const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned number;
	int end = 0;

	return slash && sscanf(slash, "/jit-%u.dump%n", &number, &end) == 1 && end && !slash[end];
}

void harvest_generated_mapping(struct harvest_generated *harvest, pid_t pid, const struct harvested_mapping *mapping)
{
	struct process *process = is_jitdump(mapping->path) ? find(harvest, (uint32_t)pid) : NULL;
	char name[PATH_MAX];
	int fd;

	if (!process)
		return;
	(void)snprintf(name, sizeof(name), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapping->start, mapping->end);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && snprintf(name, sizeof(name), "/proc/%d/root%s", (int)pid, mapping->path) < (int)sizeof(name))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	keep(harvest, process, fd, &process->jitdump);
}

/* The last takes the place of who goes. */
static void forget(struct harvest_generated *harvest, struct process *process)
{
	struct process *last = &harvest->processes[--harvest->count];
	uint32_t pid = process->pid;

	if (process != last) {
		*map_put(harvest->by_pid, &last->pid, NULL) = (uint32_t)(process - harvest->processes);
		*process = *last;
	}
	(void)map_remove(harvest->by_pid, &pid);
}

static bool has_file(const struct process *process)
{
	return process->perf_map.fd >= 0 || process->jitdump.fd >= 0 || process->perf_map.refused || process->jitdump.refused;
}

/* Who left no file is forgotten: most processes never write one, and a busy machine bears thousands a minute. */
void harvest_generated_exit(struct harvest_generated *harvest, pid_t pid)
{
	struct process *process = find(harvest, (uint32_t)pid);

	if (!process || process->gone)
		return;
	look_for_map(harvest, process);
	close_fd(harvest, &process->root_fd);
	process->gone = true;
	if (!has_file(process))
		forget(harvest, process);
}

void harvest_generated_look(struct harvest_generated *harvest)
{
	for (size_t i = 0; i < harvest->count; i++)
		if (!harvest->processes[i].gone)
			look_for_map(harvest, &harvest->processes[i]);
}

/* A child that never changed its image runs its parent's code, under its own number. */
static const struct process *writer_of(struct harvest_generated *harvest, const struct process *process)
{
	const struct process *parent = find(harvest, process->parent_pid);

	if (has_file(process) || !parent || !parent->stack_start ||
	    parent->stack_start != process->stack_start)
		return process;
	return parent;
}

static void hand_out(struct harvest_generated *harvest, struct generated_file *file, const struct written *from)
{
	struct stat status = { 0 };

	file->fd = from->fd;
	file->refused = from->refused;
	if (!file->refused && (file->fd < 0 || fstat(file->fd, &status) < 0))
		return;
	grow(harvest->files, harvest->file_count, harvest->file_room);
	harvest->files[harvest->file_count] = *file;
	harvest->files[harvest->file_count++].size = (uint64_t)status.st_size;
}

const struct generated_file *harvest_generated_files(struct harvest_generated *harvest, uint64_t start_ns, uint64_t end_ns,
						     size_t *ret_count)
{
	harvest->file_count = 0;
	for (size_t i = 0; i < harvest->count; i++) {
		const struct process *process = &harvest->processes[i], *writer = writer_of(harvest, process);
		struct generated_file file = { .path = process->path, .start_ns = start_ns, .end_ns = end_ns };

		file.kind = GENERATED_JITDUMP;
		hand_out(harvest, &file, &writer->jitdump);
		file.kind = GENERATED_PERF_MAP;
		hand_out(harvest, &file, &writer->perf_map);
	}
	*ret_count = harvest->file_count;
	return harvest->files;
}
