/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The user half's walk over unwind_step(): from registers to a stack, for threads whose memory is at hand, copied or
 * read from another process. The kernel half walks by the same rules.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rows.h"
#include "unwind/step.h"

/* Executable memory of a process. Where a file has several tables, each part of its code is a mapping of its own. */
struct unwind_mapping {
	uint64_t start, end;
	uint64_t bias;                          /* address in the process - address in the file */
	const struct unwind_table *table;       /* NULL: anonymous, or a file without call-frame information */
	bool generated;                         /* code that a runtime made, and rows made from what it tells */
};

struct unwind_process {
	const struct unwind_mapping *mappings;  /* sorted by start, not overlapping */
	size_t count;
	struct unwind_memory memory;
	/* Where tables are fetched as the walk comes to them; NULL: mapping->table is the one. */
	const struct unwind_table *(*table)(void *context, const struct unwind_mapping *mapping);
	void *context;
};

struct unwind_frame {
	uint64_t address;
	enum unwind_method method;
};

/* The mapping that holds an address; NULL where none does. */
const struct unwind_mapping *unwind_mapping_at(const struct unwind_process *process, uint64_t address);

/* Writes at most `most` frames, the interrupted one first, and how many. Each but the last was found by what its callee's
 * row says; a frame that frame pointers or a guess led to and that lies in no executable memory is not among them. */
enum unwind_status unwind_walk(const struct unwind_process *process, struct unwind_state state, size_t most,
			       struct unwind_frame *ret_frames, size_t *ret_count);

const char *unwind_status_name(enum unwind_status status);     /* "complete", "no-row" */
const char *unwind_method_name(enum unwind_method method);     /* "cfi", "frame-pointer" */
