/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Long delays of threads that could run, by thread, reason and who had the processor. The ledger's sums hold all of them. */
#include "probe/runnable.bpf.h"

const volatile bool runnable_watched = false;

#define READY_MAP(name)                                       \
	struct {                                              \
		__uint(type, BPF_MAP_TYPE_HASH);              \
		__uint(max_entries, 8192);                    \
		__type(key, struct wire_ready_key);           \
		__type(value, struct wire_ready_value);       \
	} name SEC(".maps")

/* As with waits, one of the pair is filled while the drain empties the other. */
READY_MAP(readies_even);
READY_MAP(readies_odd);
static const struct wire_ready_value no_ready_value = {};

static struct wire_ready_value *ready_value(const struct wire_ready_key *key)
{
	struct wire_ready_value *value;

	if (epoch & 1) {
		value = bpf_map_lookup_elem(&readies_odd, key);
		if (value)
			return value;
		bpf_map_update_elem(&readies_odd, key, &no_ready_value, BPF_NOEXIST);
		return bpf_map_lookup_elem(&readies_odd, key);
	}
	value = bpf_map_lookup_elem(&readies_even, key);
	if (value)
		return value;
	bpf_map_update_elem(&readies_even, key, &no_ready_value, BPF_NOEXIST);
	return bpf_map_lookup_elem(&readies_even, key);
}

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
	value = ready_value(&key);
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
