/* SPDX-License-Identifier: Apache-2.0 */
/* Own cost, measured in every capture. */
#include "capture/cost.h"

#include "capture/kernel.h"

#include <bpf/bpf.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_TICKS = 3, SLICES_BETWEEN = 30 };
/* Of an event, beside what the programs' own clock sees, where nobody has calibrated it: a trampoline, an entry and what leaves the
 * caches. Rather too much: whoever guards a target errs to its good. */
#define OUTSIDE_ASSUMED_NS 150.0

uint64_t cost_own_cpu_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Switching takes milliseconds, in which programs run unmeasured: events are counted from when it is done. */
static void mark(struct cost *cost, const struct kernel *kernel, uint64_t events)
{
	struct kernel_cost now;

	kernel_cost(kernel, &now);
	cost->on_run_ns = now.run_ns;
	cost->on_runs = now.runs;
	cost->on_events = events;
}

/* Too few events say nothing, nor does a moment in which the statistics were not yet on everywhere (each event runs a program or
 * two): they then stay on. */
static bool measure(struct cost *cost, const struct kernel *kernel, uint64_t events)
{
	struct kernel_cost now;
	uint64_t seen = events - cost->on_events;

	if (cost->statistics_fd < 0 || seen < 100)
		return false;
	kernel_cost(kernel, &now);
	if (now.runs - cost->on_runs < seen / 2)
		return false;
	cost->ns_per_event = (double)(now.run_ns - cost->on_run_ns) / (double)seen;
	cost->runs_per_event = (double)(now.runs - cost->on_runs) / (double)seen;
	return true;
}

bool cost_switch_on(struct cost *cost)
{
	if (cost->statistics_fd < 0)
		cost->statistics_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	cost->due = false;
	return cost->statistics_fd >= 0;
}

void cost_begin(struct cost *cost, const struct kernel *kernel, uint64_t events)
{
	*cost = (struct cost){ .statistics_fd = cost->statistics_fd, .events = events, .own_cpu_ns = cost_own_cpu_ns(),
			       .outside_ns = cost->outside_ns };
	mark(cost, kernel, events);
}

void cost_tick(struct cost *cost, const struct kernel *kernel, uint64_t events)
{
	if (cost->statistics_fd >= 0 && ++cost->ticks >= FIRST_TICKS && measure(cost, kernel, events))
		cost_done(cost);
}

void cost_slice(struct cost *cost, const struct kernel *kernel, uint64_t events, struct cost_reading *ret)
{
	uint64_t seen = events - cost->events, cpu_ns = cost_own_cpu_ns();

	(void)measure(cost, kernel, events);            /* a capture shorter than its first ticks */
	*ret = (struct cost_reading){
		.bpf_ns = (uint64_t)((double)seen * cost->ns_per_event),
		.bpf_runs = (uint64_t)((double)seen * cost->runs_per_event),
		.outside_ns = (uint64_t)((double)seen * cost->outside_ns),
		.own_cpu_ns = cpu_ns - cost->own_cpu_ns,
	};
	cost->events = events;
	cost->own_cpu_ns = cpu_ns;
	cost->due |= ++cost->slices % SLICES_BETWEEN == 0;
}

void cost_look(struct cost *cost, const struct kernel *kernel, uint64_t events)
{
	cost->ticks = FIRST_TICKS - 1;                  /* one tick is enough from now on */
	mark(cost, kernel, events);
}

double cost_of_events_ns(const struct cost *cost, uint64_t events)
{
	double outside_ns = cost->outside_ns > 0 ? cost->outside_ns : OUTSIDE_ASSUMED_NS;

	return cost->ns_per_event > 0 ? (double)events * (cost->ns_per_event + outside_ns) : 0;
}

void cost_done(struct cost *cost)
{
	if (cost->statistics_fd >= 0)
		(void)close(cost->statistics_fd);
	cost->statistics_fd = -1;
}
