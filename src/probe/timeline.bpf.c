/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Sends every interval that ended, where the user asked for that. It has a ring of its own: a flood of intervals may lose
 * intervals, and these are counted, but never the record of a thread's birth or end or a stack, which the ledger needs.
 * Whatever is lost here, the sums are exact.
 */
#include "probe/timeline.bpf.h"

const volatile bool timeline = false;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);                      /* the user half asks for more where it is used */
} timeline_ring SEC(".maps");

static __always_inline void send(void *record, __u32 size)
{
	count(COUNT_INTERVALS);
	if (bpf_ringbuf_output(&timeline_ring, record, size, BPF_RB_NO_WAKEUP))
		count(COUNT_INTERVALS_LOST);
}

HIDDEN void timeline_add(__u32 thread, __u32 state, __u64 start, __u64 end)
{
	struct wire_interval record = {
		.head = { .size = sizeof(record), .kind = WIRE_INTERVAL, .time_ns = end },
		.start_ns = start, .thread = thread, .state = state,
	};

	if (end > start)
		send(&record, sizeof(record));
}

HIDDEN void timeline_add_wait(const struct task_ledger *ledger, const struct wire_evidence *evidence, __u64 start, __u64 end)
{
	struct wire_wait_interval record = {
		.head = { .size = sizeof(record), .kind = WIRE_WAIT_INTERVAL, .time_ns = end },
		.start_ns = start, .thread = ledger->serial, .waker = ledger->waker, .evidence = *evidence,
		.user_stack = ledger->sampled ? ledger->user_stack : 0,
	};

	if (end > start)
		send(&record, sizeof(record));
}
