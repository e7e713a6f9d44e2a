/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Keeps the walk in the kernel supplied: which process has mapped what, and the call-frame rows of each file, read once
 * however many processes share it. Fed with what the drain learns, in the order in which it happened; published at the end of
 * each of its ticks.
 *
 *	unwinding_exec(unwinding, pid); unwinding_map(unwinding, pid, &mapping); … unwinding_publish(unwinding);
 *
 * A process whose mappings the kernel does not have yet gets its stacks copied; unwinding_walk() walks those.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/unwind_catalogue.h"
#include "unwind/row.h"
#include "wire/wire.h"

struct crosscut_bpf;
struct error;
struct harvest;
struct unwinding;

int unwinding_open(struct unwinding **ret, struct crosscut_bpf *bpf, struct harvest *harvest, struct error *err);
void unwinding_free(struct unwinding *unwinding);
DEFINE_CLEANUP(unwinding)

void unwinding_map(struct unwinding *unwinding, uint32_t pid, const struct wire_mapping *mapping, const char *path,
		   const char *build_id);
void unwinding_fork(struct unwinding *unwinding, uint32_t pid, uint32_t parent);
void unwinding_exec(struct unwinding *unwinding, uint32_t pid);
void unwinding_exit(struct unwinding *unwinding, uint32_t pid);
/* Rows that a runtime tells of its generated code in [start, end); pc counts from start. Replaces what was said of that
 * range; count 0 takes it back. */
void unwinding_generated(struct unwinding *unwinding, uint32_t pid, uint64_t start, uint64_t end, const struct unwind_row *rows,
			 size_t count);
/* Gives the kernel what changed. */
void unwinding_publish(struct unwinding *unwinding);
/* Calls for each process that ran where no mapping was known, not more than once a second for each. */
void unwinding_missing(struct unwinding *unwinding, void (*call)(void *context, uint32_t pid), void *context);

struct unwinding_stack {
	struct wire_stack stack;
	uint64_t addresses[WIRE_STACK_DEPTH_LIMIT];
};
/* Walks a copied stack into a record of the same id. */
void unwinding_walk(struct unwinding *unwinding, const struct wire_stack_copy *copy, uint32_t depth, struct unwinding_stack *ret);

struct unwinding_statistics {
	struct unwind_catalogue_statistics catalogue;
	uint64_t rows, bytes;                           /* now; bytes of kernel memory */
	uint64_t processes, copies_walked;
};
void unwinding_statistics(const struct unwinding *unwinding, struct unwinding_statistics *ret);
