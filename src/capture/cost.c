/* SPDX-License-Identifier: Apache-2.0 */
/* Own cost, measured in every capture. */
#include "capture/cost.h"

#include "capture/kernel.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t own_cpu_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin(struct cost *cost, const struct kernel *kernel)
{
	struct kernel_cost now;

	kernel_cost(kernel, &now);
	cost->run_ns = now.run_ns;
	cost->runs = now.runs;
	cost->own_cpu_ns = own_cpu_ns();
	cost->on_ns = 0;
	cost->tick = 0;
	cost->chosen_tick = (unsigned)rand_r(&cost->seed) % COST_TICKS;
}

static void switch_off(struct cost *cost, uint64_t now_ns)
{
	if (cost->statistics_fd < 0)
		return;
	(void)close(cost->statistics_fd);
	cost->statistics_fd = -1;
	cost->on_ns += now_ns - cost->on_since_ns;
}

void cost_init(struct cost *cost, const struct kernel *kernel)
{
	*cost = (struct cost){ .statistics_fd = -1, .seed = (unsigned)time(NULL) ^ (unsigned)getpid() };
	begin(cost, kernel);
	cost->chosen_tick = 0;          /* a capture shorter than a second is measured as well */
}

void cost_tick(struct cost *cost, uint64_t now_ns)
{
	if (cost->tick == cost->chosen_tick) {
		cost->statistics_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
		cost->on_since_ns = now_ns;
	} else {
		switch_off(cost, now_ns);
	}
	cost->tick++;
}

void cost_slice(struct cost *cost, const struct kernel *kernel, uint64_t now_ns, uint64_t slice_ns, struct cost_reading *ret)
{
	struct kernel_cost now;
	double scale;

	switch_off(cost, now_ns);
	kernel_cost(kernel, &now);
	scale = cost->on_ns ? (double)slice_ns / (double)cost->on_ns : 0;
	*ret = (struct cost_reading){
		.bpf_ns = (uint64_t)((double)(now.run_ns - cost->run_ns) * scale),
		.bpf_runs = (uint64_t)((double)(now.runs - cost->runs) * scale),
		.own_cpu_ns = own_cpu_ns() - cost->own_cpu_ns,
	};
	begin(cost, kernel);
}

void cost_done(struct cost *cost)
{
	if (cost->statistics_fd >= 0)
		(void)close(cost->statistics_fd);
	cost->statistics_fd = -1;
}
