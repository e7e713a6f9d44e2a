/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Reads and empties BPF maps, in batches. */
#include <stdint.h>

struct bpf_map;

/* Calls entry for each element of a hash and removes it. Nobody may write to it meanwhile. */
int maps_empty(struct bpf_map *map, void (*entry)(void *context, const void *key, const void *value), void *context);
/* Sums an element of a per-CPU array of so many u64 over all CPUs, and zeroes it. */
void maps_take_sum(struct bpf_map *map, uint32_t index, uint64_t *sums, unsigned count);
/* Sums a u64 element of a per-CPU array and leaves it. */
uint64_t maps_sum(struct bpf_map *map, uint32_t index);
/* Adds it to sums[cpu] of each CPU; there are libbpf_num_possible_cpus() of them. */
void maps_add_per_cpu(struct bpf_map *map, uint32_t index, uint64_t *sums);
