/* SPDX-License-Identifier: Apache-2.0 */
/* On-CPU samples: which code the exact on-CPU time was spent in. */
#include "probe/probe.h"

static void decode_sample(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_sample *sample = (const void *)record;
	struct profile *profile = decoder_profile(decoder);
	static const char *const parts[WIRE_SAMPLE_MODES] = {
		[WIRE_SAMPLE_USER] = "user", [WIRE_SAMPLE_KERNEL] = "kernel", [WIRE_SAMPLE_SOFTIRQ] = "softirq",
	};
	uint32_t mode = sample->key.mode < WIRE_SAMPLE_MODES ? sample->key.mode : WIRE_SAMPLE_KERNEL;
	const struct dimension_row *row = dimension_row_find("oncpu", parts[mode]);

	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = decoder_thread(decoder, sample->key.thread),
		.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, row), .role = ROLE_SPLIT, .weighting = WEIGHTING_SAMPLED,
			.source = profile_string(profile, "cpu-clock"),
			.period = profile_meta_number(profile, "sampler.period_ns", 0) }),
		.stack = decoder_stack(decoder, sample->key.user_stack, sample->key.kernel_stack),
		.count = sample->value.count, .value = sample->value.ns,
		.maximum = sample->value.count ? sample->value.ns / sample->value.count : 0,
		.variance = sample->value.count ? (double)sample->value.ns * (double)sample->value.ns / (double)sample->value.count : 0,
	});
}

static const struct wire_decoder decoders[] = {
	{ WIRE_SAMPLE, sizeof(struct wire_sample), decode_sample },
	{ 0 },
};

extern const struct probe probe_sampler;
const struct probe probe_sampler = {
	.name = "sampler", .by_default = true, .summary = "stacks of running threads at a steady rate",
	.fills = "oncpu/user, oncpu/kernel", .without = "on-CPU time has no stacks and is not split into user and kernel",
	.exposes = "addresses of functions on the stacks of running threads",
	.programs = { { "sampler_tick", NULL, 12800 } },
	.decoders = decoders,
};
