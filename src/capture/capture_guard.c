/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard's hands: what the capture costs on the CPU that pays most, from the events counted there times what one costs, and
 * what is done about it. Each step is a fact of the capture, with its time: whoever reads the evidence sees what it lacks, and since
 * when. Nothing here ever makes the target wait.
 */
#include "capture/capture_state.h"

#include "base/memory.h"
#include "base/text.h"
#include "capture/kernel.h"
#include "capture/maps.h"
#include "capture/sampler.h"
#include "profile/profile.h"
#include "wire/wire.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>

#include "crosscut.skel.h"

enum { NO_USER_STACKS = 32, NO_STACKS = 64 };
#define SMOOTHED_NS 5e9                      /* start-up, and files read once, are spread over so long */
#define RATE_LEAST_HZ 19.0

static const int costly[] = { COUNT_SWITCHES, COUNT_WAKES, COUNT_SAMPLES };

uint64_t capture_events(struct capture *capture)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(costly); i++)
		sum += maps_sum(kernel_bpf(capture->kernel)->maps.counters, (uint32_t)costly[i]);
	return sum;
}

/* Of the CPU with most of them since the last judgement; a target on one CPU of many pays there, not on average. */
static uint64_t most_events(struct capture *capture)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	uint64_t *now = xcalloc(cpus, sizeof(*now)), most = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(costly); i++)
		maps_add_per_cpu(kernel_bpf(capture->kernel)->maps.counters, (uint32_t)costly[i], now);
	for (size_t cpu = 0; cpu < cpus; cpu++)
		if (capture->cpu_events && now[cpu] - capture->cpu_events[cpu] > most)
			most = now[cpu] - capture->cpu_events[cpu];
	free(capture->cpu_events);
	capture->cpu_events = now;
	return most;
}

static double own_share(struct capture *capture, double length_ns)
{
	uint64_t own_ns = cost_own_cpu_ns();
	double share = (double)(own_ns - capture->judged_own_cpu_ns) / length_ns / (double)capture->cpus;
	double part = length_ns / SMOOTHED_NS;

	capture->judged_own_cpu_ns = own_ns;
	capture->own_share += (share - capture->own_share) * (part < 1 ? part : 1);
	return capture->own_share;
}

static void note_fraction(struct capture *capture, const char *key, double value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.6f", value);
	profile_set_meta(capture->profile, key, text);
}

static void note_step(struct capture *capture, uint64_t now_ns, const char *action, const char *reason)
{
	profile_add_guard_step(capture->profile, (struct guard_step){
		.at_ns = now_ns, .action = profile_string(capture->profile, action), .reason = profile_string(capture->profile, reason) });
}

/* --- Steps ------------------------------------------------------------------------------------------------------ */

static double rate_of(const struct capture *capture)
{
	const struct guard *guard = &capture->guard;

	return guard->stages.count ? guard->stages.rates_hz[guard->stage] : capture->config.sample_rate_hz;
}

static void set_rate(struct capture *capture, double rate_hz)
{
	if (!capture->sampler)
		return;
	sampler_set_rate(capture->sampler, rate_hz);
	if (rate_hz > 0)
		profile_set_meta_number(capture->profile, "sampler.period_ns", (uint64_t)(1e9 / rate_hz));
}

static void make_rarer(struct capture *capture, char *action, size_t size)
{
	double rate = rate_of(capture), rarer = rate / (double)(1u << capture->guard.halvings);

	kernel_bpf(capture->kernel)->bss->stack_shift = capture->guard.halvings;
	if (rarer < RATE_LEAST_HZ)
		rarer = rate < RATE_LEAST_HZ ? rate : RATE_LEAST_HZ;
	set_rate(capture, rarer);
	(void)snprintf(action, size, "stacks of waits %u times rarer", 1u << capture->guard.halvings);
	if (capture->sampler)
		(void)snprintf(action, size, "stacks of waits %u times rarer, on-CPU samples at %.3g Hz", 1u << capture->guard.halvings, rarer);
}

static void stop_stacks(struct capture *capture, char *action, size_t size)
{
	kernel_bpf(capture->kernel)->bss->stack_shift = NO_USER_STACKS;
	set_rate(capture, 0);
	(void)snprintf(action, size, "no stacks of waits, no on-CPU samples");
}

static void keep_ledger(struct capture *capture, char *action, size_t size)
{
	struct text names = TEXT(1024);

	kernel_bpf(capture->kernel)->bss->stack_shift = NO_STACKS;
	if (kernel_bpf(capture->kernel)->rodata->requests) {
		kernel_bpf(capture->kernel)->data->request_one_in = 0;
		capture->status.requests_given_up = true;
	}
	kernel_narrow(capture->kernel, &names);
	if (capture->heap_running)
		text_print(&names, "%sthe allocator's probes: what is freed from now on counts as kept", names.size ? ", " : "");
	capture_heap_close(capture);
	(void)snprintf(action, size, "the ledger alone: no kernel stacks, no request taken apart%s%s", names.size ? "; detached " : "",
		       names.size ? text_string(&names) : "");
	text_done(&names);
}

static void act(struct capture *capture, enum guard_action step, double cost, uint64_t now_ns)
{
	char action[1280] = "", reason[160];
	double limit = step == GUARD_DETACH ? capture->guard.abort : capture->guard.budget;

	switch (step) {
	case GUARD_NOTHING: return;
	case GUARD_RARER: make_rarer(capture, action, sizeof(action)); break;
	case GUARD_STACKS_OFF: stop_stacks(capture, action, sizeof(action)); break;
	case GUARD_LEDGER_ONLY: keep_ledger(capture, action, sizeof(action)); break;
	case GUARD_DETACH:
		capture->status.given_up = true;
		(void)snprintf(action, sizeof(action), "everything detached: the capture ends here");
		break;
	}
	(void)snprintf(reason, sizeof(reason), "it cost %.2f %% of the CPU that pays most, and %.2f %% is the %s", cost * 100, limit * 100,
		       step == GUARD_DETACH ? "most at which it goes on" : "budget");
	note_step(capture, now_ns, action, reason);
}

static void raise_rate(struct capture *capture, uint64_t now_ns)
{
	struct guard *guard = &capture->guard;
	char action[96];
	double rate_hz;

	if (!capture->sampler || !guard_stage(guard, now_ns, &rate_hz))
		return;
	set_rate(capture, rate_hz);
	(void)snprintf(action, sizeof(action), "stage %u of %u: on-CPU samples at %.3g Hz", guard->stage + 1, guard->stages.count, rate_hz);
	note_step(capture, now_ns, action, "the stage before cost less than half the budget");
}

/* --- Judging ---------------------------------------------------------------------------------------------------- */

void capture_guard_begin(struct capture *capture)
{
	const struct capture_config *config = &capture->config;

	capture->guard = (struct guard){ .budget = config->cost_budget, .abort = config->cost_abort, .stages = config->stages,
					 .stage_since_ns = capture->start_ns };
	(void)most_events(capture);
	capture->judged_ns = capture->start_ns;
	capture->judged_own_cpu_ns = cost_own_cpu_ns();
	if (config->cost_budget <= 0)
		return;
	profile_set_meta_number(capture->profile, "guard.window_ns", GUARD_WINDOW_NS);
	note_fraction(capture, "guard.budget", config->cost_budget);
	if (config->cost_abort > 0)
		note_fraction(capture, "guard.abort", config->cost_abort);
}

/* The cost of an event is looked at again where it matters: near the budget, and when there are many more of them than before. */
static bool is_alert(struct capture *capture, double cost, uint64_t events)
{
	bool more = events > 2 * capture->judged_events;

	capture->judged_events = events;
	return cost > capture->guard.budget / 2 || (more && cost > capture->guard.budget / 16);
}

/* The stops at allocators, as if one CPU paid them all: one thread may make them. */
static double heap_share(struct capture *capture, double length_ns)
{
	struct heap_cost now = capture_heap_cost(capture);
	uint64_t before = capture->heap_cost_judged.ns;

	capture->heap_cost_judged = now;
	return now.ns > before ? (double)(now.ns - before) / length_ns : 0;
}

void capture_guard_tick(struct capture *capture, uint64_t now_ns)
{
	double length_ns = (double)(now_ns - capture->judged_ns), kernel_cost, cost;
	uint64_t events;

	if (capture->status.given_up || ++capture->ticks % GUARD_TICKS || length_ns <= 0)
		return;
	events = most_events(capture);
	kernel_cost = cost_of_events_ns(&capture->cost, events) / length_ns + heap_share(capture, length_ns);
	cost = kernel_cost + own_share(capture, length_ns);
	capture->judged_ns = now_ns;
	capture->status.own_cost = cost;
	act(capture, guard_judge(&capture->guard, kernel_cost, capture->own_share), cost, now_ns);
	note_fraction(capture, "guard.highest", capture->guard.highest);
	raise_rate(capture, now_ns);
	if (capture->guard.budget > 0 && is_alert(capture, cost, events))
		capture->cost.due = true;
}
