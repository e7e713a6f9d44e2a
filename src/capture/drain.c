/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring is read first and the side band after it: every mapping that a stack in the batch can refer to was written
 * before the stack was, so it is in the batch as well. The batch is then decoded in time order.
 */
#include "capture/drain_state.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "capture/harvest.h"
#include "capture/harvest_generated.h"
#include "capture/interpreting.h"
#include "capture/lock_names.h"
#include "capture/proc.h"
#include "capture/resident.h"
#include "capture/ring.h"
#include "capture/sideband.h"
#include "capture/tls.h"
#include "capture/unwinding.h"
#include "interpreter/interpreter.h"
#include "probe/decoder.h"
#include "symbol/kallsyms.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crosscut.skel.h"

static void ring_record(void *context, const void *bytes, size_t size)
{
	batch_add(&((struct drain *)context)->batch, bytes, size);
}

static int rings_open(struct drain *drain, struct crosscut_bpf *bpf, struct error *err)
{
	int r = ring_open(&drain->ring, bpf_map__fd(bpf->maps.ring), err);

	if (!r && (bpf->rodata->timeline || bpf->rodata->requests))
		r = ring_open(&drain->timeline_ring, bpf_map__fd(bpf->maps.timeline_ring), err);
	return r;
}

/* Intervals are read first: the threads and stacks that they refer to were written before them, to the other ring. */
static void rings_read(struct drain *drain)
{
	if (drain->timeline_ring)
		ring_read(drain->timeline_ring, ring_record, drain);
	ring_read(drain->ring, ring_record, drain);
}

int drain_open(struct drain **ret, const struct drain_options *options, struct error *err)
{
	CLEANUP(drain) struct drain *drain = xcalloc(1, sizeof(*drain));
	struct error ignored;
	int r;

	drain->options = *options;
	r = rings_open(drain, options->bpf, err);
	if (r < 0)
		return r;
	drain->request_classes = map_new(sizeof(uint64_t));
	drain->kernel = kallsyms_load(err);
	if (!drain->kernel)
		return err->code;
	r = unwinding_open(&drain->unwinding, options->bpf, options->harvest, err);
	if (r < 0)
		return r;
	drain->lock_names = lock_names_new(drain->kernel);
	drain->resident = options->resident ? resident_new() : NULL;
	drain->interpreting = interpreting_new(options->bpf, drain->unwinding);
	if (options->bpf->rodata->tls_watched)
		drain->tls = tls_new(options->bpf, decoder_profile(options->decoder));
	drain->sideband = sideband_open(&ignored);
	if (!drain->sideband)
		profile_set_meta(decoder_profile(options->decoder), "probe.missing.side-band",
				 "mappings of processes that live for less than a tenth of a second are missed");
	*ret = take(drain);
	return 0;
}

void drain_free(struct drain *drain)
{
	if (!drain)
		return;
	ring_free(drain->ring);
	ring_free(drain->timeline_ring);
	sideband_close(drain->sideband);
	lock_names_free(drain->lock_names);
	resident_free(drain->resident);
	kallsyms_free(drain->kernel);
	interpreting_free(drain->interpreting);
	tls_free(drain->tls);
	unwinding_free(drain->unwinding);
	free(drain->ended);
	map_free(drain->request_classes);
	batch_done(&drain->batch);
	batch_done(&drain->extra);
	batch_done(&drain->costs);
	free(drain);
}

struct unwinding *drain_unwinding(struct drain *drain)
{
	return drain->unwinding;
}

void drain_set_work(struct drain *drain, const struct work *work, struct work_state *state)
{
	drain->work = work;
	drain->work_state = state;
}

void drain_feed(struct drain *drain, const void *record, size_t size)
{
	drain->malformed += decoder_feed(drain->options.decoder, record, size);
}

void drain_feed_extra(struct drain *drain)
{
	drain_feed(drain, drain->extra.bytes, drain->extra.size);
	batch_clear(&drain->extra);
}

/* --- What a record refers to ------------------------------------------------------------------------------------ */

struct harvesting { struct drain *drain; uint32_t pid; };

static void put_mapping(void *context, const struct harvested_mapping *mapping)
{
	struct harvesting *harvesting = context;
	struct wire_mapping wire = { .start = mapping->start, .end = mapping->end, .offset = mapping->offset,
				     .process = harvesting->pid };
	const char *texts[] = { mapping->path, mapping->build_id, NULL };

	harvest_generated_mapping(harvest_generated(harvesting->drain->options.harvest), (pid_t)harvesting->pid, mapping);
	unwinding_map(harvesting->drain->unwinding, harvesting->pid, &wire, mapping->path, mapping->build_id);
	interpreting_map(harvesting->drain->interpreting, harvesting->pid, mapping->path);
	tls_map(harvesting->drain->tls, harvesting->pid, mapping->path);
	batch_put(&harvesting->drain->extra, WIRE_MAPPING, 0, &wire, sizeof(wire), texts);
}

/* A process is looked at when its first thread appears; one that is gone by then keeps what the kernel half said of it. */
static void harvest_new_process(struct drain *drain, uint32_t pid, bool mappings)
{
	struct harvested_process *process = xcalloc(1, sizeof(*process));
	struct harvesting harvesting = { drain, pid };
	char arguments[WIRE_TEXT] = "";

	if (!harvest_process(drain->options.harvest, (pid_t)pid, process)) {
		struct wire_process wire = { .process = pid, .parent = process->parent_pid, .namespace_process = process->namespace_pid };
		const char *texts[] = { process->comm, process->cgroup, process->executable, process->runtime, process->pid_namespace,
					arguments, NULL };

		if (drain->options.with_arguments)
			(void)harvest_arguments((pid_t)pid, arguments, sizeof(arguments));
		batch_put(&drain->extra, WIRE_PROCESS, 0, &wire, sizeof(wire), texts);
		harvest_generated_process(harvest_generated(drain->options.harvest), process);
		if (mappings && !process->kernel)
			(void)harvest_mappings(drain->options.harvest, (pid_t)pid, put_mapping, &harvesting);
		drain_feed_extra(drain);
	}
	free(process);
}

void drain_expect(struct drain *drain, uint32_t pid)
{
	harvest_new_process(drain, pid, false);
	drain->hurries = drain->expects = true;
}

static void before_record(struct drain *drain, const struct wire_head *head)
{
	const struct wire_thread *thread = (const void *)head;
	const struct wire_wait_interval *wait = (const void *)head;
	const struct wire_link *link = (const void *)head;

	if (head->kind == WIRE_LINK && head->size >= sizeof(*link)) {
		drain_name_lock(drain, link->lock_process, link->lock, link->contention);
		drain_name_waker(drain, link->holder);
	}
	if (head->kind == WIRE_WAIT_INTERVAL && head->size >= sizeof(*wait)) {
		drain_name_kernel_address(drain, wait->evidence.file_release, false);
		drain_name_waker(drain, wait->waker);
	}
	if (head->kind == WIRE_STACK && head->size >= sizeof(struct wire_stack)) {
		drain_name_kernel_stack(drain, (const void *)head);
		drain_name_interpreted(drain, (const void *)head);
	}
	if (head->kind == WIRE_THREAD && head->size >= sizeof(*thread)) {
		bool known = decoder_knows_process(drain->options.decoder, thread->process);

		drain->expects = false;         /* also where no side band tells of its exec */
		drain->totals.threads++;
		drain_feed(drain, head, head->size);
		if (!known)
			harvest_new_process(drain, thread->process, true);
	}
}

/* --- The side band ---------------------------------------------------------------------------------------------- */

/* What its memory held is retained to its end; a process whose other threads go on without the first is rare enough. */
static void put_heap_end(struct drain *drain, const struct sideband_record *record)
{
	struct wire_heap_process wire = { .process = record->pid, .event = WIRE_HEAP_ENDED };

	if (drain->options.heap)
		heap_ended(drain->options.heap, record->pid, record->time_ns);
	else if (drain->options.heap_running)
		batch_put(&drain->batch, WIRE_HEAP_PROCESS, record->time_ns, &wire, sizeof(wire), NULL);
}

static void put_sideband(void *context, const struct sideband_record *record)
{
	struct drain *drain = context;
	struct wire_space space = { .process = record->pid, .parent = record->parent_pid };
	struct harvested_mapping *mapping = &drain->mapping;

	if (record->kind == SIDEBAND_FORK && record->pid != record->parent_pid) {
		batch_put(&drain->batch, WIRE_SPACE_FORK, record->time_ns, &space, sizeof(space), NULL);
	} else if (record->kind == SIDEBAND_EXEC) {
		batch_put(&drain->batch, WIRE_SPACE_EXEC, record->time_ns, &space, sizeof(space), NULL);
	} else if (record->kind == SIDEBAND_EXIT && record->pid == record->tid) {
		put_heap_end(drain, record);
		drain_note_end(drain, record->pid);
		harvest_generated_exit(harvest_generated(drain->options.harvest), (pid_t)record->pid);
	} else if (record->kind == SIDEBAND_MAPPING) {
		struct wire_mapping wire;

		*mapping = *record->mapping;
		if (!*mapping->build_id && decoder_knows_process(drain->options.decoder, record->pid))
			harvest_identify(drain->options.harvest, (pid_t)record->pid, mapping);
		wire = (struct wire_mapping){ .start = mapping->start, .end = mapping->end, .offset = mapping->offset,
					      .process = record->pid };
		batch_put(&drain->batch, WIRE_MAPPING, record->time_ns, &wire, sizeof(wire),
			  (const char *const[]){ mapping->path, mapping->build_id, NULL });
	}
}

/* Space records of processes outside the population would only fill memory. */
static bool is_wanted(struct drain *drain, const struct wire_head *head)
{
	const struct wire_space *space = (const void *)head;
	const struct wire_mapping *mapping = (const void *)head;

	if (drain->options.everybody)
		return true;
	switch (head->kind) {
	case WIRE_SPACE_EXEC:
		return decoder_knows_process(drain->options.decoder, space->process);
	case WIRE_SPACE_FORK:
		return decoder_knows_process(drain->options.decoder, space->parent);
	case WIRE_MAPPING:
		return decoder_knows_process(drain->options.decoder, mapping->process);
	default:
		return true;
	}
}

/* A new image forgets what was open for the old one, and its mappings follow it: so both wait for their turn in time. */
static void after_record(struct drain *drain, const struct wire_head *head)
{
	const struct wire_mapping *wire = (const void *)head;
	struct harvested_mapping *mapping = &drain->mapping;

	if (head->kind == WIRE_SPACE_EXEC)
		harvest_new_process(drain, ((const struct wire_space *)(const void *)head)->process, false);
	if (head->kind != WIRE_MAPPING || head->size < sizeof(*wire))
		return;
	mapping->start = wire->start;
	mapping->end = wire->end;
	(void)snprintf(mapping->path, sizeof(mapping->path), "%s", wire_text(head, sizeof(*wire), 0));
	harvest_generated_mapping(harvest_generated(drain->options.harvest), (pid_t)wire->process, mapping);
}

/* What the walk must know comes from the same records. A stack that was copied is walked now, and takes their place. */
static const struct wire_head *unwound(struct drain *drain, const struct wire_head *head)
{
	const struct wire_space *space = (const void *)head;
	const struct wire_mapping *mapping = (const void *)head;

	switch (head->kind) {
	case WIRE_SPACE_EXEC:
		drain->hurries = true;
		drain->expects = false;
		unwinding_exec(drain->unwinding, space->process);
		interpreting_exec(drain->interpreting, space->process);
		break;
	case WIRE_SPACE_FORK:
		drain_keep_born(drain, space->process);
		unwinding_fork(drain->unwinding, space->process, space->parent);
		interpreting_fork(drain->interpreting, space->process, space->parent);
		break;
	case WIRE_MAPPING:
		unwinding_map(drain->unwinding, mapping->process, mapping, wire_text(head, sizeof(*mapping), 0),
			      wire_text(head, sizeof(*mapping), 1));
		interpreting_map(drain->interpreting, mapping->process, wire_text(head, sizeof(*mapping), 0));
		tls_map(drain->tls, mapping->process, wire_text(head, sizeof(*mapping), 0));
		break;
	case WIRE_STACK_COPY:
		unwinding_walk(drain->unwinding, (const void *)head, drain->options.stack_depth, &drain->walked);
		return &drain->walked.stack.head;
	case WIRE_REQUEST_PREFIX:
	case WIRE_REQUEST_EVENT:
		return drain_request(drain, head);
	}
	return head;
}

/* A process that ran where nothing was known to be mapped: some event was lost, or it mapped without telling. */
static void look_again(void *context, uint32_t pid)
{
	struct drain *drain = context;
	struct harvesting harvesting = { drain, pid };

	(void)harvest_mappings(drain->options.harvest, (pid_t)pid, put_mapping, &harvesting);
	drain_feed_extra(drain);
}

static void put_evaluator(void *context, uint32_t pid, uint64_t start, uint64_t end)
{
	struct drain *drain = context;
	struct wire_evaluator wire = { .start = start, .end = end, .process = pid };

	batch_put(&drain->extra, WIRE_EVALUATOR, 0, &wire, sizeof(wire), NULL);
	drain_feed_extra(drain);
}

static void settle_unwinding(struct drain *drain)
{
	unwinding_missing(drain->unwinding, look_again, drain);
	drain_forget_ended(drain);
	interpreting_tick(drain->interpreting, put_evaluator, drain);
	unwinding_publish(drain->unwinding);
}

void drain_tick(struct drain *drain)
{
	if (drain->options.heap)                /* before the side band, for the same reason as the ring */
		heap_read(drain->options.heap, drain->options.bpf->data->window_end_ns, &drain->batch);
	drain->hurries = drain->expects || (drain->options.heap && heap_is_busy(drain->options.heap));
	rings_read(drain);
	if (drain->sideband)
		(void)sideband_read(drain->sideband, put_sideband, drain);
	batch_sort(&drain->batch);
	for (size_t i = 0; i < drain->batch.count; i++) {
		const struct wire_head *head = batch_at(&drain->batch, i);

		if (!is_wanted(drain, head))
			continue;
		head = unwound(drain, head);
		before_record(drain, head);
		if (head->kind != WIRE_THREAD)
			drain_feed(drain, head, head->size);
		after_record(drain, head);
	}
	batch_clear(&drain->batch);
	settle_unwinding(drain);
}

bool drain_hurries(const struct drain *drain)
{
	return drain->hurries;
}

void drain_bytes(struct drain *drain, const void *bytes, size_t size)
{
	drain_feed(drain, bytes, size);
}

void drain_counts(const struct drain *drain, struct drain_counts *ret)
{
	*ret = drain->totals;
}

void drain_note_interpreting(const struct drain *drain)
{
	struct profile *profile = decoder_profile(drain->options.decoder);
	struct interpreting_statistics statistics;

	interpreting_statistics(drain->interpreting, &statistics);
	profile_set_meta_number(profile, "interpreter.processes", statistics.recognised);
	profile_set_meta_number(profile, "interpreter.processes_refused", statistics.refused);
	profile_set_meta_number(profile, "interpreter.names", statistics.names);
	profile_set_meta_number(profile, "interpreter.names_gone", statistics.names_gone);
	profile_set_meta_number(profile, "interpreter.scans", statistics.scans);
	profile_set_meta_number(profile, "interpreter.scan_ns", statistics.scan_ns);
}
