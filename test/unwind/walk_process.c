/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops the threads of a process, walks each from its registers, and lets them go on:
 *
 *	walk_process PID
 *	TID 4711: complete
 *	0x7f0c8e2ea0e3 leaf libc.so.6
 *	0x55d0c2b1a4f2 cfi python3.11
 *
 * Exit status 1 where a stack is not complete.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "unwind/walk.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

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

static struct unwind_state state_of(const struct user_regs_struct *registers)
{
	const struct user_regs_struct *r = registers;

	return (struct unwind_state){ .pc = r->rip, .sp = r->rsp, .bp = r->rbp, .pc_is_exact = 1, .registers_known = 1, .bp_known = 1,
		.method = UNWIND_BY_LEAF, .registers = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9,
							 r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 } };
}

static bool walk_thread(pid_t pid, pid_t tid)
{
	struct unwind_process process = { .mappings = mappings, .count = mapping_count, .memory = { read_memory, &pid } };
	struct unwind_frame frames[DEPTH];
	struct user_regs_struct registers;
	enum unwind_status status;
	size_t count;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) < 0)
		return false;
	status = unwind_walk(&process, state_of(&registers), DEPTH, frames, &count);
	printf("TID %d: %s\n", tid, unwind_status_name(status));
	for (size_t i = 0; i < count; i++) {
		const struct unwind_mapping *mapping = unwind_mapping_at(&process, frames[i].address);
		const char *name = mapping ? mapping_names[mapping - mappings] : "?";

		printf("0x%lx %s %s\n", frames[i].address, unwind_method_name(frames[i].method), strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	}
	return status == UNWIND_COMPLETE;
}

int main(int count, char **arguments)
{
	pid_t pid = count == 2 ? atoi(arguments[1]) : 0, tids[1024];
	CLEANUP_TEXT char *path = xasprintf("/proc/%d/task", pid);
	DIR *folder = pid > 0 ? opendir(path) : NULL;
	size_t tid_count = 0;
	bool complete = true;
	int status;

	if (!folder) {
		(void)fprintf(stderr, "usage: walk_process PID\n");
		return 2;
	}
	for (struct dirent *entry; (entry = readdir(folder)) && tid_count < 1024;) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0 && ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0)
			tids[tid_count++] = tid;
	}
	(void)closedir(folder);
	for (size_t i = 0; i < tid_count; i++)
		if (ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL) == 0)
			(void)waitpid(tids[i], &status, __WALL);
	read_mappings(pid);
	for (size_t i = 0; i < tid_count; i++)
		complete &= walk_thread(pid, tids[i]);
	for (size_t i = 0; i < tid_count; i++)
		(void)ptrace(PTRACE_DETACH, tids[i], NULL, NULL);
	return complete && tid_count ? 0 : 1;
}
