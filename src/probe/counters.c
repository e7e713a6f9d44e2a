/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the processor and of the kernel, sampled: every so many events of a CPU one stack. A sample stands for the
 * period; where counters shared a register, for as much more as the counter was off. Periods are primes, so that code with a
 * period of its own does not meet them again and again.
 */
#include "probe/counters.h"

#include "base/cleanup.h"
#include "probe/probe.h"

#include <linux/perf_event.h>

#define SOFTWARE(name, part, config, period) { name, part, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, period }
#define HARDWARE(name, config, period) { name, NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, period }

const struct counter_event counter_events[] = {
	SOFTWARE("page-faults", "minor", PAGE_FAULTS_MIN, 61),
	SOFTWARE("page-faults", "major", PAGE_FAULTS_MAJ, 1),
	HARDWARE("cycles", CPU_CYCLES, 10000019),
	HARDWARE("instructions", INSTRUCTIONS, 10000019),
	HARDWARE("cache-references", CACHE_REFERENCES, 100003),
	HARDWARE("cache-misses", CACHE_MISSES, 10007),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, 5000011),
	HARDWARE("branch-misses", BRANCH_MISSES, 50021),
	HARDWARE("stalls-frontend", STALLED_CYCLES_FRONTEND, 10000019),
	HARDWARE("stalls-backend", STALLED_CYCLES_BACKEND, 10000019),
};
const size_t counter_event_count = ARRAY_LENGTH(counter_events);

bool counter_is_hardware(const struct counter_event *event)
{
	return event->type != PERF_TYPE_SOFTWARE;
}

static void add(struct decoder *decoder, const struct wire_counter_sum *wire, const struct counter_event *event, enum measure_role role)
{
	struct profile *profile = decoder_profile(decoder);
	bool kernel = wire->key.event & WIRE_COUNTER_KERNEL;
	const char *part = event->part ? event->part : kernel ? "kernel" : "user";
	double scale = wire->running_ns && wire->running_ns < wire->enabled_ns ? (double)wire->enabled_ns / (double)wire->running_ns : 1;
	double weight = (double)wire->value.events * scale, period = (double)wire->period * scale;

	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = decoder_thread(decoder, wire->key.thread),
		.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, dimension_row_find(event->name, part)), .role = role,
			.weighting = wire->period > 1 || scale > 1 ? WEIGHTING_SAMPLED : WEIGHTING_EXACT,
			.source = profile_string(profile, counter_is_hardware(event) ? "perf-hardware" : "perf-software"),
			.period = wire->period > 1 ? wire->period : 0 }),
		.stack = role == ROLE_SPLIT ? decoder_stack(decoder, wire->key.user_stack, wire->key.kernel_stack) : (struct stack_id){ 0 },
		.count = wire->value.count, .value = weight < 1e18 ? (uint64_t)weight : (uint64_t)1e18,
		.variance = period > 1 ? (double)wire->value.count * period * (period - 1) : 0 });
}

static void decode_counter(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_counter_sum *wire = (const void *)record;
	uint32_t index = wire->key.event & ~WIRE_COUNTER_KERNEL;

	if (index >= counter_event_count)
		return;
	add(decoder, wire, &counter_events[index], ROLE_TOTAL);
	add(decoder, wire, &counter_events[index], ROLE_SPLIT);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_COUNTER, sizeof(struct wire_counter_sum), decode_counter },
	{ 0 },
};

extern const struct probe probe_counters;
const struct probe probe_counters = {
	.name = "counters", .summary = "counters of the processor by stack: cycles, instructions, misses",
	.fills = "cycles, instructions, cache-misses, branch-misses", .without = "the processor's counters are not read",
	.exposes = "addresses of functions on the stacks of running threads",
	.programs = { { "counter_passed", NULL, 4000 } },
	.decoders = decoders,
};

extern const struct probe probe_faults;
const struct probe probe_faults = {
	.name = "faults", .summary = "page faults by kind and stack: each major one, one minor in 61",
	.fills = "page-faults", .without = "page faults are seen only where a thread waits for the page",
	.exposes = "addresses of functions on the stacks of threads that touch a page",
	.programs = { { "fault_passed", NULL, 4000 } },
};
