/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Sends every interval that ended, where the user asked for that, and of threads with a decomposed request in any case. It has a ring of its own: a flood of intervals may lose
 * intervals, and these are counted, but never the record of a thread's birth or end or a stack, which the ledger needs.
 * Whatever is lost here, the sums are exact.
 */
#include "probe/timeline.bpf.h"

const volatile bool timeline = false;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);                      /* the user half asks for more where it is used */
} timeline_ring SEC(".maps");

enum { REQUEST_TEXT_BYTES = 91 };

/* Inline: the kernel allows eight calls within each other, and a lock's last segment at a thread's end needs them. */
static __always_inline bool output(void *record, __u32 size)
{
	return !bpf_ringbuf_output(&timeline_ring, record, size, BPF_RB_NO_WAKEUP);
}

HIDDEN bool timeline_send(void *record, __u32 size)
{
	return output(record, size);
}

HIDDEN bool timeline_send_prefix(const struct wire_request_open *head, const void *from, __u32 bytes)
{
	struct wire_request_prefix *record = bpf_ringbuf_reserve(&timeline_ring, sizeof(*record), 0);

	if (!record)
		return false;
	record->open = *head;
	record->open.head.size = sizeof(*record);
	if (bytes > sizeof(record->prefix))
		bytes = sizeof(record->prefix);
	if (from && !bytes) {
		long length = bpf_probe_read_user_str(record->prefix, REQUEST_TEXT_BYTES, from);

		bytes = length > 0 ? length - 1 : WIRE_REQUEST_ELSEWHERE;
		if (length <= 0) {
			record->place.address = (__u64)from;
			record->place.process = bpf_get_current_pid_tgid() >> 32;
		}
	} else if (bytes && bpf_probe_read_user(record->prefix, bytes, from)) {
		bytes = 0;
	}
	record->open.bytes = bytes;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return true;
}

static __always_inline void send(void *record, __u32 size)
{
	count(COUNT_INTERVALS);
	if (!output(record, size))
		count(COUNT_INTERVALS_LOST);
}

static __always_inline __u16 purpose(const struct task_ledger *ledger)
{
	return (requests && ledger->requests_traced ? WIRE_OF_REQUEST : 0) | (timeline ? 0 : WIRE_NOT_KEPT);
}

HIDDEN void timeline_add(const struct task_ledger *ledger, __u32 state, __u64 start, __u64 end)
{
	struct wire_interval record = {
		.head = { .size = sizeof(record), .kind = WIRE_INTERVAL, .reserved = purpose(ledger), .time_ns = end },
		.start_ns = start, .thread = ledger->serial, .state = state,
	};

	if (end > start)
		send(&record, sizeof(record));
}

HIDDEN void timeline_add_wait(const struct task_ledger *ledger, const struct wire_evidence *evidence, __u64 start, __u64 end)
{
	struct wire_wait_interval record = {
		.head = { .size = sizeof(record), .kind = WIRE_WAIT_INTERVAL, .reserved = purpose(ledger), .time_ns = end },
		.start_ns = start, .thread = ledger->serial, .waker = ledger->waker, .evidence = *evidence,
		.user_stack = ledger->sampled ? ledger->user_stack : 0, .waker_stack = ledger->sampled ? ledger->waker_stack : 0,
	};

	if (end > start)
		send(&record, sizeof(record));
}

HIDDEN void timeline_add_link(const struct wire_link *record)
{
	if (record->end_ns > record->start_ns)
		send((void *)record, sizeof(*record));
}
