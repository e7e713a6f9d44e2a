/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What processes that run already allocate and keep: probes at the entry of their allocator's functions and at their return. Sampled by bytes
 * as the shim does it (shim/heap.c): a countdown per thread, drawn from an exponential distribution; the allocation in which it
 * runs out is sampled. What was sampled is known by its address until it is freed. A call inside another one (realloc that
 * calls malloc) is part of that, told by its deeper stack pointer.
 */
#include "probe/kernel.bpf.h"

enum { LIVE_OBJECTS = 1 << 18, LOG_STEPS = 64, LN2_Q16 = 45426 };

const volatile __u64 heap_mean_bytes = 0;
__u32 heap_next_id = 0;

struct heap_address { __u64 address; __u32 process, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LIVE_OBJECTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct heap_address);
	__type(value, __u64);                           /* its id */
} heap_objects SEC(".maps");

struct heap_call {
	__u64 sp;                       /* where the return address of the call under way lies; 0: there is none */
	__u64 left;                     /* bytes until the next sample; 0: not drawn yet */
	__u64 size, stack;              /* of a call that was chosen; size 0: it was not */
	__u64 old, old_id;              /* realloc: a sampled object that it moves */
	__u64 into;                     /* posix_memalign: where the address will lie */
	__u32 call, frees;              /* frees: realloc to nothing */
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct heap_call);
} heap_calls SEC(".maps");

/* Programs of probes can be preempted, by others of this file too: whoever finds the CPU's buffers in use goes without a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} heap_walks SEC(".maps");

/* log2(1 + i / 64) in parts of 65536. */
static const __u32 logarithms[LOG_STEPS + 1] = {
	0, 1466, 2909, 4331, 5732, 7112, 8473, 9814, 11136, 12440, 13727, 14996,
	16248, 17484, 18704, 19909, 21098, 22272, 23433, 24579, 25711, 26830, 27936, 29029,
	30109, 31178, 32234, 33279, 34312, 35334, 36346, 37346, 38336, 39316, 40286, 41246,
	42196, 43137, 44068, 44990, 45904, 46809, 47705, 48593, 49472, 50344, 51207, 52063,
	52911, 53751, 54584, 55410, 56229, 57040, 57845, 58643, 59434, 60219, 60997, 61769,
	62534, 63294, 64047, 64794, 65536,
};

/* -ln(u) times the mean, u uniform in (0, 1]: log2 by its whole part and a table between whose rows it is nearly a line. */
static __u64 draw(void)
{
	__u64 x = (__u64)bpf_get_prandom_u32() + 1, log2_q16, minus_ln_q16;
	__u32 whole = power_of_two(x) & 63, part, index, rest;

	part = whole <= 32 ? x << (32 - whole) : 0;             /* behind the first one bit */
	index = part >> 26 & (LOG_STEPS - 1);
	rest = part >> 10 & 0xffff;
	log2_q16 = ((__u64)whole << 16) + logarithms[index] + ((__u64)(logarithms[index + 1] - logarithms[index]) * rest >> 16);
	minus_ln_q16 = ((32ull << 16) > log2_q16 ? (32ull << 16) - log2_q16 : 0) * LN2_Q16 >> 16;
	return (heap_mean_bytes * minus_ln_q16 >> 16) + 1;
}

static bool is_chosen(struct heap_call *call, __u64 size)
{
	if (!call->left)
		call->left = draw();
	if (size < call->left) {
		call->left -= size;
		return false;
	}
	call->left = draw();
	return true;
}

static __u64 walk_to_caller(void)
{
	__u32 zero = 0, *walking = bpf_map_lookup_elem(&heap_walks, &zero);
	__u64 stack;

	if (!walking || *walking)
		return 0;
	*walking = 1;
	stack = unwind_take(SCRATCH_CALLER);
	*walking = 0;
	return stack;
}

static void send_freed(__u64 id)
{
	struct wire_heap_freed wire = { .head = { .size = sizeof(wire), .kind = WIRE_HEAP_FREED, .time_ns = bpf_ktime_get_ns() },
					.id = id, .process = bpf_get_current_pid_tgid() >> 32 };

	if (!record_send(&wire, sizeof(wire)))
		count(COUNT_HEAP_SAMPLES_LOST);
}

/* The id of a sampled object, which is known no more; 0 where it was none. */
static __u64 forget(__u64 address)
{
	struct heap_address key = { .address = address, .process = bpf_get_current_pid_tgid() >> 32 };
	__u64 id, *found = bpf_map_lookup_elem(&heap_objects, &key);

	if (!found)
		return 0;
	id = *found;
	bpf_map_delete_elem(&heap_objects, &key);
	return id;
}

/* False where there is no room for it: it would never be seen to be freed. */
static bool remember(__u64 address, __u64 id)
{
	struct heap_address key = { .address = address, .process = bpf_get_current_pid_tgid() >> 32 };

	return !bpf_map_update_elem(&heap_objects, &key, &id, BPF_ANY);
}

static __u64 size_asked(const struct pt_regs *regs, __u32 call)
{
	switch (call) {
	case WIRE_HEAP_MALLOC: return regs->di;
	case WIRE_HEAP_CALLOC: return (regs->di | regs->si) >> 32 ? 0 : regs->di * regs->si;
	case WIRE_HEAP_POSIX: return regs->dx;
	default: return regs->si;
	}
}

SEC("?uprobe")
int heap_asked(struct pt_regs *ctx)
{
	__u32 kind = bpf_get_attach_cookie(ctx);
	struct heap_call *call;
	__u64 size;

	count(COUNT_HEAP_ASKED);
	if (!window_is_open())
		return 0;
	call = bpf_task_storage_get(&heap_calls, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!call || (call->sp && ctx->sp <= call->sp))
		return 0;
	size = size_asked(ctx, kind);
	call->sp = ctx->sp;
	call->call = kind;
	call->size = size && is_chosen(call, size) ? size : 0;
	call->stack = call->size ? walk_to_caller() : 0;
	call->into = kind == WIRE_HEAP_POSIX ? ctx->di : 0;
	call->old = kind == WIRE_HEAP_REALLOC ? ctx->di : 0;
	call->frees = call->old && !size;
	call->old_id = call->old ? forget(call->old) : 0;       /* now: when it returns, another thread may have the address */
	return 0;
}

static void sample(const struct heap_call *call, __u64 address)
{
	__u64 both = bpf_get_current_pid_tgid(), before = forget(address);
	struct wire_heap_sample wire = { .head = { .size = sizeof(wire), .kind = WIRE_HEAP_SAMPLE, .time_ns = bpf_ktime_get_ns() },
					 .id = __sync_fetch_and_add(&heap_next_id, 1) + 1, .size = call->size,
					 .mean_bytes = heap_mean_bytes, .stack = call->stack, .process = both >> 32, .thread = both };

	if (before)
		send_freed(before);                     /* by a way that has no probe */
	count(COUNT_HEAP_SAMPLES);
	if (!remember(address, wire.id) || !record_send(&wire, sizeof(wire)))
		count(COUNT_HEAP_SAMPLES_LOST);
}

static __u64 address_given(const struct pt_regs *regs, const struct heap_call *call)
{
	__u64 address = regs->ax;

	if (call->call != WIRE_HEAP_POSIX)
		return address;
	if (address || bpf_probe_read_user(&address, sizeof(address), (const void *)call->into))
		return 0;
	return address;
}

SEC("?uretprobe")
int heap_given(struct pt_regs *ctx)
{
	struct heap_call *call = bpf_task_storage_get(&heap_calls, bpf_get_current_task_btf(), NULL, 0);
	__u64 address;

	if (!call || !call->sp || ctx->sp != call->sp + sizeof(__u64))
		return 0;
	call->sp = 0;
	if (!window_is_open())
		return 0;
	address = address_given(ctx, call);
	if (call->old_id && (address || call->frees))
		send_freed(call->old_id);
	else if (call->old_id)
		remember(call->old, call->old_id);      /* it could not be moved, and lives */
	if (call->size && address)
		sample(call, address);
	return 0;
}

SEC("?uprobe")
int heap_freed(struct pt_regs *ctx)
{
	__u64 id;

	count(COUNT_HEAP_FREED);
	if (!ctx->di || !window_is_open())
		return 0;
	id = forget(ctx->di);
	if (id)
		send_freed(id);
	return 0;
}
