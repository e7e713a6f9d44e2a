/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The walk of a user stack, frame by frame, where it happens: in the sampler's interrupt and at a blocked thread's
 * switch-out, from the registers that the task entered the kernel with. Only the words that the rules ask for are read.
 *
 * What it looks up is published by the user half: per process its executable mappings, per mapping the rows of its
 * file. A process that is not known yet has its registers and a piece of its stack copied instead, and is walked later
 * by the same step; not before the window is about to open, when nobody is known. A forked child uses its parent's mappings at once; an exec drops them.
 *
 * Searches go through map look-ups by key, never by index into one value: the verifier would follow each index apart.
 */
#include "probe/kernel.bpf.h"

#define UNWIND_READ(memory, to, size, address) bpf_probe_read_user((to), (size), (void *)(address))
#include "unwind/step.h"

enum { PF_KTHREAD_BIT = 0x00200000, PF_IO_WORKER_BIT = 0x00000010, CS_OF_32_BIT = 0x23, PAGE = 4096 };
enum { MAPPING_SEARCH_STEPS = 17, COPY_PAGES = 8 };

const volatile __u32 copies_most = 128;          /* of one process, until the user half has looked at its mappings */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct wire_unwind_process);
} unwind_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct wire_unwind_mapping);
} unwind_mappings SEC(".maps");

/* Chunks differ in size and are made when there are rows for them. */
struct unwind_chunk {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WIRE_UNWIND_CHUNKS);
	__type(key, __u32);
	__array(values, struct unwind_chunk);
} unwind_chunks SEC(".maps");

/* Processes that ran where no mapping is known, and how often: the user half looks at them again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} unwind_missing SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SCRATCHES);
	__type(key, __u32);
	__uint(value_size, sizeof(struct unwind_state));
} unwind_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SCRATCHES * WIRE_UNWIND_COST_BUCKETS);
	__type(key, __u32);
	__type(value, struct wire_unwind_cost);
} unwind_costs SEC(".maps");

struct stack_copy {
	struct wire_stack_copy copy;
	__u8 bytes[WIRE_STACK_COPY_BYTES];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_SCRATCHES);
	__type(key, __u32);
	__uint(value_size, sizeof(struct stack_copy));
} stack_copies SEC(".maps");

struct walk {
	struct unwind_state *state;
	struct stack_buffer *buffer;
	__u32 first, count;             /* of the process' mappings */
	__u32 last;                     /* the mapping of the frame before */
	__u32 process;
	__u32 depth, status;
};

struct search { __u64 pc; __u32 low, high; };

/* An array's look-up is inlined with its bounds check, which the verifier would follow through every step of a loop. */
static long search_mapping(__u32 step, struct search *search)
{
	__u32 middle = (search->low + search->high) >> 1;
	struct wire_unwind_mapping *mapping;

	if (search->low >= search->high)
		return 1;
	mapping = bpf_map_lookup_elem(&unwind_mappings, &middle);
	if (!mapping)
		return 1;
	if (search->pc >= mapping->start)
		search->low = middle + 1;
	else
		search->high = middle;
	return 0;
}

/* The last mapping of a process that starts at or before pc, ~0 where there is none. */
VERIFIED_ONCE __u32 unwind_find_mapping(__u32 first, __u32 count, __u64 pc)
{
	struct search search = { .pc = pc, .low = first, .high = first + count };

	bpf_loop(MAPPING_SEARCH_STEPS, search_mapping, &search, 0);
	return search.low > first ? search.low - 1 : ~0u;
}

/* The row that covers pc: the last at or before it, all zero (UNWIND_NONE) where there is none. A row is eight bytes. */
VERIFIED_ONCE __u64 unwind_find_row(__u32 chunk, __u32 first, __u32 count, __u32 pc)
{
	void *rows = bpf_map_lookup_elem(&unwind_chunks, &chunk);
	__u32 low = 0, high = count;
	__u64 found = 0;

	if (!rows)
		return 0;
	for (int i = 0; i < UNWIND_SEARCH_STEPS; i++) {
		__u32 middle = (low + high) >> 1, index = first + middle;
		__u64 *row;

		if (low >= high)
			break;
		row = bpf_map_lookup_elem(rows, &index);
		if (!row)
			break;
		if (pc >= (__u32)*row) {
			found = *row;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found;
}

/* The step that both halves compile. */
VERIFIED_ONCE int unwind_step_here(struct unwind_state *state, __u64 row)
{
	return state ? unwind_step(state, *(struct unwind_row *)&row, NULL) : UNWIND_FAULT;
}

static __always_inline struct wire_unwind_mapping *mapping_at(__u32 index, __u64 pc)
{
	struct wire_unwind_mapping *mapping = bpf_map_lookup_elem(&unwind_mappings, &index);

	return mapping && pc >= mapping->start && pc < mapping->end ? mapping : NULL;
}

/* Something was mapped, or a new image begun, that the user half has not told of yet. Until it has looked, stacks are
 * copied, but not without end: there may be nothing to find. */
static __always_inline bool missing_may_copy(__u32 process)
{
	__u32 one = 1, *times = bpf_map_lookup_elem(&unwind_missing, &process);

	if (!times)
		return !bpf_map_update_elem(&unwind_missing, &process, &one, BPF_ANY);
	return ++*times <= copies_most;
}

/* A frame that a guess or a chain of frame pointers led to, and that lies nowhere, was none. */
static __always_inline __u32 without_mapping(struct walk *walk)
{
	__u8 method = walk->state->method;

	if (method != UNWIND_BY_FRAME_POINTER && method != UNWIND_BY_GUESS)
		return UNWIND_NO_MAPPING;
	walk->depth--;
	return UNWIND_NO_ROW;
}

/* One frame: note its address, find its mapping and row, step to its caller. 1 ends the walk. The index is what the
 * verifier knows nothing of: a depth that we counted ourselves it would follow from 0 to the limit. */
static long walk_frame(__u32 index, struct walk *walk)
{
	struct unwind_state *state = walk->state;
	__u64 pc = state->pc - !state->pc_is_exact, row;
	struct wire_unwind_mapping *mapping;

	if (!state->pc) {
		walk->status = state->method == UNWIND_BY_FRAME_POINTER && !state->bp ? UNWIND_COMPLETE : UNWIND_ZERO_PC;
		return 1;
	}
	if (index >= stack_depth || index >= WIRE_STACK_DEPTH_LIMIT) {
		walk->status = UNWIND_TRUNCATED;
		return 1;
	}
	walk->buffer->addresses[index & (WIRE_STACK_DEPTH_LIMIT - 1)] = state->pc | (__u64)state->method << WIRE_METHOD_SHIFT;
	walk->depth = index + 1;
	mapping = mapping_at(walk->last, pc);
	if (!mapping) {
		walk->last = unwind_find_mapping(walk->first, walk->count, pc);
		mapping = mapping_at(walk->last, pc);
	}
	if (!mapping) {
		walk->status = without_mapping(walk);
		return 1;
	}
	walk->buffer->code = (walk->buffer->code ^ mapping->file) * 0x9e3779b97f4a7c15ull;
	row = mapping->count ? unwind_find_row(mapping->chunk, mapping->first, mapping->count, (__u32)(pc - mapping->bias)) : 0;
	walk->status = unwind_step_here(state, row);
	if (mapping->generated && state->method == UNWIND_BY_ROW)
		state->method = UNWIND_BY_GENERATED_ROW;
	if (walk->status == UNWIND_NO_ROW && !mapping->count)
		walk->status = UNWIND_NO_TABLE;
	return walk->status != UNWIND_GOES_ON;
}

static __always_inline void read_registers(struct unwind_state *state, const struct pt_regs *regs)
{
	__u64 *to = state->registers;

	to[0] = regs->ax, to[1] = regs->dx, to[2] = regs->cx, to[3] = regs->bx, to[4] = regs->si, to[5] = regs->di;
	to[6] = regs->bp, to[7] = regs->sp, to[8] = regs->r8, to[9] = regs->r9, to[10] = regs->r10, to[11] = regs->r11;
	to[12] = regs->r12, to[13] = regs->r13, to[14] = regs->r14, to[15] = regs->r15;
	state->pc = regs->ip;
	state->sp = regs->sp;
	state->bp = regs->bp;
	state->pc_is_exact = state->registers_known = state->bp_known = 1;
	state->method = UNWIND_BY_LEAF;
}

/* From a function's entry, where nothing is pushed yet, to inside of the call that led there, as if that were the first frame. */
static __always_inline void go_to_call(struct unwind_state *state)
{
	__u64 back = 0;

	if (bpf_probe_read_user(&back, sizeof(back), (void *)state->sp) || !back)
		return;
	state->pc = back - 1;
	state->sp += sizeof(back);
	state->registers[7] = state->sp;
}

/* A page at a time: what is not in memory is where the copy ends. */
static __always_inline __u32 copy_stack(struct stack_copy *to, __u64 sp)
{
	__u32 at = 0;

	for (int i = 0; i < COPY_PAGES; i++) {
		__u32 size = PAGE - ((sp + at) & (PAGE - 1));

		barrier_var(at);
		if (at > WIRE_STACK_COPY_BYTES - PAGE || size > PAGE)
			break;
		if (bpf_probe_read_user(to->bytes + at, size, (void *)(sp + at)))
			break;
		at += size;
	}
	return at;
}

/* An exec has left the old image, whose registers these are, and not begun the new one: there is no user stack now. */
static __always_inline bool is_in_exec(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) && BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

VERIFIED_ONCE __u64 copy_send(__u32 scratch)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct unwind_state *state = bpf_map_lookup_elem(&unwind_states, &scratch);
	struct stack_copy *to = bpf_map_lookup_elem(&stack_copies, &scratch);
	__u64 now = bpf_ktime_get_ns();
	__u32 bytes, size;

	if (!to || !state)
		return 0;
	bytes = copy_stack(to, state->sp);
	if (!bytes && is_in_exec(task))
		return 0;
	count(COUNT_STACKS);
	size = sizeof(to->copy) + bytes;
	to->copy.head.size = size;
	to->copy.head.kind = WIRE_STACK_COPY;
	to->copy.head.reserved = 0;
	to->copy.head.time_ns = now;
	to->copy.id = (now ^ state->sp << 20 ^ task->tgid) * 0x9e3779b97f4a7c15ull | 1;
	to->copy.process = task->tgid;
	to->copy.bytes = bytes;
	for (int i = 0; i < UNWIND_REGISTERS; i++)
		to->copy.registers[i] = state->registers[i];
	to->copy.registers[UNWIND_REGISTERS] = state->pc;
	if (size > sizeof(*to))
		return 0;
	if (!record_has_room() || !record_send(to, size))
		count(COUNT_STACKS_FAILED);             /* its id will be unknown: it had a stack, which nobody saw */
	return to->copy.id;
}

static __always_inline __u32 cost_bucket(__u64 ns)
{
	__u32 power = power_of_two(ns);

	if (ns >> 31)
		return WIRE_UNWIND_COST_BUCKETS - 1;
	return power < 2 ? 0 : power * 4 + ((ns >> (power - 2)) & 3);
}

static __always_inline void note_cost(__u32 scratch, __u64 ns, __u32 frames)
{
	__u32 bucket = cost_bucket(ns), index = scratch * WIRE_UNWIND_COST_BUCKETS + bucket;
	struct wire_unwind_cost *cost = bpf_map_lookup_elem(&unwind_costs, &index);

	if (!cost)
		return;
	cost->count++;
	cost->ns += ns;
	cost->frames += frames;
}

VERIFIED_ONCE __u64 unwind_take(__u32 scratch)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct walk walk = { .process = task->tgid, .last = ~0u, .status = UNWIND_TRUNCATED };
	const volatile __u64 *process;                          /* struct wire_unwind_process */
	const struct pt_regs *regs;
	__u64 both, cs = 0, begin = bpf_ktime_get_ns();

	if (!walk.process || (task->flags & (PF_KTHREAD_BIT | PF_IO_WORKER_BIT)))
		return 0;
	if (bpf_core_field_exists(task->mm) && !task->mm)       /* it exits: its memory is gone */
		return 0;
	walk.buffer = stack_buffer(scratch);
	walk.state = bpf_map_lookup_elem(&unwind_states, &scratch);
	if (!walk.buffer || !walk.state)
		return 0;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	read_registers(walk.state, regs);
	if (scratch == SCRATCH_CALLER)
		go_to_call(walk.state);
	if (!walk.state->pc)                                    /* a worker of the kernel's that borrows a process' memory */
		return 0;
	bpf_core_read(&cs, sizeof(cs), &regs->cs);
	walk.buffer->code = 0;
	walk.buffer->addresses[0] = walk.state->pc | (__u64)UNWIND_BY_LEAF << WIRE_METHOD_SHIFT;
	if ((cs & 0xffff) == CS_OF_32_BIT)
		return stack_send(walk.buffer, 1, walk.process, UNWIND_COMPATIBLE, 0);
	process = bpf_map_lookup_elem(&unwind_processes, &walk.process);
	if (!process && window_start_ns == ~0ull)
		return 0;
	if (!process)
		return missing_may_copy(walk.process) ? copy_send(scratch) :
							stack_send(walk.buffer, 1, walk.process, UNWIND_NO_PROCESS, 0);
	both = *process;                                        /* at once: another process may get the place meanwhile */
	walk.first = (__u32)both;
	walk.count = both >> 32;
	bpf_loop(WIRE_STACK_DEPTH_LIMIT + 1, walk_frame, &walk, 0);
	note_cost(scratch, bpf_ktime_get_ns() - begin, walk.depth);
	if (walk.status == UNWIND_FAULT && walk.depth == 1 && is_in_exec(task))
		return 0;
	if (walk.status == UNWIND_NO_MAPPING && missing_may_copy(walk.process)) {
		read_registers(walk.state, regs);
		if (scratch == SCRATCH_CALLER)
			go_to_call(walk.state);
		return copy_send(scratch);
	}
	if (walk.status == UNWIND_TRUNCATED)
		count(COUNT_STACKS_TRUNCATED);
	return stack_send(walk.buffer, walk.depth, walk.process, walk.status, python_take(walk.buffer, walk.depth));
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(unwind_forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid;
	struct wire_unwind_process *process;

	if (from == to)
		return 0;
	process = bpf_map_lookup_elem(&unwind_processes, &from);
	if (process)
		bpf_map_update_elem(&unwind_processes, &to, process, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(unwind_execed, struct task_struct *task)
{
	__u32 process = task->tgid;

	bpf_map_delete_elem(&unwind_processes, &process);
	return 0;
}
