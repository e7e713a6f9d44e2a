/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of unwinding share: unwinding.c keeps the kernel's walk supplied, unwinding_walk.c walks what was copied. */
#include "capture/unwind_store.h"
#include "capture/unwinding.h"
#include "probe/space.h"

struct map;

/* Mappings as the kernel has them. A child that was forked shares its parent's. */
struct unwinding_run { uint32_t first, count, users; };

struct unwinding_generated { uint64_t start, end; struct unwind_place place; };

struct unwinding_process {
	uint32_t pid, run;                      /* pid 0: a free place */
	bool dirty;
	uint32_t looks;                         /* in vain, since its image began: each next one waits twice as long */
	uint64_t looked_ns;
	struct unwinding_generated *generated;
	size_t generated_count, generated_room;
};

struct unwinding {
	struct unwind_store *store;
	struct unwind_catalogue *catalogue;
	int processes_fd, missing_fd;
	struct spaces *spaces;                  /* their file ids are those of the catalogue */
	struct map *by_pid;
	struct unwinding_process *processes;
	size_t process_count, process_room;
	uint32_t *free;                         /* places of processes that ended */
	size_t free_count, free_room;
	uint32_t *dirty;
	size_t dirty_count, dirty_room;
	struct unwinding_run *runs;
	size_t run_count, run_room;
	struct wire_unwind_mapping *entries;    /* of the process at hand */
	size_t entry_count, entry_room;
	uint64_t seen, copies_walked;           /* seen: processes, ended ones as well */
};

struct unwinding_process *unwinding_find(const struct unwinding *unwinding, uint32_t pid);       /* NULL: not known */
/* Writes what a process has mapped, in order of address, over the entries of the process before. */
void unwinding_list_entries(struct unwinding *unwinding, struct unwinding_process *process);
