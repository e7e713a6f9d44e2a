/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One capture from load to finish. The window opens after everything is attached, every thread has a ledger in its present
 * state and the sampler ticks, by writing one number that the kernel half reads: so attaching is not in the data, and
 * all threads start, and end, at the same instant.
 */
#include "capture/capture_state.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "capture/counters.h"
#include "capture/harvest.h"
#include "capture/heap_running.h"
#include "capture/kernel.h"
#include "capture/listeners.h"
#include "capture/sampler.h"
#include "classify/classify.h"
#include "probe/decoder.h"
#include "profile/profile.h"
#include "work/work.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crosscut.skel.h"

enum { TICK_NS = 100000000, HURRY_NS = 10000000 };
enum { PORT_LIMIT = 1024, SETTLE_ROUNDS = 5 };

struct capture *capture_new(const struct capture_config *config)
{
	struct capture *capture = xcalloc(1, sizeof(*capture));

	memory_return_large();
	capture->config = *config;
	if (!capture->config.stack_depth)
		capture->config.stack_depth = WIRE_USER_STACK_DEPTH;
	capture->profile = profile_new();
	capture->harvest = harvest_new();
	capture->cost.statistics_fd = -1;
	capture->cost.outside_ns = config->outside_ns;
	capture->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	return capture;
}

void capture_detach(struct capture *capture)
{
	cost_done(&capture->cost);
	heap_running_free(take(capture->heap_running));
	sampler_free(take(capture->sampler));
	counters_free(take(capture->counters));
	drain_free(take(capture->drain));
	if (capture->work)
		capture->work->close(take(capture->work_state));
	capture->work = NULL;
	decoder_free(take(capture->decoder));
	kernel_free(take(capture->kernel));
}

void capture_free(struct capture *capture)
{
	if (!capture)
		return;
	capture_detach(capture);
	harvest_free(capture->harvest);
	profile_free(capture->profile);
	free(capture->cpu_events);
	free(capture);
}

struct profile *capture_profile(struct capture *capture)
{
	return capture->profile;
}

struct harvest *capture_harvest(struct capture *capture)
{
	return capture->harvest;
}

size_t capture_probe_facts(const struct capture_config *config, struct capture_probe_fact *facts, size_t room)
{
	return kernel_probe_facts(config, facts, room);
}

/* --- Prepare ---------------------------------------------------------------------------------------------------- */

static void note_host(struct capture *capture)
{
	struct host host;

	host_read(&host);
	profile_set_meta(capture->profile, "host.name", host.name);
	profile_set_meta(capture->profile, "host.kernel", host.kernel);
	profile_set_meta(capture->profile, "host.architecture", host.architecture);
	profile_set_meta(capture->profile, "host.cpu", host.processor);
	profile_set_meta_number(capture->profile, "host.cpus", host.processors_online);
	profile_set_meta_number(capture->profile, "host.memory_bytes", host.memory_bytes);
	profile_set_meta(capture->profile, "clock", "CLOCK_MONOTONIC");
	profile_set_meta(capture->profile, "capture.crosscut", CROSSCUT_VERSION);
	profile_set_meta(capture->profile, "stack.walk", "call-frame-information");
	profile_set_meta(capture->profile, "stack.inlining", "expanded where debug information was found");
	profile_set_meta_number(capture->profile, "stack.depth", capture->config.stack_depth);
	if (capture->config.sample_rate_hz > 0)
		profile_set_meta_number(capture->profile, "sampler.period_ns", (uint64_t)(1e9 / capture->config.sample_rate_hz));
}

static int add_targets(struct capture *capture, struct error *err)
{
	const struct population *population = &capture->config.population;
	int fd = bpf_map__fd(kernel_bpf(capture->kernel)->maps.targets);
	const pid_t *ids = population->ids;
	size_t count = population->id_count;
	pid_t *members = NULL;
	int r = 0;

	if (population->kind == POPULATION_CGROUP) {
		r = population_cgroup_processes(population->name, &members, &count, err);
		ids = members;
	}
	for (size_t i = 0; i < count && !r; i++) {
		uint32_t id = (uint32_t)ids[i];
		uint8_t one = 1;

		if (bpf_map_update_elem(fd, &id, &one, BPF_ANY))
			r = fail(err, FAILURE_WORK, -errno, "cannot watch process %u", id);
	}
	free(members);
	return r;
}

/* Where probes go that are put into a program: the image of the first process, or the command as it will be found. */
static char *executable_of(const struct population *population)
{
	const char *name = population->name, *paths = getenv("PATH");

	if (population->kind == POPULATION_PROCESSES && population->id_count)
		return xasprintf("/proc/%d/exe", population->ids[0]);
	if (population->kind != POPULATION_COMMAND || !name)
		return NULL;
	if (strchr(name, '/'))
		return xstrdup(name);
	while (paths && *paths) {
		size_t length = strcspn(paths, ":");
		char *path = xasprintf("%.*s/%s", (int)length, paths, name);

		if (!access(path, X_OK))
			return path;
		free(path);
		paths += length + (paths[length] == ':');
	}
	return NULL;
}

static int open_work(struct capture *capture, struct error *err)
{
	CLEANUP_TEXT char *executable = executable_of(&capture->config.population);
	struct work_options options = { .correct = capture->config.correct, .bpf = kernel_bpf(capture->kernel),
					.executable = executable };
	int r;

	if (!capture->config.work)
		return 0;
	r = work_parse(capture->config.work, &capture->work, &options.argument, err);
	if (!r)
		r = capture->work->open(&options, &capture->work_state, err);
	if (r < 0)
		return r;
	drain_set_work(capture->drain, capture->work, capture->work_state);
	if (profile_meta(capture->profile, "work.source"))
		return 0;                               /* the caller counts the denominator; this is to check it */
	profile_set_meta(capture->profile, "work.unit", capture->work->unit);
	profile_set_meta(capture->profile, "work.source", capture->config.work);
	return 0;
}

bool capture_asks_for(const struct capture *capture, const char *probe)
{
	for (unsigned i = 0; i < capture->config.with_count; i++)
		if (!strcmp(capture->config.with[i], probe))
			return true;
	return false;
}

int capture_prepare(struct capture *capture, struct error *err)
{
	CLEANUP_TEXT char *filter = population_text(&capture->config.population);
	int r = population_check(&capture->config.population, err);

	if (r < 0)
		return r;
	note_host(capture);
	profile_set_meta(capture->profile, "capture.filter", filter);
	r = kernel_load(&capture->kernel, &capture->config, capture->profile, err);
	if (r < 0)
		return r;
	capture->decoder = decoder_new(capture->profile);
	decoder_remember_ended(capture->decoder, capture->config.kept_slices);
	r = drain_open(&capture->drain, &(struct drain_options){
		.bpf = kernel_bpf(capture->kernel), .decoder = capture->decoder, .harvest = capture->harvest,
		.heap = capture->config.heap, .heap_running = capture_asks_for(capture, "heap-running"),
		.resident = capture->config.heap || capture_asks_for(capture, "heap-running") || capture_asks_for(capture, "resident"),
		.with_arguments = capture->config.with_arguments, .stack_depth = capture->config.stack_depth,
		.everybody = capture->config.population.kind == POPULATION_ALL }, err);
	if (!r)
		r = add_targets(capture, err);
	if (!r && capture->config.population.kind == POPULATION_COMMAND)
		drain_expect(capture->drain, (uint32_t)*capture->config.population.ids);
	if (!r)
		r = open_work(capture, err);
	if (!r && capture->config.sample_rate_hz > 0)
		r = sampler_open(&capture->sampler, kernel_bpf(capture->kernel)->progs.sampler_tick,
				 capture->config.sample_rate_hz, err);
	if (!r && (capture_asks_for(capture, "faults") || capture_asks_for(capture, "counters"))) {
		r = counters_open(&capture->counters, kernel_bpf(capture->kernel), capture_asks_for(capture, "faults"),
				  capture_asks_for(capture, "counters"), err);
		drain_set_counters(capture->drain, capture->counters);
	}
	return r;
}

/* --- Start ------------------------------------------------------------------------------------------------------ */

static void watch_listeners(struct capture *capture)
{
	int fd = bpf_map__fd(kernel_bpf(capture->kernel)->maps.listening_ports);
	uint16_t ports[PORT_LIMIT];
	size_t count = listeners_read(ports, PORT_LIMIT);
	uint8_t one = 1;

	for (size_t i = 0; i < count; i++)
		(void)bpf_map_update_elem(fd, &ports[i], &one, BPF_ANY);        /* a full map only leaves waits ambiguous */
}

/* Being moved to a CPU makes it switch, so whoever runs there is seen to run whatever the iterator could tell. */
static void visit_every_cpu(void)
{
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
	}
	(void)sched_setaffinity(0, sizeof(before), &before);
}

/* Threads that are born while the iterator walks can slip past it: it walks until a walk finds nobody new. */
static int find_threads(struct capture *capture, struct error *err)
{
	unsigned before = 0;

	for (int i = 0; i < SETTLE_ROUNDS; i++) {
		int r = kernel_iterate(capture->kernel, false, NULL, err);
		unsigned now = kernel_bpf(capture->kernel)->bss->next_serial;

		if (r < 0)
			return r;
		if (now == before && i)
			break;
		before = now;
	}
	return 0;
}

static int check_somebody(struct capture *capture, struct error *err)
{
	const struct population *population = &capture->config.population;

	if (kernel_bpf(capture->kernel)->bss->next_serial)
		return 0;
	if (population->kind == POPULATION_COMM || population->kind == POPULATION_CGROUP || population->kind == POPULATION_COMMAND)
		return 0;                               /* somebody may come */
	fail(err, FAILURE_CANNOT, -ESRCH, "nothing to capture");
	if (!population_is_gone(population)) {
		error_because(err, "the target lives, but the kernel's walk over threads does not show it");
		return error_try(err, "crosscut doctor says what this machine allows");
	}
	error_because(err, "the target ended before the capture began");
	return error_try(err, "crosscut record -- COMMAND captures a command from its start");
}

void capture_sleep_until(uint64_t when_ns)
{
	struct timespec when = { .tv_sec = (time_t)(when_ns / 1000000000u), .tv_nsec = (long)(when_ns % 1000000000u) };

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);     /* a signal ends it early: good */
}

void capture_wait_until(uint64_t when_ns)
{
	while (clock_now_ns() < when_ns)
		capture_sleep_until(when_ns);
}

int capture_start(struct capture *capture, struct error *err)
{
	struct crosscut_bpf *bpf = kernel_bpf(capture->kernel);
	int r;

	if (capture->config.requests != REQUESTS_BY_RATE)
		bpf->data->request_one_in = capture->config.requests;
	watch_listeners(capture);
	r = kernel_attach(capture->kernel, err);
	if (!r)
		r = capture_heap_open(capture, err);
	if (!r)
		r = find_threads(capture, err);
	if (!r)
		r = check_somebody(capture, err);
	if (r < 0)
		return r;
	visit_every_cpu();
	if (capture->sampler) {
		r = sampler_enable(capture->sampler, err);
		if (r < 0)
			return r;
	}
	r = capture->counters ? counters_enable(capture->counters, err) : 0;
	if (r < 0)
		return r;
	drain_tick(capture->drain);
	(void)cost_switch_on(&capture->cost);
	cost_begin(&capture->cost, capture->kernel, capture_events(capture));
	capture->start_ns = capture->slice_start_ns = clock_now_ns() + WINDOW_AHEAD_NS;
	bpf->data->window_start_ns = capture->start_ns;
	profile_set_meta_number(capture->profile, "capture.start_ns", capture->start_ns);
	/* Threads seen before the window have it as their start. */
	for (size_t i = 1; i < profile_thread_count(capture->profile); i++) {
		struct thread *thread = profile_thread_edit(capture->profile, (struct thread_id){ (uint32_t)i });

		thread->start_ns = capture->start_ns;
		thread->end_ns = thread->end_ns ? capture->start_ns : 0;        /* gone already: no lifetime here */
		thread->born = false;
	}
	capture_wait_until(capture->start_ns);
	(void)host_time_read(&capture->host_start);
	profile_set_meta_number(capture->profile, "capture.start_wall_ns", clock_wall_ns());
	capture->next_tick_ns = capture->start_ns;
	capture_guard_begin(capture);
	return 0;
}

/* --- Run -------------------------------------------------------------------------------------------------------- */

static void note_cost(struct capture *capture)
{
	struct heap_cost heap = capture_heap_cost(capture);
	struct cost_reading reading;

	cost_slice(&capture->cost, capture->kernel, capture_events(capture), &reading);
	drain_cost(capture->drain, "bpf", reading.bpf_ns, reading.bpf_runs);
	drain_cost(capture->drain, "recorder-cpu", reading.own_cpu_ns, 0);
	if (reading.outside_ns)
		drain_cost(capture->drain, "bpf-outside", reading.outside_ns, 0);
	if (heap.events > capture->heap_cost.events)
		drain_cost(capture->drain, "heap-stops", heap.ns - capture->heap_cost.ns, heap.events - capture->heap_cost.events);
	capture->heap_cost = heap;
}

int capture_cut_slice(struct capture *capture, uint64_t end_ns, bool last, struct error *err)
{
	struct slice_id slice;
	int r;

	note_cost(capture);
	r = drain_slice(capture->drain, capture->slice_start_ns, end_ns, last, err);
	if (r < 0)
		return r;
	capture->slice_start_ns = end_ns;
	classify_profile(capture->profile, false);
	slice = decoder_slice(capture->decoder);
	profile_set_meta_number(capture->profile, "capture.end_ns", end_ns);
	r = capture->config.slice ? capture->config.slice(capture->config.to, capture->profile, slice, err) : 0;
	profile_clear_facts(capture->profile);
	return r;
}

/* Who joined the cgroup since, and children of those who left it: the members are read again. */
static int follow_cgroup(struct capture *capture, struct error *err)
{
	struct error gone;

	if (capture->config.population.kind != POPULATION_CGROUP || add_targets(capture, &gone) < 0)
		return 0;                               /* a cgroup that was removed has nobody to add */
	return kernel_iterate(capture->kernel, false, NULL, err);
}

/* While programs begin, what they map is told to the kernel half sooner, so that their stacks need no copies. */
static void sleep_to_tick(struct capture *capture)
{
	while (drain_hurries(capture->drain) && clock_now_ns() + HURRY_NS < capture->next_tick_ns) {
		capture_sleep_until(clock_now_ns() + HURRY_NS);
		drain_tick(capture->drain);
	}
	capture_sleep_until(capture->next_tick_ns);
}

int capture_step(struct capture *capture, struct error *err)
{
	uint64_t now_ns;
	int r = 0;

	if (capture->cost.due && capture->cost.statistics_fd < 0 && cost_switch_on(&capture->cost))
		cost_look(&capture->cost, capture->kernel, capture_events(capture));
	capture->next_tick_ns += TICK_NS;
	sleep_to_tick(capture);
	if (capture->cost.statistics_fd >= 0)
		cost_tick(&capture->cost, capture->kernel, capture_events(capture));
	now_ns = clock_now_ns();
	if (now_ns > capture->next_tick_ns + 10 * TICK_NS)
		capture->next_tick_ns = now_ns;         /* the machine stood still: do not hurry after it */
	drain_tick(capture->drain);
	if (capture->config.requests == REQUESTS_BY_RATE && capture->guard.rung < GUARD_LEDGER_ONLY)
		drain_request_rate(capture->drain);
	if (capture->sampler)
		sampler_step(capture->sampler, now_ns);
	capture_guard_tick(capture, now_ns);
	if (now_ns - capture->slice_start_ns + TICK_NS / 2 >= capture->config.slice_ns) {
		watch_listeners(capture);
		r = capture_cut_slice(capture, now_ns, false, err);
		if (!r)
			r = follow_cgroup(capture, err);
	}
	return r;
}

void capture_status(const struct capture *capture, struct capture_status *ret)
{
	struct drain_counts counts = capture->counts;

	if (capture->drain)
		drain_counts(capture->drain, &counts);
	*ret = capture->status;
	ret->elapsed_ns = capture->start_ns ? clock_now_ns() - capture->start_ns : 0;
	ret->events = counts.events;
	ret->lost = counts.lost;
	ret->threads = counts.threads;
	ret->target_gone = population_is_gone(&capture->config.population);
}
