/* SPDX-License-Identifier: Apache-2.0 */
/* A capture's probes at the allocators of running processes: put in before the window opens, charged, taken out by the guard. */
#include "capture/capture_state.h"

#include "base/memory.h"
#include "capture/heap_running.h"
#include "capture/kernel.h"
#include "capture/maps.h"
#include "profile/profile.h"
#include "wire/wire.h"

#include "crosscut.skel.h"

int capture_heap_open(struct capture *capture, struct error *err)
{
	const struct population *population = &capture->config.population;
	int r;

	if (!capture_asks_for(capture, "heap-running"))
		return 0;
	r = heap_running_open(&capture->heap_running, kernel_bpf(capture->kernel), population->ids, population->id_count, err);
	if (r < 0)
		return r;
	capture->heap_cost = capture->heap_cost_judged = capture_heap_cost(capture);    /* of calls before the window */
	profile_set_meta_number(capture->profile, "heap.since_attach", 1);
	profile_set_meta_number(capture->profile, "heap.asked_stop_ns", (uint64_t)heap_running_cost(capture->heap_running).asked_ns);
	profile_set_meta_number(capture->profile, "heap.freed_stop_ns", (uint64_t)heap_running_cost(capture->heap_running).freed_ns);
	if (*heap_running_missing(capture->heap_running))
		profile_set_meta(capture->profile, "probe.missing.heap-running", heap_running_missing(capture->heap_running));
	return 0;
}

/* The stops in the kernel alone: the programs that run there are measured with all others. */
struct heap_cost capture_heap_cost(struct capture *capture)
{
	struct heap_running_cost each;
	uint64_t asked, freed;

	if (!capture->heap_running)
		return (struct heap_cost){ 0 };
	each = heap_running_cost(capture->heap_running);
	asked = maps_sum(kernel_bpf(capture->kernel)->maps.counters, COUNT_HEAP_ASKED);
	freed = maps_sum(kernel_bpf(capture->kernel)->maps.counters, COUNT_HEAP_FREED);
	return (struct heap_cost){ .ns = (uint64_t)((double)asked * each.asked_ns + (double)freed * each.freed_ns), .events = asked + freed };
}

void capture_heap_close(struct capture *capture)
{
	heap_running_free(take(capture->heap_running));
}
