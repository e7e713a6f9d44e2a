/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes at a running process' allocator. What they tell is what the shim tells, decoded by heap.c; capture/heap_running.c puts
 * them in.
 */
#include "probe/probe.h"

extern const struct probe probe_heap_running;
const struct probe probe_heap_running = {
	.name = "heap-running", .summary = "what running processes allocate and keep; --with heap --pid chooses it",
	.fills = "alloc_space, alloc_objects, inuse_space, inuse_objects",
	.without = "allocations of processes that run are not seen",
	.paid = "each call of the named processes' allocator stops in the kernel: 1.2 us for an allocation and its end, far more under some hypervisors",
	.exposes = "the call stack at each sampled allocation",
	.programs = { { "heap_asked", NULL, 400 }, { "heap_given", NULL, 400 }, { "heap_freed", NULL, 400 } },
};
