/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the capture itself costs: the run time of its BPF programs and its own CPU time. The kernel measures programs only
 * while their statistics are on, which costs some 20 ns a run, and switching them patches the kernel's code, which costs
 * milliseconds. So they are on before the window opens and for its first ticks, then for a tick in every thirty slices;
 * in between, unless the guard wants to look, the cost per event is taken as it was. They are switched on by a descriptor, which ends with us, never by
 * the sysctl.
 */
#include <stdbool.h>
#include <stdint.h>

struct kernel;

struct cost {
	int statistics_fd;              /* -1: off */
	unsigned ticks, slices;
	bool due;                       /* it is time to look again */
	uint64_t on_run_ns, on_runs, on_events;         /* when the statistics went on */
	double ns_per_event, runs_per_event;            /* as last measured; 0: not yet */
	uint64_t events, own_cpu_ns;    /* at the start of the slice */
	double outside_ns;              /* per event, beside what the programs' own clock sees, as calibrated; 0: not known */
};

struct cost_reading { uint64_t bpf_ns, bpf_runs, outside_ns, own_cpu_ns; };

/* The kernel's statistics; false where they cannot be had. Then cost_begin() or cost_look(), with the events counted since. */
bool cost_switch_on(struct cost *cost);
/* events: how many the kernel half has seen so far, over all sources that cost. */
void cost_begin(struct cost *cost, const struct kernel *kernel, uint64_t events);       /* before the window opens */
void cost_tick(struct cost *cost, const struct kernel *kernel, uint64_t events);        /* ten times per slice */
void cost_slice(struct cost *cost, const struct kernel *kernel, uint64_t events, struct cost_reading *ret);
/* Measures anew, until the next tick. */
void cost_look(struct cost *cost, const struct kernel *kernel, uint64_t events);
/* What so many events cost on the CPU where they happen, for the guard: where nothing was calibrated, an upper figure for what
 * lies outside the programs. 0 before anything was measured. */
double cost_of_events_ns(const struct cost *cost, uint64_t events);
uint64_t cost_own_cpu_ns(void);                 /* of this process, so far */
void cost_done(struct cost *cost);
