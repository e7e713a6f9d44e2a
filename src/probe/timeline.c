/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals one by one. They are beside the ledger and not of it: the cells hold the sums, so an interval that was lost is
 * missing here and nowhere else.
 */
#include "probe/probe.h"
#include "probe/request_book.h"

static const struct { const char *parent, *name; } states[] = {
	[WIRE_INTERVAL_ONCPU] = { NULL, "oncpu" },
	[WIRE_INTERVAL_PREEMPTED] = { "runnable", "preempted" },
	[WIRE_INTERVAL_THROTTLED] = { "runnable", "throttled" },
	[WIRE_INTERVAL_WOKEN] = { "runnable", "woken" },
	[WIRE_INTERVAL_LOST] = { NULL, "unknown" },
};

/* One that cannot be placed counts as lost: its thread was never announced, or its ends are no interval. */
static bool add(struct decoder *decoder, const struct wire_head *record, uint32_t serial, struct interval interval, bool running)
{
	struct profile *profile = decoder_profile(decoder);
	bool sound = interval.thread.index && interval.start_ns <= interval.end_ns;
	size_t before = profile_interval_count(profile);

	if (sound && (record->reserved & WIRE_OF_REQUEST))
		request_book_interval(decoder_requests(decoder), serial, &(struct request_interval){
			.start_ns = interval.start_ns, .end_ns = interval.end_ns, .dimension = interval.dimension,
			.evidence = interval.evidence, .stack = interval.stack, .other = interval.waker, .running = running });
	if (sound && !(record->reserved & WIRE_NOT_KEPT))
		profile_add_interval(profile, interval);
	if (!sound)
		profile_add_loss(profile, (struct loss){ .slice = decoder_slice(decoder),
							 .source = profile_string(profile, "intervals"), .lost = 1 });
	return profile_interval_count(profile) > before;
}

static void decode_interval(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_interval *wire = (const void *)record;
	bool known = wire->state && wire->state < sizeof(states) / sizeof(*states);
	const struct dimension_row *row = known ? dimension_row_find(states[wire->state].parent, states[wire->state].name) : NULL;

	(void)add(decoder, record, wire->thread, (struct interval){
		.thread = row ? decoder_thread(decoder, wire->thread) : (struct thread_id){ 0 }, .start_ns = wire->start_ns,
		.end_ns = record->time_ns, .dimension = row ? profile_dimension(decoder_profile(decoder), row)
							    : (struct dimension_id){ 0 } }, wire->state == WIRE_INTERVAL_ONCPU);
}

static void decode_wait_interval(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_wait_interval *wire = (const void *)record;

	if (add(decoder, record, wire->thread, (struct interval){
		.thread = decoder_thread(decoder, wire->thread), .start_ns = wire->start_ns, .end_ns = record->time_ns,
		.evidence = decoder_evidence(decoder, &wire->evidence),
		.stack = decoder_stack(decoder, wire->user_stack, wire->evidence.kernel_stack),
		.waker = decoder_waker(decoder, wire->waker),
		.waker_stack = decoder_waker_stack(decoder, wire->waker_stack) }, false))
		decoder_link_interval(decoder, wire->thread, wire->start_ns, record->time_ns);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_INTERVAL, sizeof(struct wire_interval), decode_interval },
	{ WIRE_WAIT_INTERVAL, sizeof(struct wire_wait_interval), decode_wait_interval },
	{ 0 },
};

extern const struct probe probe_timeline;
const struct probe probe_timeline = {
	.name = "timeline", .summary = "every interval of every thread by itself, beside the sums",
	.fills = "every state", .without = "only the sums of a slice are kept, not when each interval was",
	.exposes = "when each thread ran, waited and for how long, and who woke it",
	.programs = { { "timeline_add", NULL, 150 }, { "loopback_arrived", "sk_data_ready", 150 } }, .decoders = decoders,
};
