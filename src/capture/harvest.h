/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What dies with processes, taken from /proc while they live: who they are, what they have mapped, and which build of
 * each file that was. Plain structs; the drain transcribes them. All reads are bounded, and a process that ends
 * meanwhile is no failure: what was read so far stands.
 *
 * A harvest remembers each file it has seen (by device, inode, size and time of change), so that a thousand processes
 * with the same libc cost one look into it. Files that our own path does not lead to (deleted, replaced, in a
 * container) are kept open, up to a limit, so that their names can be read after the process is gone.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct harvest;
struct harvest_generated;

enum {
	HARVEST_PATH = 4096, HARVEST_COMM = 64, HARVEST_BUILD_ID = 65,
	HARVEST_MAPPING_LIMIT = 65536,               /* executable mappings of one process */
	HARVEST_FILE_LIMIT = 65536,                  /* files remembered; beyond, each look is a new one */
	HARVEST_OPEN_LIMIT = 256,                    /* files kept open */
};

struct harvested_process {
	uint32_t pid, parent_pid;
	uint32_t namespace_pid;                      /* in the innermost pid namespace; pid where there is but one */
	bool kernel;                                 /* a kernel thread */
	char comm[HARVEST_COMM];
	char pid_namespace[32];                      /* "pid:[4026531836]"; "" unreadable */
	char runtime[48];                            /* "python 3.11"; "" none known */
	char cgroup_hierarchy[64];                   /* "v2", or the v1 controllers the path was taken from: "memory" */
	char cgroup[HARVEST_PATH];
	char executable[HARVEST_PATH];               /* "" for kernel threads; "(deleted)" is cut off */
};

struct harvested_mapping {                           /* an executable one */
	uint64_t start, end;
	uint64_t offset;                             /* of start in the file; for "[anon]" it is start, so that offsets are addresses */
	uint64_t device, inode;                      /* 0 where no file lies behind it, or unknown */
	bool deleted;
	char build_id[HARVEST_BUILD_ID];             /* lower-case hex; "" none known */
	char path[HARVEST_PATH];                     /* or "[vdso]", "[vsyscall]", "[anon]" */
};

struct harvested_thread {
	uint32_t pid, tid, namespace_tid;            /* pid: of its process */
	char comm[HARVEST_COMM];
};

struct harvest_statistics {
	uint64_t files_seen, files_opened;           /* looks, and those not answered from memory */
	uint64_t files_kept;                         /* open for names */
	uint64_t files_unreadable;                   /* no build id because the file could not be reached */
};

struct harvest *harvest_new(void);
void harvest_free(struct harvest *harvest);          /* NULL is fine */
DEFINE_CLEANUP(harvest)

typedef void harvest_pid_function(void *context, pid_t pid);
typedef void harvest_thread_function(void *context, const struct harvested_thread *thread);
typedef void harvest_mapping_function(void *context, const struct harvested_mapping *mapping);

/* Each of these: a count where it calls a function, else 0; or a negative errno, -ESRCH where there is no such process. */
int harvest_pids(harvest_pid_function *call, void *context);
int harvest_process(struct harvest *harvest, pid_t pid, struct harvested_process *ret);
int harvest_thread(pid_t tid, struct harvested_thread *ret);         /* any thread, by one short read: for wakers */
int harvest_threads(pid_t pid, harvest_thread_function *call, void *context);
int harvest_mappings(struct harvest *harvest, pid_t pid, harvest_mapping_function *call, void *context);

/* The command line, its parts set apart by blanks, cut to size. Only for those who asked for it. */
int harvest_arguments(pid_t pid, char *text, size_t size);

/* Fills in the build id of a mapping of a living process, e.g. one that a side-band record told of. */
void harvest_identify(struct harvest *harvest, pid_t pid, struct harvested_mapping *mapping);
/* A mapping's path as /proc/PID/maps and the side band spell it → as this header does. */
void harvest_normalize(struct harvested_mapping *mapping);

/* For symbol_options.open: a descriptor of a file that was kept open, or -ENOENT. context is the harvest. */
int harvest_open(void *context, const char *path, const char *build_id);
struct harvest_generated *harvest_generated(struct harvest *harvest);    /* what runtimes write of their code */
void harvest_statistics(const struct harvest *harvest, struct harvest_statistics *ret);
