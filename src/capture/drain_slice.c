/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a slice: the kernel half turns to the other of each pair of maps, and what it added up in the first is
 * transcribed and emptied, with what was counted beside: completions, losses, costs.
 */
#include "capture/drain_state.h"

#include "base/error.h"
#include "capture/counters.h"
#include "capture/harvest_generated.h"
#include "capture/lock_names.h"
#include "capture/maps.h"
#include "capture/resident.h"
#include "probe/counters.h"
#include "probe/decoder.h"
#include "work/work.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crosscut.skel.h"

static void wait_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_wait wire = { .head = { .size = sizeof(wire), .kind = WIRE_WAIT } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_name_kernel_address(drain, wire.key.evidence.file_release, false);
	drain_feed(drain, &wire, sizeof(wire));
}

static void split_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_split wire = { .head = { .size = sizeof(wire), .kind = WIRE_SPLIT } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_name_kernel_address(drain, wire.key.wait.evidence.file_release, false);
	drain_name_waker(drain, wire.key.waker);
	drain_feed(drain, &wire, sizeof(wire));
}

static void segment_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_segment wire = { .head = { .size = sizeof(wire), .kind = WIRE_SEGMENT } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_name_kernel_address(drain, wire.key.wait.evidence.file_release, false);
	drain_name_waker(drain, wire.key.holder);
	drain_name_lock(drain, wire.key.lock_process, wire.key.lock, wire.key.wait.evidence.contention);
	drain_feed(drain, &wire, sizeof(wire));
}

static void sample_entry(void *context, const void *key, const void *value)
{
	struct wire_sample wire = { .head = { .size = sizeof(wire), .kind = WIRE_SAMPLE } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_feed(context, &wire, sizeof(wire));
}

static void counter_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_counter_sum wire = { .head = { .size = sizeof(wire), .kind = WIRE_COUNTER } };
	size_t event;

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	event = wire.key.event & ~WIRE_COUNTER_KERNEL;
	if (event >= counter_event_count)
		return;
	wire.period = counter_events[event].period;
	counters_time(drain->perf_counters, event, (uint64_t *)&wire.enabled_ns, (uint64_t *)&wire.running_ns);
	drain_feed(drain, &wire, sizeof(wire));
}

/* How much of their time the hardware's counters were on: for the gate. */
static void note_multiplexing(const struct drain *drain)
{
	uint64_t enabled = 0, running = 0;

	for (size_t event = 0; event < counter_event_count; event++) {
		uint64_t on, ran;

		if (!counter_is_hardware(&counter_events[event]))
			continue;
		counters_time(drain->perf_counters, event, &on, &ran);
		enabled += on;
		running += ran;
	}
	if (enabled)
		profile_set_meta_number(decoder_profile(drain->options.decoder), "counters.running_ppm",
					(uint64_t)((double)running / (double)enabled * 1e6));
}

void drain_set_counters(struct drain *drain, const struct counters *counters)
{
	drain->perf_counters = counters;
}

/* "vda", by the link that the kernel keeps for its numbers. */
static void device_name(const struct wire_io_key *key, char *name, size_t size)
{
	char path[64], target[256];
	ssize_t length;

	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", key->major, key->minor);
	length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	if (length > 0 && strrchr(target, '/'))
		(void)snprintf(name, size, "%.31s", strrchr(target, '/') + 1);
	else
		(void)snprintf(name, size, "%u:%u", key->major, key->minor);
}

static void io_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_io wire = { .value = { 0 } };
	char name[32];

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	device_name(&wire.key, name, sizeof(name));
	batch_put(&drain->extra, WIRE_IO, 0, &wire, sizeof(wire), (const char *const[]){ name, NULL });
	drain_feed_extra(drain);
}

static void ready_entry(void *context, const void *key, const void *value)
{
	struct drain *drain = context;
	struct wire_ready wire = { .head = { .size = sizeof(wire), .kind = WIRE_READY } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_name_outsider(drain, wire.key.by, wire.value.comm);
	drain_feed(drain, &wire, sizeof(wire));
}

static void put_file(struct drain *drain, enum wire_kind kind, const void *key, const void *value)
{
	struct wire_file_io wire = { .head = { .size = sizeof(wire), .kind = (__u16)kind } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_feed(drain, &wire, sizeof(wire));
}

static void file_io_entry(void *context, const void *key, const void *value)
{
	put_file(context, WIRE_FILE_IO, key, value);
}

static void dirtied_entry(void *context, const void *key, const void *value)
{
	put_file(context, WIRE_DIRTIED, key, value);
}

static void cache_entry(void *context, const void *key, const void *value)
{
	put_file(context, WIRE_CACHE_READ, key, value);
}

static int drain_files(struct drain *drain, bool odd)
{
	struct crosscut_bpf *bpf = drain->options.bpf;
	int r;

	r = maps_empty(odd ? bpf->maps.file_ios_odd : bpf->maps.file_ios_even, file_io_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.dirtied_odd : bpf->maps.dirtied_even, dirtied_entry, drain);
	return r ? r : maps_empty(odd ? bpf->maps.cache_reads_odd : bpf->maps.cache_reads_even, cache_entry, drain);
}

static void put_call(struct drain *drain, enum wire_kind kind, const void *key, const void *value)
{
	struct wire_call wire = { .head = { .size = sizeof(wire), .kind = (__u16)kind } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_feed(drain, &wire, sizeof(wire));
}

static void call_entry(void *context, const void *key, const void *value)
{
	put_call(context, WIRE_CALL, key, value);
}

static void call_split_entry(void *context, const void *key, const void *value)
{
	put_call(context, WIRE_CALL_SPLIT, key, value);
}

static int drain_calls(struct drain *drain, bool odd)
{
	struct crosscut_bpf *bpf = drain->options.bpf;
	int r;

	if (!bpf->rodata->syscalls_watched)
		return 0;
	r = maps_empty(odd ? bpf->maps.calls_odd : bpf->maps.calls_even, call_entry, drain);
	return r ? r : maps_empty(odd ? bpf->maps.call_splits_odd : bpf->maps.call_splits_even, call_split_entry, drain);
}

static void connection_entry(void *context, const void *key, const void *value)
{
	struct wire_connection wire = { .head = { .size = sizeof(wire), .kind = WIRE_CONNECTION } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_feed(context, &wire, sizeof(wire));
}

/* What found no room under its own endpoint. */
static void drain_other_connections(struct drain *drain, uint32_t odd)
{
	int fd = bpf_map__fd(drain->options.bpf->maps.connections_other);
	struct wire_connection wire = { .head = { .size = sizeof(wire), .kind = WIRE_CONNECTION },
					.key = { .direction = WIRE_DIRECTION_OTHER } };
	const struct wire_connection_value none = { 0 };

	if (bpf_map_lookup_elem(fd, &odd, &wire.value) || !memcmp(&wire.value, &none, sizeof(none)))
		return;
	(void)bpf_map_update_elem(fd, &odd, &none, BPF_ANY);
	drain_feed(drain, &wire, sizeof(wire));
}

static void interrupt_entry(void *context, const void *key, const void *value)
{
	struct wire_interrupt wire = { .head = { .size = sizeof(wire), .kind = WIRE_INTERRUPT } };

	memcpy(&wire.key, key, sizeof(wire.key));
	memcpy(&wire.value, value, sizeof(wire.value));
	drain_feed(context, &wire, sizeof(wire));
}

static int drain_maps(struct drain *drain, bool odd, struct error *err)
{
	struct crosscut_bpf *bpf = drain->options.bpf;
	int r = 0;

	if (bpf->rodata->irq_watched)           /* before the on-CPU time that it is a part of */
		r = maps_empty(odd ? bpf->maps.interrupts_odd : bpf->maps.interrupts_even, interrupt_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.waits_odd : bpf->maps.waits_even, wait_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.splits_odd : bpf->maps.splits_even, split_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.segments_odd : bpf->maps.segments_even, segment_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.samples_odd : bpf->maps.samples_even, sample_entry, drain);
	if (!r)
		r = maps_empty(odd ? bpf->maps.ios_odd : bpf->maps.ios_even, io_entry, drain);
	if (!r && drain->perf_counters) {
		r = maps_empty(odd ? bpf->maps.counter_sums_odd : bpf->maps.counter_sums_even, counter_entry, drain);
		note_multiplexing(drain);
	}
	if (!r)
		r = maps_empty(odd ? bpf->maps.readies_odd : bpf->maps.readies_even, ready_entry, drain);
	if (!r)
		r = drain_files(drain, odd);
	if (!r)
		r = drain_calls(drain, odd);
	if (!r && bpf->rodata->network_watched) {
		r = maps_empty(odd ? bpf->maps.connections_odd : bpf->maps.connections_even, connection_entry, drain);
		drain_other_connections(drain, odd);
	}
	return r < 0 ? fail(err, FAILURE_WORK, r, "cannot empty the kernel's maps") : 0;
}

static void drain_delays(struct drain *drain, bool odd)
{
	for (uint32_t preempted = 0; preempted < 2; preempted++) {
		struct wire_delays wire = { .head = { .size = sizeof(wire), .kind = WIRE_DELAY }, .preempted = preempted };

		for (uint32_t i = 0; i < WIRE_DELAY_BUCKETS; i++)
			maps_take_sum(drain->options.bpf->maps.delays, ((uint32_t)odd * 2 + preempted) * WIRE_DELAY_BUCKETS + i,
				      (uint64_t *)&wire.buckets[i], 2);
		drain_feed(drain, &wire, sizeof(wire));
	}
}

static void add_completion(void *context, const struct work_count *count)
{
	struct drain *drain = context;
	struct wire_completion wire = { .count = count->count, .process = count->process, .port = count->port,
					.outcome = count->outcome };

	batch_put(&drain->extra, WIRE_COMPLETION, 0, &wire, sizeof(wire), (const char *const[]){ drain->work->name, count->class, NULL });
}

static int drain_work(struct drain *drain, bool last, struct error *err)
{
	int r = drain->work ? drain->work->collect(drain->work_state, last, add_completion, drain, err) : 0;

	if (r >= 0)
		drain_feed_extra(drain);
	return r < 0 ? r : 0;
}

/* --- Losses ----------------------------------------------------------------------------------------------------- */

static void put_loss(struct drain *drain, const char *source, uint64_t seen, uint64_t lost)
{
	struct wire_loss wire = { .seen = seen, .lost = lost };

	drain->totals.events += seen;
	drain->totals.lost += lost;
	if (seen || lost)
		batch_put(&drain->extra, WIRE_LOSS, 0, &wire, sizeof(wire), (const char *const[]){ source, NULL });
}

static void drain_heap_losses(struct drain *drain)
{
	struct heap_counts now;

	if (!drain->options.heap)
		return;
	heap_counts(drain->options.heap, &now);
	put_loss(drain, "heap-samples", now.seen - drain->heap_before.seen, now.lost - drain->heap_before.lost);
	drain->heap_before = now;
}

static void drain_losses(struct drain *drain)
{
	static const struct { const char *source; int seen, lost; } rows[] = {
		{ "waits", COUNT_WAITS, COUNT_WAITS_LOST }, { "wait-stacks", COUNT_SPLITS, COUNT_SPLITS_LOST },
		{ "on-cpu-samples", COUNT_SAMPLES, COUNT_SAMPLES_LOST }, { "ring-records", COUNT_RECORDS, COUNT_RECORDS_LOST },
		{ "stack-walks", COUNT_STACKS, COUNT_STACKS_FAILED }, { "ledgers", COUNT_SWITCHES, COUNT_NO_STORAGE },
		{ "switches", COUNT_SWITCHES, COUNT_SWITCHES_MISSED },
		{ "intervals", COUNT_INTERVALS, COUNT_INTERVALS_LOST }, { "lock-segments", COUNT_SEGMENTS, COUNT_SEGMENTS_LOST },
		{ "wakes", COUNT_WAKES, -1 }, { "block", COUNT_BLOCK, -1 }, { "contention", COUNT_CONTENTION, -1 },
		{ "reclaim", COUNT_RECLAIM, -1 }, { "http-sends", COUNT_SENDS, COUNT_SENDS_UNREAD },
		{ "counter-events", COUNT_COUNTER_EVENTS, COUNT_COUNTER_EVENTS_LOST },
		{ "block-requests", COUNT_IOS, COUNT_IOS_LOST }, { "system-calls", COUNT_CALLS, COUNT_CALLS_LOST },
		{ "connections", COUNT_CONNECTION_EVENTS, COUNT_CONNECTION_EVENTS_MERGED },
		{ "socket-waits", COUNT_SOCKET_WAITS, COUNT_SOCKET_WAITS_LOST },
		{ "file-requests", COUNT_FILE_IOS, COUNT_FILE_IOS_LOST },
		{ "cache-reads", COUNT_CACHE_READS, COUNT_CACHE_READS_LOST },
		{ "interrupts", COUNT_INTERRUPTS, COUNT_INTERRUPTS_LOST },
		{ "runnable-reasons", COUNT_READIES, COUNT_READIES_LOST },
		{ "requests", COUNT_REQUEST_RECORDS, COUNT_REQUEST_RECORDS_LOST },
		{ "heap-samples", COUNT_HEAP_SAMPLES, COUNT_HEAP_SAMPLES_LOST },
		{ "http-counts", COUNT_SENDS, COUNT_COMPLETIONS_LOST },
	};
	struct sideband_statistics band = { 0 };
	uint64_t delta[COUNTERS];

	for (uint32_t i = 0; i < COUNTERS; i++) {
		drain->counters[i] = maps_sum(drain->options.bpf->maps.counters, i);
		delta[i] = drain->counters[i] - drain->before[i];
		drain->before[i] = drain->counters[i];
	}
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		put_loss(drain, rows[i].source, delta[rows[i].seen], rows[i].lost < 0 ? 0 : delta[rows[i].lost]);
	if (drain->sideband)
		sideband_statistics(drain->sideband, &band);
	put_loss(drain, "side-band", band.records - drain->band.records, band.lost - drain->band.lost);
	drain->band = band;
	put_loss(drain, "decode", 0, drain->malformed + drain->batch.dropped + drain->extra.dropped);
	drain->malformed = drain->batch.dropped = drain->extra.dropped = 0;
	drain_heap_losses(drain);
	drain_feed_extra(drain);
}

/* All programs that saw the old epoch have ended when this returns: they run with preemption off, which an RCU grace
 * period waits for, and that is what a global membarrier is. */
static void wait_for_programs(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		(void)usleep(20000);
}

/* Levels are those of the end. */
static void drain_levels(struct drain *drain, uint64_t end_ns, bool last)
{
	struct wire_heap_end end = { .unsampled = 0 };
	struct heap_counts counts = { 0 };

	if (drain->resident)
		resident_look(drain->resident, decoder_profile(drain->options.decoder), end_ns, last);
	if (!last)
		return;
	if (drain->resident)
		resident_put(drain->resident, end_ns, &drain->extra);
	if (drain->options.heap || drain->options.heap_running) {
		if (drain->options.heap)
			heap_counts(drain->options.heap, &counts);
		end.unsampled = counts.unsampled;
		batch_put(&drain->extra, WIRE_HEAP_END, end_ns, &end, sizeof(end), NULL);
	}
	drain_feed_extra(drain);
}

int drain_slice(struct drain *drain, uint64_t start_ns, uint64_t end_ns, bool last, struct error *err)
{
	struct wire_slice slice = { .head = { .size = sizeof(slice), .kind = WIRE_SLICE }, .start_ns = start_ns, .end_ns = end_ns };
	bool odd = drain->options.bpf->bss->epoch & 1;
	int r;

	drain->options.bpf->bss->epoch++;
	wait_for_programs();
	drain_tick(drain);
	drain_feed(drain, &slice, sizeof(slice));
	lock_names_turn(drain->lock_names);
	r = drain_maps(drain, odd, err);
	if (r < 0)
		return r;
	drain_delays(drain, odd);
	drain_levels(drain, end_ns, last);
	harvest_generated_look(harvest_generated(drain->options.harvest));
	drain_feed(drain, drain->costs.bytes, drain->costs.size);
	batch_clear(&drain->costs);
	drain_losses(drain);
	drain_note_requests(drain);
	return drain_work(drain, last, err);
}

void drain_cost(struct drain *drain, const char *source, uint64_t ns, uint64_t events)
{
	struct wire_cost wire = { .ns = ns, .events = events };

	batch_put(&drain->costs, WIRE_COST, 0, &wire, sizeof(wire), (const char *const[]){ source, NULL });
}

void drain_completion(struct drain *drain, const char *source, const char *class, uint32_t outcome, uint64_t count)
{
	struct wire_completion wire = { .count = count, .outcome = outcome };

	if (count)
		batch_put(&drain->costs, WIRE_COMPLETION, 0, &wire, sizeof(wire), (const char *const[]){ source, class, NULL });
}
