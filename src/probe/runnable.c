/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of runnable delays, and who ran meanwhile: details beside the ledger's sums (profile/ready.h). */
#include "profile/ready.h"

#include "base/cleanup.h"
#include "probe/probe.h"

static const struct { const char *name, *part; } reasons[WIRE_READY_REASONS] = {
	[WIRE_READY_UNSEEN] = { READY_UNSEEN, "woken" }, [WIRE_READY_PREEMPTED] = { READY_PREEMPTED, "preempted" },
	[WIRE_READY_YIELDED] = { READY_YIELDED, "preempted" }, [WIRE_READY_THROTTLED] = { READY_THROTTLED, "throttled" },
	[WIRE_READY_QUEUED] = { READY_QUEUED, "woken" }, [WIRE_READY_IDLE] = { READY_IDLE, "woken" },
};

static void decode_ready(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_ready *wire = (const void *)record;
	struct profile *profile = decoder_profile(decoder);
	unsigned reason = wire->key.reason < ARRAY_LENGTH(reasons) ? wire->key.reason : WIRE_READY_UNSEEN;
	const struct dimension_row *row = dimension_row_find("runnable", reasons[reason].part);
	struct thread_id thread = decoder_thread(decoder, wire->key.thread);

	if (!thread.index)                      /* never announced: that is counted with the ledger */
		return;
	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = thread, .other = decoder_waker(decoder, wire->key.by),
		.object = profile_object(profile, (struct object){
			.kind = profile_string(profile, wire->key.moved ? READY_MOVED : READY_STAYED),
			.name = profile_string(profile, reasons[reason].name) }),
		.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, row), .role = ROLE_DETAIL, .weighting = WEIGHTING_EXACT,
			.source = profile_string(profile, READY_REASONS) }),
		.count = wire->value.count, .value = wire->value.ns, .maximum = wire->value.maximum_ns });
}

static const struct wire_decoder decoders[] = { { WIRE_READY, sizeof(struct wire_ready), decode_ready }, { 0 } };

extern const struct probe probe_runnable;
const struct probe probe_runnable = {
	.name = "runnable", .by_default = true, .summary = "why threads that could run did not, and who ran instead",
	.fills = "runnable", .without = "runnable delays have no reasons and no preempters",
	.exposes = "which threads had the processor that others of the population could have used",
	.programs = { { "runnable_add", NULL, 120 } }, .decoders = decoders,
};
