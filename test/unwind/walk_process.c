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
#include "process_mappings.h"
#include "unwind/walk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

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
