/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each mapping belongs to one part by what lies behind it: its name, then whether it can be executed. The parts sum to the
 * process' resident memory, since each mapping's resident pages are counted once.
 */
#include "capture/resident.h"

#include "base/memory.h"
#include "capture/batch.h"
#include "profile/profile.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS_LIMIT = 64, LONGEST_S = 16 };

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

/* "7f0c…-7f0c… rw-p 00000000 00:00 0   [heap]", or a field of the mapping before: "Rss:   132 kB". */
static void read_line(const char *line, struct wire_resident *row, enum wire_resident_part *part)
{
	unsigned long start, end, offset, inode, kib;
	unsigned major, minor;
	char permissions[8], name[256] = "";

	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255[^\n]", &start, &end, permissions, &offset, &major, &minor, &inode, name) >= 7)
		*part = part_of(permissions, inode, name);
	else if (sscanf(line, "Rss: %lu kB", &kib) == 1)
		row->bytes[*part] += (uint64_t)kib << 10;
	else if (sscanf(line, "Swap: %lu kB", &kib) == 1)
		row->swapped += (uint64_t)kib << 10;
}

static int read_mappings(uint32_t pid, struct wire_resident *row)
{
	enum wire_resident_part part = WIRE_RESIDENT_OTHER;
	char path[64], line[512];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/smaps", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		read_line(line, row, &part);
	if (file)
		(void)fclose(file);
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
	for (size_t i = 1; i < profile_thread_count(profile); i++) {
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
