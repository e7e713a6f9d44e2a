/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block I/O: what devices did, and the links of the waits that ended with the thread's own request. Both are amounts of a
 * device and an operation; the waits themselves are the ledger's.
 */
#include "probe/probe.h"

#include <stdio.h>

static const char *operation_name(unsigned operation, char *text, size_t size)
{
	static const struct { unsigned number; const char *name; } names[] = {
		{ 0, "read" }, { 1, "write" }, { 2, "flush" }, { 3, "discard" }, { 5, "secure-erase" }, { 9, "write-zeroes" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].number == operation)
			return names[i].name;
	(void)snprintf(text, size, "operation-%u", operation);
	return text;
}

static void add(struct decoder *decoder, struct object_id object, const char *part, const char *name, uint64_t count, uint64_t value,
		uint64_t maximum)
{
	struct profile *profile = decoder_profile(decoder);

	if (!value)
		return;
	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .object = object, .count = count, .value = value, .maximum = maximum,
		.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, dimension_row_find(part, name)),
			.role = part ? ROLE_DETAIL : ROLE_TOTAL, .weighting = WEIGHTING_EXACT, .source = profile_string(profile, "block") }) });
}

static void decode_io(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_io *wire = (const void *)record;
	const struct wire_io_value *value = &wire->value;
	struct profile *profile = decoder_profile(decoder);
	static const char parent[] = "block-operations";
	char name[80], operation[32];
	struct object_id object;

	(void)snprintf(name, sizeof(name), "%.32s %s", wire_text(record, sizeof(*wire), 0),
		       operation_name(wire->key.operation, operation, sizeof(operation)));
	object = profile_object(profile, (struct object){ .kind = profile_string(profile, "device"), .name = profile_string(profile, name) });
	add(decoder, object, NULL, "block-operations", value->count, value->count, 0);
	add(decoder, object, NULL, "block-bytes", value->count, value->bytes, 0);
	add(decoder, object, parent, "queue", 0, value->queue_ns, 0);
	add(decoder, object, parent, "device", 0, value->device_ns, value->device_maximum_ns);
	add(decoder, object, parent, "errors", 0, value->errors, 0);
	add(decoder, object, parent, "retries", 0, value->retries, 0);
	add(decoder, object, parent, "merges", 0, value->merges, 0);
	add(decoder, object, parent, "waits", 0, value->waits, 0);
	add(decoder, object, parent, "wait-queue", 0, value->wait_queue_ns, 0);
	add(decoder, object, parent, "wait-device", 0, value->wait_device_ns, 0);
	add(decoder, object, parent, "wait-wake", 0, value->wait_wake_ns, 0);
	add(decoder, object, parent, "wait-runnable", 0, value->wait_runnable_ns, 0);
}

static const struct wire_decoder decoders[] = { { WIRE_IO, sizeof(struct wire_io), decode_io }, { 0 } };

extern const struct probe probe_block;
const struct probe probe_block = {
	.name = "block", .by_default = true, .summary = "block requests: what devices did, and whose request ended a wait",
	.fills = "disk, paging, block-operations, block-bytes", .without = "disk waits are not matched to the thread's own requests",
	.programs = { { "block_bio_queued", "block_bio_queue", 91 }, { "block_request_issued", "block_rq_issue", 200 },
		      { "block_request_completed", "block_rq_complete", 300 }, { "block_request_requeued", "block_rq_requeue", 60 },
		      { "block_bio_merged_back", "block_bio_backmerge", 40 }, { "block_bio_merged_front", "block_bio_frontmerge", 40 } },
	.decoders = decoders,
};
