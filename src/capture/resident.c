/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each mapping belongs to one part by what lies behind it: its name, then whether it can be executed. The parts sum to the
 * process' resident memory, since each mapping's resident pages are counted once.
 *
 * A thread's stack other than the first has no name: it is the anonymous mapping above a guard page that the thread's stack pointer
 * lies in, as the kernel tells it of a thread that waits. What a Java machine keeps of classes it tells itself.
 */
#include "capture/resident.h"

#include "base/memory.h"
#include "capture/batch.h"
#include "interpreter/java_counters.h"
#include "profile/profile.h"
#include "wire/wire.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS_LIMIT = 64, LONGEST_S = 16, STACKS_MOST = 512 };

/* One reading of a process' mappings. */
struct reading {
	uint64_t pointers[STACKS_MOST];         /* into stacks */
	size_t pointer_count;
	unsigned long guard_end;                /* where the mapping before ended, if nothing may touch it; else 0 */
	enum wire_resident_part part;           /* of the mapping at hand */
	char counters[256];                     /* the file of a Java machine's counters; "": none */
};

struct resident {
	struct wire_resident rows[PROCESS_LIMIT];
	size_t count;
	uint64_t next_ns, step_ns;
};

struct resident *resident_new(void)
{
	return xcalloc(1, sizeof(struct resident));
}

void resident_free(struct resident *resident)
{
	free(resident);
}

static enum wire_resident_part part_of(const char *permissions, unsigned long inode, const char *name)
{
	if (!strncmp(name, "[stack", 6))
		return WIRE_RESIDENT_STACKS;
	if (permissions[3] == 's' || !strncmp(name, "/dev/shm/", 9) || !strncmp(name, "/memfd:", 7) || !strncmp(name, "/SYSV", 5) ||
	    !strncmp(name, "/dev/zero", 9))
		return WIRE_RESIDENT_SHARED;
	if (inode)
		return WIRE_RESIDENT_FILES;
	if (!strcmp(name, "[heap]"))
		return WIRE_RESIDENT_HEAP;
	if (*name == '[' && strncmp(name, "[anon", 5))
		return WIRE_RESIDENT_OTHER;
	return permissions[2] == 'x' ? WIRE_RESIDENT_CODE : WIRE_RESIDENT_HEAP;
}

static bool holds_stack(const struct reading *reading, unsigned long start, unsigned long end)
{
	for (size_t i = 0; i < reading->pointer_count; i++)
		if (reading->pointers[i] >= start && reading->pointers[i] < end)
			return true;
	return false;
}

static void read_mapping(struct reading *reading, const char *permissions, unsigned long start, unsigned long end, unsigned long inode,
			 const char *name)
{
	bool guarded = reading->guard_end == start && !inode && !*name && permissions[1] == 'w';

	reading->part = guarded && holds_stack(reading, start, end) ? WIRE_RESIDENT_STACKS : part_of(permissions, inode, name);
	reading->guard_end = permissions[0] == '-' && permissions[1] == '-' ? end : 0;
	if (strstr(name, "/hsperfdata_"))
		(void)snprintf(reading->counters, sizeof(reading->counters), "%s", name);
}

/* "7f0c…-7f0c… rw-p 00000000 00:00 0   [heap]", or a field of the mapping before: "Rss:   132 kB". */
static void read_line(const char *line, struct wire_resident *row, struct reading *reading)
{
	unsigned long start, end, offset, inode, kib;
	unsigned major, minor;
	char permissions[8], name[256] = "";

	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255[^\n]", &start, &end, permissions, &offset, &major, &minor, &inode, name) >= 7)
		read_mapping(reading, permissions, start, end, inode, name);
	else if (sscanf(line, "Rss: %lu kB", &kib) == 1)
		row->bytes[reading->part] += (uint64_t)kib << 10;
	else if (sscanf(line, "Swap: %lu kB", &kib) == 1)
		row->swapped += (uint64_t)kib << 10;
}

/* "202 0x… 0x80 … 0x7ffc…sp 0x7f…pc"; "running" has neither. */
static void read_stack_pointers(uint32_t pid, struct reading *reading)
{
	char path[300], line[256];
	DIR *tasks;
	struct dirent *entry;

	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) != NULL && reading->pointer_count < STACKS_MOST) {
		const char *last, *before = NULL;
		FILE *file;

		(void)snprintf(path, sizeof(path), "/proc/%u/task/%.20s/syscall", pid, entry->d_name);
		file = *entry->d_name != '.' ? fopen(path, "re") : NULL;
		if (file && fgets(line, sizeof(line), file) && (last = strrchr(line, ' ')) != NULL)
			for (before = last; before > line && before[-1] != ' ';)
				before--;
		if (before && before > line)
			reading->pointers[reading->pointer_count++] = strtoull(before, NULL, 16);
		if (file)
			(void)fclose(file);
	}
	if (tasks)
		(void)closedir(tasks);
}

/* They lie in anonymous memory, which is thought resident as far as it was committed. */
static void move_classes(uint32_t pid, const char *counters, struct wire_resident *row)
{
	char path[320];
	uint64_t classes;

	(void)snprintf(path, sizeof(path), "/proc/%u/root%s", pid, counters);
	if (!*counters || !java_counter_of_file(path, "sun.gc.metaspace.capacity", &classes))
		return;
	if (classes > row->bytes[WIRE_RESIDENT_HEAP])
		classes = row->bytes[WIRE_RESIDENT_HEAP];
	row->bytes[WIRE_RESIDENT_HEAP] -= classes;
	row->bytes[WIRE_RESIDENT_CLASSES] += classes;
}

static int read_mappings(uint32_t pid, struct wire_resident *row)
{
	struct reading reading = { .part = WIRE_RESIDENT_OTHER };
	char path[64], line[512];
	FILE *file;

	read_stack_pointers(pid, &reading);
	(void)snprintf(path, sizeof(path), "/proc/%u/smaps", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		read_line(line, row, &reading);
	if (file)
		(void)fclose(file);
	move_classes(pid, reading.counters, row);
	return file ? 0 : -1;
}

static void read_tables(uint32_t pid, struct wire_resident *row)
{
	char path[64], line[256];
	unsigned long kib;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPTE: %lu kB", &kib) == 1)
			row->page_tables = (uint64_t)kib << 10;
	if (file)
		(void)fclose(file);
}

static void look_at(struct resident *resident, uint32_t pid)
{
	struct wire_resident row = { .process = pid };
	uint64_t all = 0;
	size_t i = 0;

	if (read_mappings(pid, &row))
		return;
	read_tables(pid, &row);
	for (unsigned part = 0; part < WIRE_RESIDENT_PARTS; part++)
		all += row.bytes[part];
	if (!all)                               /* it exits: what it had before is the last that is known */
		return;
	while (i < resident->count && resident->rows[i].process != pid)
		i++;
	if (i == PROCESS_LIMIT)
		return;
	resident->count = i == resident->count ? i + 1 : resident->count;
	resident->rows[i] = row;
}

void resident_look(struct resident *resident, const struct profile *profile, uint64_t now_ns, int last)
{
	if (now_ns < resident->next_ns && !last)
		return;
	resident->step_ns = resident->step_ns ? resident->step_ns * 2 : 1000000000ull;
	if (resident->step_ns > LONGEST_S * 1000000000ull)
		resident->step_ns = LONGEST_S * 1000000000ull;
	resident->next_ns = now_ns + resident->step_ns;
	for (size_t i = 1; i < profile_thread_count(profile); i = profile_thread_next(profile, i + 1)) {
		const struct thread *thread = profile_thread_at(profile, i);

		if (!thread->outside && thread->tid == profile_process_at(profile, thread->process.index)->pid)
			look_at(resident, thread->tid);
	}
}

void resident_put(const struct resident *resident, uint64_t at_ns, struct batch *into)
{
	for (size_t i = 0; i < resident->count; i++) {
		struct wire_resident row = resident->rows[i];

		batch_put(into, WIRE_RESIDENT, at_ns, &row, sizeof(row), NULL);
	}
}
