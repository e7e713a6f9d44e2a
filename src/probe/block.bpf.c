/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Block I/O as evidence: did the waiting thread itself submit a request, and was it that one whose completion woke it?
 */
#include "probe/kernel.bpf.h"

/* The request that was completed last on this CPU: its waiters are woken next, in the same softirq. */
struct completed { __u64 sector, end; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct completed);
} completed_last SEC(".maps");

SEC("?tp_btf/block_bio_queue")
int BPF_PROG(block_bio_queued, struct bio *bio)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	if (!ledger || !bpf_core_field_exists(bio->bi_iter.bi_sector))
		return 0;
	count(COUNT_BLOCK);
	ledger->own_bio = 1;
	ledger->bio_sector = bio->bi_iter.bi_sector;
	return 0;
}

SEC("?tp_btf/block_rq_complete")
int BPF_PROG(block_request_completed, struct request *request, int error, unsigned int bytes)
{
	__u32 zero = 0;
	struct completed *last = bpf_map_lookup_elem(&completed_last, &zero);

	if (!last || !bpf_core_field_exists(request->__sector))
		return 0;
	last->sector = request->__sector;
	last->end = last->sector + (bytes >> 9);
	return 0;
}

HIDDEN bool block_completed_here(__u64 sector)
{
	__u32 zero = 0;
	struct completed *last = bpf_map_lookup_elem(&completed_last, &zero);

	return last && sector >= last->sector && sector < last->end;
}
