/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * On-CPU samples: at each tick of a per-CPU clock, the stack of the thread that runs, if it is of the population. The user
 * half moves the period about, so that periodic work cannot hide between the ticks.
 */
#include "probe/irq.bpf.h"

enum { REGISTER_CS = 17 };              /* its place in struct pt_regs; the low bits tell user mode */

PAIR_OF_MAPS(samples, 16384, 0, struct wire_sample_key, struct wire_sample_value);

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
		key.mode = irq_watched && irq_in_softirq() ? WIRE_SAMPLE_SOFTIRQ : WIRE_SAMPLE_KERNEL;
	if (key.mode != WIRE_SAMPLE_USER)
		key.kernel_stack = stack_take(ctx, SCRATCH_INTERRUPT);
	key.user_stack = unwind_take(SCRATCH_INTERRUPT);
	value = PAIR_VALUE(samples, &key);
	if (!value) {
		count(COUNT_SAMPLES_LOST);
		return 0;
	}
	value->count++;                                         /* a thread runs on one CPU at a time: no race */
	value->ns += ctx->sample_period;
	return 0;
}
