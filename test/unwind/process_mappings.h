/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What of a living process a walk in user space wants: its executable mappings, each with the rows of its file. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "unwind/walk.h"

enum { DEPTH = 512, MAPPING_LIMIT = 4096 };

struct file {
	char path[512];
	struct unwind_tables tables;
};

static struct unwind_mapping mappings[MAPPING_LIMIT];
static const char *mapping_names[MAPPING_LIMIT];
static size_t mapping_count;

static int read_memory(void *context, void *to, __u32 size, __u64 address)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)address, size };

	return process_vm_readv(*(pid_t *)context, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

/* What the file's segments call the byte at an offset. */
static bool address_of_offset(int fd, uint64_t offset, uint64_t *ret)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment), (off_t)(header.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return false;
		if (segment.p_type == PT_LOAD && offset >= (segment.p_offset & ~4095ul) && offset < segment.p_offset + segment.p_filesz) {
			*ret = segment.p_vaddr + (offset - segment.p_offset);
			return true;
		}
	}
	return false;
}

static void add_mapping(uint64_t start, uint64_t end, uint64_t bias, const struct unwind_table *table, const char *name)
{
	if (mapping_count == MAPPING_LIMIT || start >= end)
		return;
	mappings[mapping_count] = (struct unwind_mapping){ .start = start, .end = end, .bias = bias, .table = table };
	mapping_names[mapping_count++] = name;
}

/* Each table's part of the mapping. */
static void add_file_mapping(uint64_t start, uint64_t end, uint64_t bias, const struct file *file)
{
	for (size_t i = 0; i < file->tables.count; i++) {
		uint64_t from = i ? file->tables.tables[i].base + bias : start;
		uint64_t to = i + 1 < file->tables.count ? file->tables.tables[i + 1].base + bias : end;

		add_mapping(from > start ? from : start, to < end ? to : end, bias, &file->tables.tables[i], file->path);
	}
	if (!file->tables.count)
		add_mapping(start, end, bias, NULL, file->path);
}

static void read_vdso(pid_t pid, uint64_t start, uint64_t end, struct file *file)
{
	CLEANUP_TEXT char *image = xmalloc(end - start);

	if (read_memory(&pid, image, (__u32)(end - start), start) == 0)
		(void)unwind_tables_read_memory(image, end - start, &file->tables);
}

static void add_line(pid_t pid, const char *line)
{
	struct file *file = xcalloc(1, sizeof(*file));
	uint64_t start, end, offset, address = 0;
	char flags[5], link[64];
	int fd;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*u %511s", &start, &end, flags, &offset, file->path) < 4 || flags[2] != 'x') {
		free(file);
		return;
	}
	if (strcmp(file->path, "[vdso]") == 0) {
		read_vdso(pid, start, end, file);
		add_file_mapping(start, end, start, file);
		return;
	}
	(void)snprintf(link, sizeof(link), "/proc/%d/map_files/%lx-%lx", pid, start, end);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && unwind_tables_read_file(fd, &file->tables) == 0)
		(void)address_of_offset(fd, offset, &address);
	add_file_mapping(start, end, start - address, file);
	if (fd >= 0)
		(void)close(fd);
}

static void read_mappings(pid_t pid)
{
	CLEANUP_TEXT char *path = xasprintf("/proc/%d/maps", pid), *line = NULL;
	FILE *from = fopen(path, "r");
	size_t room = 0;

	while (from && getline(&line, &room, from) > 0)
		add_line(pid, line);
	if (from)
		(void)fclose(from);
}
