/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The four passes from a runbook, into a packet: what `investigate` and `demo` have in common. */
#include <stdbool.h>
#include <stdint.h>

struct document;
struct error;
struct packet;
struct runbook;

struct investigation {
	const struct runbook *runbook;
	const char *directory;               /* the packet's; it must hold none yet */
	const char *programs;                /* {programs} in the runbook's commands */
	const char *workers, *rate, *scratch;        /* {workers}, {rate}, {scratch}; NULL: as arm_block.h says */
	uint64_t pairs, block_ns;            /* 0: as the runbook says */
	bool progress;
};

/* FAILURE_USAGE where the runbook lacks what it takes. *ret is sealed; stopped early it says why. The answer is its judgement. */
int investigation_run(const struct investigation *investigation, struct packet **ret, struct document *into, struct error *err);
/* One arm over numbers of workers: how each wait per completion scales, and how unevenly its threads bear it. */
int investigation_scale(const struct investigation *investigation, const char *arm, const char *counts, struct document *into,
			struct error *err);
/* The folder of our own program, or of what was installed beside it. The caller frees it. */
int investigation_programs(char **ret, struct error *err);
