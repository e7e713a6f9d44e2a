/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Block I/O: what devices did, by operation, and as evidence: did the waiting thread itself submit a request, and was it that
 * one whose completion woke it? Of such a wait the chain has a length for each link:
 *
 *	submitted ──▶ issued ──▶ completed ──▶ woken ──▶ runs again
 *	        queue      device         wake       runnable
 */
#include "probe/block.bpf.h"

struct issued { __u64 issued_ns; __u32 retries, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);                             /* the request */
	__type(value, struct issued);
} block_issued SEC(".maps");

PAIR_OF_MAPS(ios, 4096, 0, struct wire_io_key, struct wire_io_value);

/* The request that was completed last on this CPU: its waiters are woken next, in the same softirq. */
struct completed { __u64 sector, end, issued_ns, completed_ns; struct wire_io_key key; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct completed);
} completed_last SEC(".maps");

#define ADD(value, field, amount) __sync_fetch_and_add(&(value)->field, amount)

static void key_of(struct request *request, struct wire_io_key *ret)
{
	struct gendisk *disk = READ(request, q) ? BPF_CORE_READ(request, q, disk) : NULL;

	*ret = (struct wire_io_key){ .operation = READ(request, cmd_flags) & 0xff };
	if (disk) {
		ret->major = BPF_CORE_READ(disk, major);
		ret->minor = BPF_CORE_READ(disk, first_minor);
	}
}

SEC("?tp_btf/block_bio_queue")
int BPF_PROG(block_bio_queued, struct bio *bio)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	if (!ledger || !bpf_core_field_exists(bio->bi_iter.bi_sector))
		return 0;
	count(COUNT_BLOCK);
	ledger->own_bio = 1;
	ledger->bio_sector = bio->bi_iter.bi_sector;
	ledger->bio_queued_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/block_rq_issue")
int BPF_PROG(block_request_issued, struct request *request)
{
	__u64 key = (__u64)request;
	struct issued issued = { .issued_ns = bpf_ktime_get_ns() }, *before;

	before = bpf_map_lookup_elem(&block_issued, &key);
	if (before)
		before->issued_ns = issued.issued_ns;   /* once more, after it was put back */
	else
		bpf_map_update_elem(&block_issued, &key, &issued, BPF_ANY);
	return 0;
}

SEC("?tp_btf/block_rq_requeue")
int BPF_PROG(block_request_requeued, struct request *request)
{
	__u64 key = (__u64)request;
	struct issued *issued = bpf_map_lookup_elem(&block_issued, &key);

	if (issued)
		issued->retries++;
	return 0;
}

static void merged(struct bio *bio)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	if (ledger)
		ledger->bio_merged++;
}

SEC("?tp_btf/block_bio_backmerge")
int BPF_PROG(block_bio_merged_back, struct bio *bio)
{
	merged(bio);
	return 0;
}

SEC("?tp_btf/block_bio_frontmerge")
int BPF_PROG(block_bio_merged_front, struct bio *bio)
{
	merged(bio);
	return 0;
}

/* A request may complete in pieces: each counts its bytes, the last its times. */
static void account_completed(struct request *request, struct completed *last, const struct issued *issued, int error, __u32 bytes)
{
	struct wire_io_value *value = PAIR_VALUE(ios, &last->key);
	__u64 started = READ(request, start_time_ns), device;

	if (!value) {
		count(COUNT_IOS_LOST);
		return;
	}
	ADD(value, bytes, bytes);
	if (error)
		ADD(value, errors, 1);
	if (!issued || bytes < READ(request, __data_len))
		return;
	device = last->completed_ns - issued->issued_ns;
	ADD(value, count, 1);
	ADD(value, device_ns, device);
	ADD(value, retries, issued->retries);
	if (started && issued->issued_ns > started)
		ADD(value, queue_ns, issued->issued_ns - started);
	if (device > value->device_maximum_ns)
		value->device_maximum_ns = device;
}

SEC("?tp_btf/block_rq_complete")
int BPF_PROG(block_request_completed, struct request *request, int error, unsigned int bytes)
{
	__u32 zero = 0;
	__u64 id = (__u64)request;
	struct completed *last = bpf_map_lookup_elem(&completed_last, &zero);
	struct issued *issued;

	if (!last || !bpf_core_field_exists(request->__sector))
		return 0;
	last->sector = request->__sector;
	last->end = last->sector + (bytes >> 9);
	if (!window_is_open())
		return 0;
	count(COUNT_IOS);
	issued = bpf_map_lookup_elem(&block_issued, &id);
	last->completed_ns = bpf_ktime_get_ns();
	last->issued_ns = issued ? issued->issued_ns : 0;
	key_of(request, &last->key);
	account_completed(request, last, issued, error, bytes);
	if (issued && bytes >= READ(request, __data_len))
		bpf_map_delete_elem(&block_issued, &id);
	return 0;
}

HIDDEN bool block_completed_here(struct task_ledger *ledger)
{
	__u32 zero = 0;
	__u64 sector = ledger->bio_sector, queued = ledger->bio_queued_ns;
	struct completed *last = bpf_map_lookup_elem(&completed_last, &zero);
	struct wire_io_value *value;

	if (!last || sector < last->sector || sector >= last->end)
		return false;
	if (!window_is_open() || !last->issued_ns || last->issued_ns < queued || queued < window_start_ns)
		return true;
	value = PAIR_VALUE(ios, &last->key);
	if (!value)
		return true;
	ADD(value, waits, 1);
	ADD(value, wait_queue_ns, last->issued_ns - queued);
	ADD(value, wait_device_ns, last->completed_ns - last->issued_ns);
	ADD(value, wait_wake_ns, ledger->wake_ns > last->completed_ns ? ledger->wake_ns - last->completed_ns : 0);
	ADD(value, merges, ledger->bio_merged);
	ledger->bio_merged = 0;
	ledger->bio_key = last->key;
	ledger->bio_resumes = 1;
	return true;
}

HIDDEN void block_resumed(struct task_ledger *ledger, __u64 runnable_ns)
{
	struct wire_io_key key = ledger->bio_key;
	struct wire_io_value *value = PAIR_VALUE(ios, &key);

	ledger->bio_resumes = 0;
	if (value)
		ADD(value, wait_runnable_ns, runnable_ns);
}
