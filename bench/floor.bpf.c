/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The floor: three programs that do nothing, on the three events that a ledger of waits needs. What they cost, any tracer of these
 * events costs here before it has looked at anything; bench/futex shows crosscut beside it.
 */
#include "probe/kernel_types.bpf.h"

#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int switched(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int waken(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_wakeup")
int woken(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
