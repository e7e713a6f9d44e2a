/* SPDX-License-Identifier: Apache-2.0 */
/* What processes' memory consists of at the end: levels beside what was allocated. Nothing of it runs in the kernel. */
#include "probe/probe.h"

static void add_level(struct decoder *decoder, struct thread_id thread, const char *parent, const char *name, uint64_t value)
{
	struct profile *profile = decoder_profile(decoder);

	if (value)
		profile_add_cell(profile, (struct cell){
			.slice = decoder_slice(decoder), .thread = thread, .count = 1, .value = value,
			.measure = profile_measure(profile, (struct measure){
				.dimension = profile_dimension(profile, dimension_row_find(parent, name)), .role = ROLE_TOTAL,
				.weighting = WEIGHTING_EXACT, .source = profile_string(profile, "smaps") }) });
}

static void decode_resident(struct decoder *decoder, const struct wire_head *record)
{
	static const char *const parts[WIRE_RESIDENT_PARTS] = { "heap", "files", "shared", "stacks", "generated", "other", "classes" };
	const struct wire_resident *wire = (const void *)record;
	struct thread_id thread = decoder_waker(decoder, wire->process);

	for (unsigned i = 0; i < WIRE_RESIDENT_PARTS; i++)
		add_level(decoder, thread, "resident", parts[i], wire->bytes[i]);
	add_level(decoder, thread, NULL, "page-tables", wire->page_tables);
	add_level(decoder, thread, NULL, "swapped", wire->swapped);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_RESIDENT, sizeof(struct wire_resident), decode_resident },
	{ 0 },
};

extern const struct probe probe_resident;
const struct probe probe_resident = {
	.name = "resident", .summary = "what processes' memory consists of (on with heap)",
	.fills = "resident, page-tables, swapped", .without = "live memory is not set beside what is resident",
	.decoders = decoders,
};
