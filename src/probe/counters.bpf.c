/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * A counter went round: one stack of whoever runs, if it is of the population. Which counter is told by the cookie that it was
 * attached with. The kernel runs no second program of this kind while one runs on the same CPU, so the sampler's room for
 * a stack can be used.
 */
#include "probe/kernel.bpf.h"

enum { REGISTER_CS = 17 };              /* its place in struct pt_regs; the low bits tell user mode */

PAIR_OF_MAPS(counter_sums, 16384, BPF_F_NO_PREALLOC, struct wire_counter_key, struct wire_counter_value);

static __always_inline int passed(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_counter_key key = {};
	struct wire_counter_value *value;
	struct task_ledger *ledger;
	__u64 now = bpf_ktime_get_ns();

	if (!task->pid || now <= window_start_ns || now > window_end_ns)
		return 0;
	ledger = ledger_of(task, false);
	if (!ledger || !ledger->serial)
		return 0;
	count(COUNT_COUNTER_EVENTS);
	key.thread = ledger->serial;
	key.event = (__u32)bpf_get_attach_cookie(ctx);
	if (!(ctx->regs[REGISTER_CS] & 3)) {
		key.event |= WIRE_COUNTER_KERNEL;
		key.kernel_stack = stack_take(ctx, SCRATCH_INTERRUPT);
	}
	key.user_stack = unwind_take(SCRATCH_INTERRUPT);
	value = PAIR_VALUE(counter_sums, &key);
	if (!value) {
		count(COUNT_COUNTER_EVENTS_LOST);
		return 0;
	}
	value->count++;                                         /* a thread runs on one CPU at a time: no race */
	value->events += ctx->sample_period;
	return 0;
}

SEC("perf_event")
int counter_passed(struct bpf_perf_event_data *ctx)
{
	return passed(ctx);
}

SEC("perf_event")
int fault_passed(struct bpf_perf_event_data *ctx)
{
	return passed(ctx);
}
