/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a capture. The window closes for all threads at one instant, again by writing one number; then what was open
 * is ended there, who could not be ended is set apart, and what the capture itself cost is noted.
 */
#include "capture/capture_state.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/jvm_attach.h"
#include "capture/kernel.h"
#include "wire/wire.h"
#include "capture/unwind_cost.h"
#include "profile/profile.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "crosscut.skel.h"

enum { LEDGER_BYTES = 512 << 20, LAST_SWITCH_NS = 20000000, LAST_SWITCH_ROUNDS = 10 };

static void note_host_time(struct capture *capture)
{
	struct host_time now, gone;

	if (host_time_read(&now))
		return;
	gone = host_time_between(&capture->host_start, &now);
	profile_set_meta_number(capture->profile, "host.steal_ns", gone.steal_ns);
	profile_set_meta_number(capture->profile, "host.irq_ns", gone.irq_ns + gone.softirq_ns);
}

static bool is_unclosed(const struct thread *thread)
{
	return !thread->outside && !thread->end_ns;
}

/* A thread that exits leaves the list of tasks, and may be reaped, before its last switch; where CPUs are scarce that can
 * be long after. It tells its end then, so whoever is missing is given a while. */
static void await_last_switches(struct capture *capture)
{
	for (int i = 0; i < LAST_SWITCH_ROUNDS; i++) {
		size_t at = 1;

		while (at < profile_thread_count(capture->profile) && !is_unclosed(profile_thread_at(capture->profile, at)))
			at = profile_thread_next(capture->profile, at + 1);
		if (at == profile_thread_count(capture->profile))
			return;
		capture_sleep_until(clock_now_ns() + LAST_SWITCH_NS);
		drain_tick(capture->drain);
	}
}

/* A thread that neither ended nor was shown by the iterator is hidden from us (another pid namespace, or shielded), or
 * the record of its end was lost. Its ledger cannot be closed, so it is set apart and counted, not guessed at. */
static void set_unclosed_apart(struct capture *capture)
{
	uint64_t unclosed = 0;

	for (size_t i = 1; i < profile_thread_count(capture->profile); i = profile_thread_next(capture->profile, i + 1)) {
		struct thread *thread = profile_thread_edit(capture->profile, (struct thread_id){ (uint32_t)i });

		if (!is_unclosed(thread))
			continue;
		thread->outside = true;
		unclosed++;
	}
	profile_set_meta_number(capture->profile, "threads.unclosed", unclosed);
}

/* Whether the thread that was last seen to get a CPU has this time in its ledger. */
static bool has_ledger(const struct profile *profile, uint32_t tid, uint64_t end_ns)
{
	for (size_t i = profile_thread_count(profile); i-- > 1;) {
		const struct thread *thread = profile_thread_at(profile, i);

		if (thread->tid == tid && !thread->outside && thread->end_ns >= end_ns)
			return true;
	}
	return false;
}

/* With everybody watched the idle tasks are too: then all CPUs' time must add up. What no switch accounts for is a third
 * part, since some contexts are closed to tracing. */
static void note_cpu_time(struct capture *capture, uint64_t end_ns)
{
	struct wire_cpu_time *cpus;
	size_t count = (size_t)libbpf_num_possible_cpus();
	uint32_t zero = 0;
	uint64_t idle = 0, unseen = 0;

	if (capture->config.population.kind != POPULATION_ALL)
		return;
	cpus = xcalloc(count, sizeof(*cpus));
	if (!bpf_map_lookup_elem(bpf_map__fd(kernel_bpf(capture->kernel)->maps.cpu_times), &zero, cpus))
		for (size_t i = 0; i < count; i++) {
			uint64_t since = cpus[i].since_ns > capture->start_ns ? cpus[i].since_ns : capture->start_ns;
			uint64_t open = cpus[i].seen && end_ns > since ? end_ns - since : 0;

			idle += cpus[i].idle_ns + (cpus[i].pid ? 0 : open);
			unseen += cpus[i].unseen_ns;
			if (cpus[i].pid && !has_ledger(capture->profile, cpus[i].pid, end_ns))
				unseen += open;
		}
	free(cpus);
	profile_set_meta_number(capture->profile, "idle.cpu_ns", idle);
	profile_set_meta_number(capture->profile, "outside.cpu_ns", unseen);
}

void capture_close(struct capture *capture)
{
	capture->end_ns = clock_now_ns() + WINDOW_AHEAD_NS;
	kernel_bpf(capture->kernel)->data->window_end_ns = capture->end_ns;
	capture_wait_until(capture->end_ns + 1000000);
	note_host_time(capture);
}

void capture_count(struct capture *capture, const char *source, const char *class, int outcome, uint64_t count)
{
	drain_completion(capture->drain, source, class, (uint32_t)outcome, count);
}

/* What is still open ends now: one record per living thread. */
static int read_ledgers(struct capture *capture, struct error *err)
{
	struct text ledgers = TEXT(LEDGER_BYTES);
	int r;

	drain_tick(capture->drain);
	r = kernel_iterate(capture->kernel, true, &ledgers, err);
	drain_tick(capture->drain);             /* threads announced late come before their ledgers */
	if (!r)
		drain_bytes(capture->drain, text_string(&ledgers), ledgers.size);
	text_done(&ledgers);
	return r;
}

int capture_finish(struct capture *capture, struct error *err)
{
	struct kernel_cost cost;
	int r;

	if (!capture->end_ns)
		capture_close(capture);
	r = read_ledgers(capture, err);
	if (!r) {
		await_last_switches(capture);
		if (capture->config.jvm_attach)
			jvm_attach_all(capture->profile);
		set_unclosed_apart(capture);
		note_cpu_time(capture, capture->end_ns);
		kernel_cost(capture->kernel, &cost);
		profile_set_meta_number(capture->profile, "capture.recursion_misses", cost.misses);
		kernel_note_costs(capture->kernel, capture->profile);
		unwind_cost_note(kernel_bpf(capture->kernel), drain_unwinding(capture->drain), capture->profile);
		drain_note_interpreting(capture->drain);
		drain_note_requests(capture->drain);
		r = capture_cut_slice(capture, capture->end_ns, true, err);
	}
	drain_counts(capture->drain, &capture->counts);
	capture_detach(capture);
	return r;
}
