/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel locks: evidence that a wait was for a mutex or semaphore inside the kernel. */
#include "probe/probe.h"

extern const struct probe probe_contention;
const struct probe probe_contention = {
	.name = "contention", .by_default = true, .summary = "kernel mutexes and semaphores that are fought for",
	.fills = "lock/kernel", .without = "kernel locks are told by the kernel stack alone",
	.programs = { { "contention_begun", "contention_begin", 53 }, { "contention_ended", "contention_end", 40 } },
};
