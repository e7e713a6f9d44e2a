/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The ground under the kernel half: who belongs to the population, the ring that never wakes its reader (a wake-up per
 * event is what makes other tracers slow), and stacks that are sent once and named by a hash afterwards.
 */
#include "probe/kernel.bpf.h"
#include "unwind/row.h"

const volatile bool population_all = false, population_by_thread = false, population_by_comm = false, watch_idle = false;
const volatile bool population_at_exec = false, stacks_on_wait = true, waker_stacks = false;
const volatile char population_comm[WIRE_COMM] = {};
const volatile __s64 preempt_count_offset = 0;
volatile __u64 window_start_ns = ~0ull, window_end_ns = ~0ull;
volatile __u32 epoch = 0, stack_shift = 0;
const volatile __u32 stack_depth = WIRE_USER_STACK_DEPTH;

enum { RING_BYTES = 8 << 20 };

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_ledger);
} ledgers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");                 /* pids, or tids with population_by_thread */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u8);
} stacks_sent SEC(".maps");                    /* who is forgotten is sent again */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u16);
	__type(value, __u8);
} listening_ports SEC(".maps");

struct thread_key { __u32 process, namespace_tid; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct thread_key);
	__type(value, __u32);
} thread_serials SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SCRATCHES);
	__type(key, __u32);
	__uint(value_size, sizeof(struct stack_buffer));
} stack_buffers SEC(".maps");

VERIFIED_ONCE __u32 power_of_two(__u64 value)
{
	__u32 power = 0;

	if (value >= 1ull << 32) { value >>= 32; power += 32; }
	if (value >= 1 << 16) { value >>= 16; power += 16; }
	if (value >= 1 << 8) { value >>= 8; power += 8; }
	if (value >= 1 << 4) { value >>= 4; power += 4; }
	if (value >= 1 << 2) { value >>= 2; power += 2; }
	if (value >= 1 << 1) power += 1;
	return power;
}

HIDDEN void count(__u32 counter)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &counter);

	if (value)
		*value += 1;
}

HIDDEN bool population_asked(struct task_struct *task)
{
	__u32 id = population_by_thread ? task->pid : task->tgid;
	char comm[WIRE_COMM];

	if (population_all)
		return true;
	if (bpf_map_lookup_elem(&targets, &id))
		return true;
	if (!population_by_comm)
		return false;
	if (BPF_CORE_READ_STR_INTO(&comm, task, group_leader, comm) < 0)
		return false;
	for (int i = 0; i < WIRE_COMM; i++) {
		if (comm[i] != population_comm[i])
			return false;
		if (!comm[i])
			break;
	}
	return true;
}

HIDDEN struct task_ledger *ledger_of(struct task_struct *task, bool create)
{
	struct task_ledger *ledger;

	ledger = bpf_task_storage_get(&ledgers, task, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!ledger && create)
		count(COUNT_NO_STORAGE);
	return ledger;
}

HIDDEN void ledger_remove(struct task_struct *task)
{
	bpf_task_storage_delete(&ledgers, task);
}

HIDDEN bool record_send(const void *record, __u32 size)
{
	count(COUNT_RECORDS);
	if (!bpf_ringbuf_output(&ring, (void *)record, size, BPF_RB_NO_WAKEUP))
		return true;
	count(COUNT_RECORDS_LOST);
	return false;
}

/* Half of the ring is kept for what nothing can replace: threads, evidence, and stacks that were walked. */
HIDDEN bool record_has_room(void)
{
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < RING_BYTES / 2)
		return true;
	count(COUNT_RECORDS);
	count(COUNT_RECORDS_LOST);
	return false;
}

struct hashing { const struct stack_buffer *buffer; __u64 id; };

static long hash_word(__u32 index, struct hashing *hashing)
{
	if (index >= WIRE_STACK_WORDS)
		return 1;
	hashing->id = (hashing->id ^ hashing->buffer->addresses[index]) * 0x9e3779b97f4a7c15ull;
	hashing->id ^= hashing->id >> 29;
	return 0;
}

/* FNV-like over whole words: the id must be the same on every CPU and never 0. */
static __u64 stack_id(const struct stack_buffer *buffer, __u32 words, __u32 process, __u8 status)
{
	struct hashing hashing = { buffer, 0xcbf29ce484222325ull ^ process ^ ((__u64)status << 32) ^ buffer->code };

	bpf_loop(words, hash_word, &hashing, 0);
	return hashing.id ? hashing.id : 1;
}

HIDDEN struct stack_buffer *stack_buffer(__u32 scratch)
{
	return bpf_map_lookup_elem(&stack_buffers, &scratch);
}

VERIFIED_ONCE __u64 stack_send(struct stack_buffer *buffer, __u32 depth, __u32 process, __u8 status, __u32 interpreted)
{
	__u32 size, words;
	__u64 id;
	__u8 sent = 1;

	if (!buffer)
		return 0;
	count(COUNT_STACKS);
	if (!depth) {
		count(COUNT_STACKS_FAILED);
		return 0;
	}
	if (depth > WIRE_STACK_DEPTH_LIMIT)
		depth = WIRE_STACK_DEPTH_LIMIT;
	if (interpreted > WIRE_INTERPRETED_LIMIT)
		interpreted = WIRE_INTERPRETED_LIMIT;
	words = depth + 2 * interpreted;
	id = stack_id(buffer, words, process, status);
	if (bpf_map_lookup_elem(&stacks_sent, &id))
		return id;
	size = sizeof(buffer->stack) + words * 8;
	buffer->stack.head.size = size;
	buffer->stack.head.kind = WIRE_STACK;
	buffer->stack.head.time_ns = bpf_ktime_get_ns();
	buffer->stack.id = id;
	buffer->stack.process = process;
	buffer->stack.depth = depth;
	buffer->stack.status = status;
	buffer->stack.interpreted = interpreted;
	count(COUNT_RECORDS);
	if (size > offsetof(struct stack_buffer, code))
		return 0;
	if (bpf_ringbuf_output(&ring, buffer, size, BPF_RB_NO_WAKEUP))
		count(COUNT_RECORDS_LOST);              /* not marked as sent: the next one tries again */
	else
		bpf_map_update_elem(&stacks_sent, &id, &sent, BPF_ANY);
	return id;
}

static __u64 kernel_stack_send(struct stack_buffer *buffer, long bytes)
{
	__u32 depth = bytes > 0 ? (__u32)bytes / 8 : 0;

	buffer->code = 0;
	if (depth >= WIRE_STACK_DEPTH)
		count(COUNT_STACKS_TRUNCATED);
	return stack_send(buffer, depth, 0, depth >= WIRE_STACK_DEPTH ? UNWIND_TRUNCATED : UNWIND_COMPLETE, 0);
}

HIDDEN __u64 stack_take(void *ctx, __u32 scratch)
{
	struct stack_buffer *buffer = stack_buffer(scratch);

	if (!buffer)
		return 0;
	return kernel_stack_send(buffer, bpf_get_stack(ctx, buffer->addresses, WIRE_STACK_DEPTH * 8, 0));
}

HIDDEN __u64 stack_take_task(struct task_struct *task, __u32 scratch)
{
	struct stack_buffer *buffer = stack_buffer(scratch);

	if (!buffer)
		return 0;
	return kernel_stack_send(buffer, bpf_get_task_stack(task, buffer->addresses, WIRE_STACK_DEPTH * 8, 0));
}

HIDDEN bool port_is_listening(__u16 port)
{
	return bpf_map_lookup_elem(&listening_ports, &port) != NULL;
}

HIDDEN __u32 thread_serial(__u32 process, __u32 tid)
{
	struct thread_key key = { process, tid };
	__u32 *serial = bpf_map_lookup_elem(&thread_serials, &key);

	return serial ? *serial : 0;
}

HIDDEN void thread_serial_set(__u32 process, __u32 tid, __u32 serial)
{
	struct thread_key key = { process, tid };

	if (serial)
		bpf_map_update_elem(&thread_serials, &key, &serial, BPF_ANY);
	else
		bpf_map_delete_elem(&thread_serials, &key);
}

HIDDEN __u32 namespace_tid(struct task_struct *task)
{
	struct pid *pid = READ(task, thread_pid);
	unsigned int level = 0;
	int number = 0;

	if (!bpf_core_field_exists(task->thread_pid))
		return BPF_CORE_READ(task, pid);        /* the same outside of containers */
	if (!pid)
		return 0;
	bpf_core_read(&level, sizeof(level), &pid->level);
	if (level > 32)
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number), (void *)&pid->numbers[0].nr + level * bpf_core_type_size(struct upid));
	return number;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
