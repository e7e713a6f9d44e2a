/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Address spaces while a capture is decoded: which file an address of a process lies in, through execs and forks. A
 * child uses its parent's mappings until it gets its own, so a storm of forks costs one small row each.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct spaces;

struct space_mapping {
	uint64_t start, end, offset;
	struct file_id file;
	bool recorded;                  /* it is in the profile's mapping table */
};

struct spaces *spaces_new(void);
void spaces_free(struct spaces *spaces);
DEFINE_CLEANUP(spaces)
void spaces_fork(struct spaces *spaces, uint32_t pid, uint32_t parent);
void spaces_exec(struct spaces *spaces, uint32_t pid);                  /* drops its mappings, a new generation */
/* A child's own copy of all its parent has, instead of looking there. */
void spaces_copy(struct spaces *spaces, uint32_t pid, uint32_t parent);
void spaces_drop(struct spaces *spaces, uint32_t pid);                  /* it ended: its memory is freed */
void spaces_forget(struct spaces *spaces, uint32_t pid);                /* the same, and it is not known any more */
/* It is forgotten for good, save that whoever gets its number is the next generation: also where nothing was known of it, as of a
 * thread of the kernel's that was there before. */
void spaces_retire(struct spaces *spaces, uint32_t pid);
void spaces_end(struct spaces *spaces, uint32_t pid);                   /* the same; children that looked there get copies */
/* Its own mappings, sorted, not its parent's. Valid until the next change. */
const struct space_mapping *spaces_list(const struct spaces *spaces, uint32_t pid, size_t *ret_count);
void spaces_add(struct spaces *spaces, uint32_t pid, struct space_mapping mapping);     /* newer mappings hide older ones */
struct space_mapping *spaces_find(struct spaces *spaces, uint32_t pid, uint64_t address); /* NULL where nothing is mapped */
uint32_t spaces_generation(const struct spaces *spaces, uint32_t pid);  /* of one that is not known: which it will have */
bool spaces_knows(const struct spaces *spaces, uint32_t pid);
