/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * On-CPU samples: at each tick of a per-CPU clock, the stack of the thread that runs, if it is of the population. The user
 * half moves the period about, so that periodic work cannot hide between the ticks.
 */
#include "probe/irq.bpf.h"

enum { REGISTER_CS = 17 };              /* its place in struct pt_regs; the low bits tell user mode */

#define SAMPLE_MAP(name)                                      \
	struct {                                              \
		__uint(type, BPF_MAP_TYPE_HASH);              \
		__uint(max_entries, 16384);                   \
		__type(key, struct wire_sample_key);          \
		__type(value, struct wire_sample_value);      \
	} name SEC(".maps")
SAMPLE_MAP(samples_even);
SAMPLE_MAP(samples_odd);

static struct wire_sample_value *sample_value(const struct wire_sample_key *key)
{
	static const struct wire_sample_value none = {};

	if (epoch & 1) {
		if (!bpf_map_lookup_elem(&samples_odd, key))
			bpf_map_update_elem(&samples_odd, key, &none, BPF_NOEXIST);
		return bpf_map_lookup_elem(&samples_odd, key);
	}
	if (!bpf_map_lookup_elem(&samples_even, key))
		bpf_map_update_elem(&samples_even, key, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&samples_even, key);
}

SEC("perf_event")
int sampler_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_sample_key key = {};
	struct task_ledger *ledger;
	struct wire_sample_value *value;
	__u64 now = bpf_ktime_get_ns();

	if (!task->pid || now <= window_start_ns || now > window_end_ns)
		return 0;
	ledger = ledger_of(task, false);
	if (!ledger || !ledger->serial)
		return 0;
	count(COUNT_SAMPLES);
	key.thread = ledger->serial;
	if (!(ctx->regs[REGISTER_CS] & 3))
		key.kernel = irq_watched && irq_in_softirq() ? WIRE_SAMPLE_SOFTIRQ : WIRE_SAMPLE_KERNEL;
	if (key.kernel)
		key.kernel_stack = stack_take(ctx, SCRATCH_INTERRUPT);
	key.user_stack = unwind_take(SCRATCH_INTERRUPT);
	value = sample_value(&key);
	if (!value) {
		count(COUNT_SAMPLES_LOST);
		return 0;
	}
	value->count++;                                         /* a thread runs on one CPU at a time: no race */
	value->ns += ctx->sample_period;
	return 0;
}
