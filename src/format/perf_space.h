/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What lies where in a process of a perf.data file. Stretches are sorted and never overlap; a new one cuts what it covers,
 * as mmap() does. A child starts with its parent's space, so spaces are shared until one side changes.
 *
 * Not profile_mapping_of(): that one keeps every process' own copy, and a fork storm would copy thousands of mappings.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct perf_map {
	uint64_t start, end;
	uint64_t offset;                 /* of start in the file */
	struct file_id file;
	struct string_id name;           /* of code that the kernel loaded: a BPF program */
};

struct perf_space {
	struct perf_map *maps;
	size_t count, room;
	uint32_t owners;
	uint32_t version;                /* of all spaces: no two contents share one */
};

enum { PERF_SPACE_LIMIT = 256 << 10 };

struct perf_space *perf_space_share(struct perf_space *space);       /* NULL stays NULL */
void perf_space_release(struct perf_space *space);
/* *space may be NULL, or shared: then it is replaced. False beyond the limit. */
bool perf_space_put(struct perf_space **space, struct perf_map map);
const struct perf_map *perf_space_find(const struct perf_space *space, uint64_t address);
