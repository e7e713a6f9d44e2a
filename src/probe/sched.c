/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's records become the ledger: per thread and slice, cells for running, runnable and each wait. One wire
 * record carries a wait, the delay after it, and what ran before it, so it becomes several cells here.
 */
#include "probe/interrupt_book.h"
#include "probe/probe.h"

static struct measure_id measure_from(struct profile *profile, const char *source, const char *parent, const char *name,
				      enum measure_role role, enum weighting weighting)
{
	const struct dimension_row *row = name ? dimension_row_find(parent, name) : NULL;

	return profile_measure(profile, (struct measure){
		.dimension = row ? profile_dimension(profile, row) : (struct dimension_id){ 0 }, .role = role,
		.weighting = weighting, .source = profile_string(profile, source) });
}

static struct measure_id measure_of(struct profile *profile, const char *parent, const char *name, enum measure_role role,
				    enum weighting weighting)
{
	return measure_from(profile, "sched", parent, name, role, weighting);
}

static void add_from(struct decoder *decoder, const char *source, uint32_t thread, const char *parent, const char *name,
		     uint64_t count, uint64_t value, uint64_t maximum)
{
	struct profile *profile = decoder_profile(decoder);

	if (!count && !value)
		return;
	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = decoder_thread(decoder, thread),
		.measure = measure_from(profile, source, parent, name, ROLE_TOTAL, WEIGHTING_EXACT),
		.count = count, .value = value, .maximum = maximum });
}

static void add(struct decoder *decoder, uint32_t thread, const char *parent, const char *name, uint64_t count, uint64_t value,
		uint64_t maximum)
{
	add_from(decoder, "sched", thread, parent, name, count, value, maximum);
}

static void add_wait(struct decoder *decoder, uint32_t thread, const struct wire_evidence *seen, uint64_t count, uint64_t ns,
		     uint64_t maximum)
{
	struct profile *profile = decoder_profile(decoder);

	if (!count && !ns)
		return;
	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = decoder_thread(decoder, thread),
		.measure = measure_of(profile, NULL, NULL, ROLE_TOTAL, WEIGHTING_EXACT),
		.evidence = decoder_evidence(decoder, seen), .length_log2 = seen->bucket & 63, .count = count, .value = ns,
		.maximum = maximum });
}

/* What interrupts took of it is taken out of it. How often they came is an amount: it is no count of on-CPU intervals. */
static void add_oncpu(struct decoder *decoder, uint32_t thread, const struct wire_wait_value *value)
{
	static const char *const parts[] = { [INTERRUPT_HANDLER] = "irq", [INTERRUPT_SOFTIRQ] = "softirq" };
	static const char *const amounts[] = { [INTERRUPT_HANDLER] = "interrupts", [INTERRUPT_SOFTIRQ] = "softirqs" };
	uint64_t left = value->oncpu_ns;

	for (unsigned part = 0; part < INTERRUPT_PARTS; part++) {
		struct interrupted taken = interrupt_book_take(decoder_interrupts(decoder), thread, part, left);

		add(decoder, thread, "oncpu", parts[part], 0, taken.ns, 0);
		add_from(decoder, "irq", thread, NULL, amounts[part], taken.count, taken.count, 0);
		left -= taken.ns;
	}
	add(decoder, thread, NULL, "oncpu", value->oncpu_count, left, 0);
}

static void decode_wait(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_wait *wait = (const void *)record;
	const struct wire_wait_value *value = &wait->value;
	const struct wire_evidence lost = { .flags = WIRE_LOST, .syscall = SYSCALL_NONE };
	uint32_t thread = wait->key.thread;

	add_wait(decoder, thread, &wait->key.evidence, value->count, value->wait_ns, value->wait_maximum_ns);
	add_wait(decoder, thread, &lost, value->lost_count, value->lost_ns, 0);
	add(decoder, thread, "runnable", "woken", value->woken_count, value->woken_ns, value->woken_maximum_ns);
	add(decoder, thread, "runnable", "preempted", value->preempted_count, value->preempted_ns, 0);
	add(decoder, thread, "runnable", "throttled", value->throttled_count, value->throttled_ns, 0);
	add_oncpu(decoder, thread, value);
	add(decoder, thread, NULL, "context-switches", value->oncpu_count, value->oncpu_count, 0);
	add(decoder, thread, NULL, "migrations", value->migrations, value->migrations, 0);
}

/* Waits of one cell lie in one power of two, so n waits of mean m have a sum of squares near n m^2. */
static double split_variance(const struct wire_split *split)
{
	double mean = split->value.count ? (double)split->value.wait_ns / (double)split->value.count : 0;
	double inverse = (double)(1ull << (split->key.p_log2 & 31));

	return (double)split->value.count * mean * mean * inverse * (inverse - 1);
}

static void decode_split(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_split *split = (const void *)record;
	struct profile *profile = decoder_profile(decoder);
	const struct wire_split_key *key = &split->key;

	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .thread = decoder_thread(decoder, key->wait.thread),
		.measure = measure_of(profile, NULL, NULL, ROLE_SPLIT, WEIGHTING_SAMPLED),
		.evidence = decoder_evidence(decoder, &key->wait.evidence),
		.stack = decoder_stack(decoder, key->user_stack, key->wait.evidence.kernel_stack),
		.other = decoder_waker(decoder, key->waker), .other_stack = decoder_waker_stack(decoder, key->waker_stack),
		.p_log2 = key->p_log2 & 31, .length_log2 = key->wait.evidence.bucket & 63,
		.count = split->value.count, .value = split->value.wait_ns, .maximum = split->value.maximum_ns,
		.variance = split_variance(split) });
}

static void decode_delays(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_delays *delays = (const void *)record;
	struct profile *profile = decoder_profile(decoder);
	struct measure_id measure = measure_of(profile, "runnable", delays->preempted ? "preempted" : "woken", ROLE_DETAIL,
					       WEIGHTING_EXACT);

	for (unsigned i = 0; i < WIRE_DELAY_BUCKETS; i++) {
		if (!delays->buckets[i].count)
			continue;
		profile_add_cell(profile, (struct cell){
			.slice = decoder_slice(decoder), .measure = measure, .length_log2 = (uint8_t)i,
			.count = delays->buckets[i].count, .value = delays->buckets[i].ns });
	}
}

static const struct wire_decoder decoders[] = {
	{ WIRE_WAIT, sizeof(struct wire_wait), decode_wait },
	{ WIRE_SPLIT, sizeof(struct wire_split), decode_split },
	{ WIRE_DELAY, sizeof(struct wire_delays), decode_delays },
	{ 0 },
};

extern const struct probe probe_sched;
const struct probe probe_sched = {
	.name = "sched", .summary = "the ledger: what every thread did at every instant",
	.fills = "every state, context-switches, migrations", .without = "there is no ledger", .required = true,
	.exposes = "system call numbers, types of files waited for, addresses of functions on the stacks of sampled waits",
	.programs = {
		{ "sched_switched", "sched_switch", 141 }, { "sched_waken", "sched_waking", 90 }, { "sched_woken", "sched_wakeup", 64 },
		{ "sched_born", "sched_wakeup_new", 400 }, { "sched_forked", "sched_process_fork", 60 }, { "ledger_begin", NULL, 2300 },
		{ "ledger_end", NULL, 900 },
	},
	.decoders = decoders,
};
