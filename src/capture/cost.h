/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the capture itself costs: the run time of its BPF programs and its own CPU time. The kernel measures programs only
 * while their statistics are on, which costs some 20 ns a run, and switching them patches the kernel's code, which costs
 * milliseconds. So they are on before the window opens and for its first ticks, then for a tick in every thirty slices;
 * in between the cost per event is taken as it was. They are switched on by a descriptor, which ends with us, never by
 * the sysctl.
 */
#include <stdbool.h>
#include <stdint.h>

struct kernel;

struct cost {
	int statistics_fd;              /* -1: off */
	unsigned ticks, slices;
	uint64_t on_run_ns, on_runs, on_events;         /* when the statistics went on */
	double ns_per_event, runs_per_event;            /* as last measured; 0: not yet */
	uint64_t events, own_cpu_ns;    /* at the start of the slice */
};

struct cost_reading { uint64_t bpf_ns, bpf_runs, own_cpu_ns; };

/* events: how many the kernel half has seen so far, over all sources that cost. */
void cost_begin(struct cost *cost, const struct kernel *kernel, uint64_t events);       /* before the window opens */
void cost_tick(struct cost *cost, const struct kernel *kernel, uint64_t events);        /* ten times per slice */
void cost_slice(struct cost *cost, const struct kernel *kernel, uint64_t events, struct cost_reading *ret);
void cost_done(struct cost *cost);
