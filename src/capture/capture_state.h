/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of a capture share: capture.c brings it up and runs it, capture_finish.c ends it. */
#include "capture/capture.h"
#include "capture/cost.h"
#include "capture/drain.h"
#include "capture/host.h"

struct decoder;
struct harvest;
struct kernel;
struct sampler;
struct work;
struct work_state;

/* Both ends of the window are set ahead of time: no program may have passed one before it can read it, even where this
 * process loses its CPU between asking the clock and setting it. */
enum { WINDOW_AHEAD_NS = 10000000 };

struct capture {
	struct capture_config config;
	struct profile *profile;
	struct kernel *kernel;
	struct decoder *decoder;
	struct harvest *harvest;
	struct drain *drain;
	struct sampler *sampler;
	struct cost cost;
	const struct work *work;
	struct work_state *work_state;
	struct host_time host_start;
	uint64_t start_ns, end_ns, slice_start_ns, next_tick_ns;
	struct capture_status status;
	struct drain_counts counts;             /* kept after the drain is gone */
	long cpus;
};

int capture_cut_slice(struct capture *capture, uint64_t end_ns, bool last, struct error *err);
void capture_sleep_until(uint64_t when_ns);             /* a signal ends it early */
void capture_wait_until(uint64_t when_ns);              /* nothing does */
/* Nothing of the kernel half stays: programs, maps, events. What was learnt does. */
void capture_detach(struct capture *capture);
