/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of a capture share: capture.c brings it up and runs it, capture_finish.c ends it. */
#include "capture/capture.h"
#include "capture/cost.h"
#include "capture/drain.h"
#include "capture/guard.h"
#include "capture/host.h"

struct counters;
struct decoder;
struct harvest;
struct heap_running;
struct kernel;
struct sampler;
struct work;
struct work_state;

/* Both ends of the window are set ahead of time: no program may have passed one before it can read it, even where this
 * process loses its CPU between asking the clock and setting it. */
enum { WINDOW_AHEAD_NS = 10000000 };

struct heap_cost { uint64_t ns, events; };

struct capture {
	struct capture_config config;
	struct profile *profile;
	struct kernel *kernel;
	struct decoder *decoder;
	struct harvest *harvest;
	struct drain *drain;
	struct sampler *sampler;
	struct counters *counters;              /* NULL: none were asked for */
	struct heap_running *heap_running;      /* NULL: not asked for, or given up */
	struct heap_cost heap_cost, heap_cost_judged;   /* as of the last slice, and of the last judgement */
	struct cost cost;
	struct guard guard;
	uint64_t *cpu_events, judged_ns, judged_own_cpu_ns, judged_events;     /* as of the last judgement */
	double own_share;                       /* this process' CPU time, smoothed: what is done once is spread */
	unsigned ticks;
	const struct work *work;
	struct work_state *work_state;
	struct host_time host_start;
	uint64_t start_ns, end_ns, slice_start_ns, next_tick_ns;
	struct capture_status status;
	struct drain_counts counts;             /* kept after the drain is gone */
	long cpus;
};

bool capture_asks_for(const struct capture *capture, const char *probe);     /* by --with */
uint64_t capture_events(struct capture *capture);       /* what costs: every switch and wake-up of the host, and every sample */
/* The guard's hands (capture_guard.c): before the window, and ten times a second in it. */
void capture_guard_begin(struct capture *capture);
void capture_guard_tick(struct capture *capture, uint64_t now_ns);
/* capture_heap.c: the probes of --with heap at processes that run, and what stopping there cost since the start. */
int capture_heap_open(struct capture *capture, struct error *err);
struct heap_cost capture_heap_cost(struct capture *capture);
void capture_heap_close(struct capture *capture);
int capture_cut_slice(struct capture *capture, uint64_t end_ns, bool last, struct error *err);
void capture_sleep_until(uint64_t when_ns);             /* a signal ends it early */
void capture_wait_until(uint64_t when_ns);              /* nothing does */
/* Nothing of the kernel half stays: programs, maps, events. What was learnt does. */
void capture_detach(struct capture *capture);
