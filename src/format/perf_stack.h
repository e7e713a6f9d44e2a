/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From a sample's addresses to a stack of the profile. The chain holds marks between its parts (kernel, user, guest …),
 * leaf first; each address becomes an offset in the file that lay there then. Most chains come again, so a stack is
 * remembered by its chain and by the mappings it was read under.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct map;
struct perf_process;
struct perf_sample;
struct perf_space;
struct perf_tasks;
struct profile;

struct perf_stacks {
	struct profile *profile;
	struct perf_space *kernel;       /* names of code that was loaded into the kernel */
	struct file_id kernel_file, unmapped;
	struct map *known;               /* hash of a chain → stack */
	bool swapped;
	uint64_t entries;                /* of chains, as the file counts them */
	uint64_t unmapped_frames, cut, guest, deferred;
};

void perf_stacks_init(struct perf_stacks *stacks, struct profile *profile, bool swapped);
void perf_stacks_done(struct perf_stacks *stacks);
/* Both parts; *ret_kernel_only: it was taken in the kernel, and no user part came with it. */
struct stack_id perf_stacks_of(struct perf_stacks *stacks, struct perf_process *process, const struct perf_sample *sample);

/* A user stack that was walked afterwards: addresses, leaf first, put under the kernel part of the sample's chain. */
struct perf_walk {
	const uint64_t *addresses;
	const uint8_t *methods;          /* enum frame_method */
	size_t count;
	uint8_t status;                  /* enum stack_status */
};
struct stack_id perf_stacks_walked(struct perf_stacks *stacks, struct perf_process *process, const struct perf_sample *sample,
				   const struct perf_walk *walk);
