/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls become amounts of their call: exact ones of the role TOTAL, with the power of two of their length, and by stack
 * those whose stack was taken. An object is a call, or a call with the error it ended with ("openat ENOENT").
 */
#include "probe/probe.h"

#include <stdio.h>

#include "profile/system_call.h"

enum { SAMPLE = 1 };                    /* what one taken call stands for, before its probability */

static struct object_id object_of(struct profile *profile, const char *kind, const char *name)
{
	return profile_object(profile, (struct object){ .kind = profile_string(profile, kind), .name = profile_string(profile, name) });
}

/* A cell of one dimension like another, of which all else is known. */
static void add(struct decoder *decoder, struct cell cell, const char *dimension, bool sampled, uint64_t value)
{
	struct profile *profile = decoder_profile(decoder);

	if (!value)
		return;
	cell.measure = profile_measure(profile, (struct measure){
		.dimension = profile_dimension(profile, dimension_row_find(NULL, dimension)),
		.role = sampled ? ROLE_SPLIT : ROLE_TOTAL, .weighting = sampled ? WEIGHTING_SAMPLED : WEIGHTING_EXACT,
		.source = profile_string(profile, "syscalls"), .period = sampled ? SAMPLE : 0 });
	cell.value = value;
	if (sampled && cell.count) {
		double each = (double)value / (double)cell.count, inverse = (double)(1ull << cell.p_log2);

		cell.variance = (double)cell.count * each * each * inverse * (inverse - 1);
	}
	profile_add_cell(profile, cell);
}

static void add_call(struct decoder *decoder, const struct wire_call *wire, struct cell cell, bool sampled)
{
	struct profile *profile = decoder_profile(decoder);
	char name[SYSTEM_CALL_NAME_SIZE], error[SYSTEM_CALL_NAME_SIZE], both[2 * SYSTEM_CALL_NAME_SIZE];
	const struct wire_call_value *value = &wire->value;
	struct cell timed;

	(void)system_call_name(wire->key.call, name);
	cell.object = object_of(profile, "system-call", name);
	cell.count = value->count;
	timed = cell;
	timed.length_log2 = sampled ? 0 : wire->key.bucket & 63;
	timed.maximum = value->maximum_ns;
	add(decoder, cell, "system-calls", sampled, value->count);
	add(decoder, timed, "system-call-time", sampled, value->ns);
	add(decoder, cell, "system-call-oncpu", sampled, value->oncpu_ns);
	if (system_call_moves_bytes(name))
		add(decoder, cell, "system-call-bytes", sampled, value->returned);
	if (!wire->key.error)
		return;
	(void)snprintf(both, sizeof(both), "%s %s", name, system_call_error(wire->key.error, error));
	cell.object = object_of(profile, "system-call-error", both);
	add(decoder, cell, "system-call-errors", sampled, value->count);
}

static void decode_call(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_call *wire = (const void *)record;
	struct cell cell = { .slice = decoder_slice(decoder), .thread = decoder_thread(decoder, wire->key.thread) };

	if (cell.thread.index)                  /* else never announced: that is counted with the ledger */
		add_call(decoder, wire, cell, false);
}

static void decode_call_split(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_call *wire = (const void *)record;
	struct cell cell = { .slice = decoder_slice(decoder), .thread = decoder_thread(decoder, wire->key.thread),
			     .stack = decoder_stack(decoder, wire->key.user_stack, 0), .p_log2 = wire->key.p_log2 & 31 };

	if (cell.thread.index)
		add_call(decoder, wire, cell, true);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_CALL, sizeof(struct wire_call), decode_call },
	{ WIRE_CALL_SPLIT, sizeof(struct wire_call), decode_call_split },
	{ 0 },
};

extern const struct probe probe_syscalls;
const struct probe probe_syscalls = {
	.name = "syscalls", .summary = "every system call: counts, lengths, errors, time on the processor",
	.fills = "oncpu, system-calls, system-call-time, system-call-oncpu, system-call-errors, system-call-bytes",
	.without = "system calls are not counted, and time in user code and in the kernel is told apart by samples",
	.paid = "each system call of the population pays both, and each of every other thread of the host a look at both",
	.exposes = "which system calls each thread makes, how long they take and how they fail; no argument of any",
	.programs = { { "syscall_entered", "sys_enter", 230 }, { "syscall_left", "sys_exit", 180 } },
	.decoders = decoders,
};
