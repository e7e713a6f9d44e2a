/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Runs the rows of src/interpreter while a capture does: finds out which process runs what, gives the kernel's walk the rows
 * of generated code and the threads of evaluators, and asks for the names of frames while their process lives.
 *
 * Only a process that maps a file of such a runtime is looked into: soon after, since it has to set itself up first, and
 * then once a second.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct crosscut_bpf;
struct interpreter_frame;
struct interpreting;
struct unwinding;

struct interpreting *interpreting_new(struct crosscut_bpf *bpf, struct unwinding *unwinding);     /* both borrowed */
void interpreting_free(struct interpreting *interpreting);           /* NULL is fine */
DEFINE_CLEANUP(interpreting)

void interpreting_map(struct interpreting *interpreting, uint32_t pid, const char *path);
void interpreting_fork(struct interpreting *interpreting, uint32_t pid, uint32_t parent);
void interpreting_exec(struct interpreting *interpreting, uint32_t pid);
void interpreting_exit(struct interpreting *interpreting, uint32_t pid);

/* Ten times a second. Calls for each process whose evaluator was found since. */
void interpreting_tick(struct interpreting *interpreting,
		       void (*found)(void *context, uint32_t pid, uint64_t start, uint64_t end), void *context);
/* 0, or a negative errno: the process, or the code, is gone. */
int interpreting_name(struct interpreting *interpreting, uint32_t pid, uint64_t code, uint64_t instruction,
		      struct interpreter_frame *ret);

struct interpreting_statistics {
	uint64_t recognised, refused;                /* processes */
	uint64_t scans, scan_ns, rows;               /* of generated code; rows of the last scans */
	uint64_t names, names_gone;
	size_t processes;                            /* remembered now */
};
void interpreting_statistics(const struct interpreting *interpreting, struct interpreting_statistics *ret);
