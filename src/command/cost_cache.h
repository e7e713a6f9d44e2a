/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a capture costs on this machine, as `crosscut calibrate` measured it, kept for `record --dry-run`: one file per
 * kernel release, of mode 0600, in XDG_CACHE_HOME/crosscut, or /var/cache/crosscut for root, or ~/.cache/crosscut.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

enum { COST_PROGRAM_LIMIT = 64 };

struct program_cost {
	char name[32];                  /* of a program of the kernel half: "sched_switched" */
	double ns;                      /* of one run */
	double runs;                    /* that were measured */
};

struct rate_cost {                      /* CPU time of one operation; 0 pairs: not measured */
	double without_ns, with_ns;     /* medians */
	double added_ns, low_ns, high_ns;       /* median of the pairs' differences, and its 95 % interval */
	double pairs;
};

struct capture_cost {
	struct program_cost programs[COST_PROGRAM_LIMIT];
	size_t program_count;
	struct rate_cost ping_pong, getppid;
	double measured_wall_s;         /* when, since 1970; 0: nothing is here */
};

/* False where nothing was measured under this kernel, or the file is not ours. */
bool cost_cache_read(struct capture_cost *ret);
int cost_cache_write(const struct capture_cost *cost, struct error *err);
/* What a switch or a wake-up costs beside the run time of the programs on it: of a round trip of two of each, what it added as
 * seen from outside (the low end of its interval) less what the programs took. 0 where it was not measured. */
double cost_outside_ns(const struct capture_cost *cost);
/* NULL where it was not measured. */
const struct program_cost *cost_of_program(const struct capture_cost *cost, const char *program);
