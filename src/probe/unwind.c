/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of user code by call-frame rows: taken by the sampler and at switch-out; these programs only keep the walk's
 * knowledge of processes from being older than the process. Its records are decoded as stacks (src/probe/decoder.c).
 */
#include "probe/probe.h"

extern const struct probe probe_unwind;
const struct probe probe_unwind = {
	.name = "unwind", .summary = "by which call-frame rows a process is walked, from its birth",
	.fills = "every state", .without = "stacks of children and of new images would be walked by another program's tables",
	.exposes = "words of the stack of running and blocked threads: return addresses; a process that is not known yet has up "
		   "to 16 KiB of its stack copied, which is walked and forgotten",
	.required = true,
	.programs = { { "unwind_forked", "sched_process_fork", 1600 }, { "unwind_execed", "sched_process_exec", 2100 } },
};
