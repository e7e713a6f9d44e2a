/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in short bursts at a fixed rate, on the beat of the clock. A sampler whose period is the
 * burst's, or close to it, meets the same phase again and again, and sees the thread always or
 * never; the exact ledger sees 2 ms of each.
 */
#include "truth/stage.h"

#include <errno.h>

enum { WORK_NS = 2000000 };

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = { (time_t)(at_ns / 1000000000u), (long)(at_ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static void burst(struct actor *actor)
{
	uint64_t period_ns = *(const uint64_t *)actor->prop;
	uint64_t next_ns = clock_now_ns() / period_ns * period_ns;

	while (stage_more(actor->context)) {
		next_ns += period_ns;
		stage_wait_begin(actor->self);
		sleep_until(next_ns);
		stage_wait_end(actor->self);
		stage_spin_ns(WORK_NS);
	}
}

static int stage_rate(struct truth_context *context, uint64_t rate, struct error *err)
{
	uint64_t period_ns = 1000000000u / rate;

	return stage_threads(context, 1, burst, NULL, &period_ns, err);
}

static int stage_99(struct truth_context *context, struct error *err)
{
	return stage_rate(context, 99, err);
}

static int stage_100(struct truth_context *context, struct error *err)
{
	return stage_rate(context, 100, err);
}

const struct truth truth_burst_100 = {
	.name = "burst-100",
	.summary = "2 ms of work every 10 ms, to catch a sampler in step",
	.state = "oncpu", .thread = "t-burst-100", .measure = TRUTH_RAN, .default_ms = 4000,
	.stage = stage_100,
};

const struct truth truth_burst_99 = {
	.name = "burst-99",
	.summary = "2 ms of work 99 times a second, to catch a sampler in step",
	.state = "oncpu", .thread = "t-burst-99", .measure = TRUTH_RAN, .default_ms = 4000,
	.stage = stage_99,
};
