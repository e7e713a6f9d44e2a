/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Long delays of threads that could run, by thread, reason and who had the processor. The ledger's sums hold all of them. */
#include "probe/runnable.bpf.h"

const volatile bool runnable_watched = false;

PAIR_OF_MAPS(readies, 8192, 0, struct wire_ready_key, struct wire_ready_value);

VERIFIED_ONCE int runnable_add(struct task_ledger *ledger, __u64 ns)
{
	struct wire_ready_key key = {};
	struct wire_ready_value *value;

	if (!ledger)
		return 0;
	count(COUNT_READIES);
	key.thread = ledger->serial;
	key.reason = ledger->ready_why;
	if (key.reason != WIRE_READY_UNSEEN) {
		key.by = ledger->ready_by;
		key.moved = ledger->cpu != ~0u && ledger->cpu != bpf_get_smp_processor_id();
	}
	ledger->ready_why = WIRE_READY_UNSEEN;
	value = PAIR_VALUE(readies, &key);
	if (!value) {
		count(COUNT_READIES_LOST);
		return 0;
	}
	if (!value->count)
		__builtin_memcpy(value->comm, ledger->ready_comm, sizeof(value->comm));
	value->count++;                                 /* by its own thread alone: no race */
	value->ns += ns;
	if (ns > value->maximum_ns)
		value->maximum_ns = ns;
	return 0;
}
