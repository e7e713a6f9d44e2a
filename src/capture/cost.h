/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the capture itself costs: the run time of its BPF programs and its own CPU time. The kernel measures programs only
 * while their statistics are on, which costs some 20 ns a run; so they are on for one tenth of the time, at a random
 * tenth of each second, and scaled up. They are switched on by a descriptor, which ends with us, never by the sysctl.
 */
#include <stdbool.h>
#include <stdint.h>

struct kernel;

enum { COST_TICKS = 10 };

struct cost {
	int statistics_fd;              /* -1: off */
	unsigned tick, chosen_tick, seed;
	uint64_t on_since_ns, on_ns;    /* in this slice */
	uint64_t run_ns, runs;          /* at the start of the slice */
	uint64_t own_cpu_ns;
};

struct cost_reading { uint64_t bpf_ns, bpf_runs, own_cpu_ns; };

void cost_init(struct cost *cost, const struct kernel *kernel);
void cost_tick(struct cost *cost, uint64_t now_ns);                 /* ten times per slice */
/* What the slice cost, scaled to its whole length; begins the next one. */
void cost_slice(struct cost *cost, const struct kernel *kernel, uint64_t now_ns, uint64_t slice_ns, struct cost_reading *ret);
void cost_done(struct cost *cost);
