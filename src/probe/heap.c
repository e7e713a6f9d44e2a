/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs allocate and keep, as the preloaded shim samples it: the records of it. No program of it runs in the kernel.
 */
#include "probe/heap_book.h"
#include "probe/probe.h"

#define SIZE_MOST (1ull << 48)                  /* no address space holds more */

static void decode_sample(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_heap_sample *wire = (const void *)record;

	if (wire->size > SIZE_MOST)             /* the target can write anything to what it shares with us */
		return;
	heap_book_add(decoder_heap(decoder), decoder_slice(decoder), &(struct heap_object){
		.id = wire->id, .size = wire->size, .born_ns = record->time_ns, .process = wire->process,
		.thread = decoder_waker(decoder, wire->thread), .stack = decoder_stack(decoder, wire->stack, 0) }, wire->mean_bytes);
}

static void decode_freed(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_heap_freed *wire = (const void *)record;

	heap_book_freed(decoder_heap(decoder), decoder_slice(decoder), wire->id, wire->process, record->time_ns);
}

static void count_meta(struct profile *profile, const char *key)
{
	profile_set_meta_number(profile, key, profile_meta_number(profile, key, 0) + 1);
}

static void decode_process(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_heap_process *wire = (const void *)record;

	if (wire->event == WIRE_HEAP_BEGAN)
		count_meta(decoder_profile(decoder), "heap.processes");
	if (wire->event == WIRE_HEAP_REFUSED)
		count_meta(decoder_profile(decoder), "heap.processes_refused");
	heap_book_ended(decoder_heap(decoder), decoder_slice(decoder), wire->process, record->time_ns);
}

static void decode_end(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_heap_end *wire = (const void *)record;

	profile_set_meta_number(decoder_profile(decoder), "heap.unsampled", wire->unsampled);
	heap_book_close(decoder_heap(decoder), decoder_slice(decoder), record->time_ns);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_HEAP_SAMPLE, sizeof(struct wire_heap_sample), decode_sample },
	{ WIRE_HEAP_FREED, sizeof(struct wire_heap_freed), decode_freed },
	{ WIRE_HEAP_PROCESS, sizeof(struct wire_heap_process), decode_process },
	{ WIRE_HEAP_END, sizeof(struct wire_heap_end), decode_end },
	{ 0 },
};

extern const struct probe probe_heap;
const struct probe probe_heap = {
	.name = "heap", .summary = "what a command allocates and keeps, sampled by a preloaded shim",
	.fills = "alloc_space, alloc_objects, inuse_space, inuse_objects",
	.without = "allocations are not seen", .exposes = "up to 28 KiB of the stack at each sampled allocation, to walk it; none of it is kept",
	.decoders = decoders,
};
