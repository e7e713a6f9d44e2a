/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * What every kernel half shares: the window, the ring, the population, a thread's ledger in task storage, stacks and
 * counters. One subject per .bpf.c; they are linked into one object, with the hidden functions below as the seams.
 *
 * Only sched.bpf.c moves a thread's state and time; lifetime.bpf.h says how births and ends reach it. Every other program
 * leaves evidence for the wait in progress in struct task_ledger: the fields under "evidence".
 */
#include "probe/kernel_types.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "wire/wire.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* The verifier follows a hidden or static function at each call and in the state of each caller. One that is neither is
 * verified once, for all callers: what is called on many paths is such. It must return a number, and check every pointer. */
#define VERIFIED_ONCE __attribute__((noinline))

/* A field of the kernel's, 0 where this kernel has none of that name: what it tells is missing then, not the capture. */
#define READ(from, field) (bpf_core_field_exists((from)->field) ? BPF_CORE_READ(from, field) : 0)

enum task_state { TASK_NEW, TASK_RUNNING, TASK_PREEMPTED, TASK_WOKEN, TASK_BLOCKED, TASK_GONE };

enum { WAIT_SITES = 4 };
struct wait_site { __u32 tag, expected_ns; };           /* expected: a moving mean of the waits at one site */

#define RUNTIME_LATER (~0ull)

enum { CALL_PLACES = 8 };
enum { MOVES = 16, MOVE_SHIFT = 4 };
struct task_ledger {
	__u64 since_ns;                 /* start of the present state */
	__u64 start_ns;                 /* birth; 0: it lived before it was seen */
	__u64 runtime_start_ns;         /* RUNTIME_LATER: to be set when it leaves its processor first */
	__u64 wait_start_ns, wake_ns;
	/* sums since the last flush */
	__u64 oncpu_before_ns;          /* before the window opened: the kernel's run time counts it */
	__u64 oncpu_ns, preempted_ns, throttled_ns, woken_ns, lost_ns;
	__u32 oncpu_count, preempted_count, throttled_count, woken_count, lost_count, migrations;
	__u32 serial;                   /* 0: not started */
	__u32 epoch;                    /* of the last flush */
	__u32 cpu;
	__u32 waker;                    /* tid */
	__u32 owner;                    /* serial of the futex owner, to compare with the waker */
	__u8 state, throttled, announced, sampled;
	__u8 p_log2, site;
	/* evidence, left by other programs for the wait in progress */
	__u8 contention, contended, reclaim, compaction, own_bio;
	__u64 bio_sector, bio_queued_ns;
	struct wire_io_key bio_key;
	__u8 bio_resumes;
	__u16 bio_merged;
	struct wire_evidence evidence;
	__u64 user_stack, waker_stack;
	/* what it waits for, where that can be held: a futex' address or a lock of the kernel's; 0: nothing of that kind */
	__u64 lock, kernel_lock;        /* kernel_lock: left by contention.bpf.c, until the wait begins */
	__u32 lock_process;             /* whose address it is; 0: the kernel's */
	__u32 move_count;
	__u64 moves[MOVES];             /* when it took up what it did last, oldest overwritten: ns << MOVE_SHIFT | enum wire_doing */
	struct wait_site sites[WAIT_SITES];
	/* requests; request.bpf.h says what they mean, and only request.bpf.c writes them */
	__u32 request_current, requests_opened;
	__u16 requests_open, requests_traced;
	__u8 request_borrowed;
	__u32 wait_place, queue_place;
	/* who has the processor that it could use; runnable.bpf.h says when that is noted */
	__u32 ready_by;                 /* tid; 0: nobody had */
	char ready_comm[WIRE_COMM];
	__u8 ready_why;                 /* enum wire_ready_reason */
	/* system calls; syscalls.bpf.h says what they mean, and only syscalls.bpf.c writes them */
	__u64 oncpu_clock_ns;           /* but this one: all on-CPU time inside the window, up to since_ns */
	__u64 call_begun_ns, call_clock_ns, call_stack;
	__u32 call, calls_epoch;
	__u32 calls_seen[CALL_PLACES];
	__u8 call_state, call_p_log2;
};

/* Set before load. */
extern const volatile bool population_all, population_by_thread, population_by_comm, watch_idle, stacks_on_wait, waker_stacks;
extern const volatile bool population_at_exec;          /* whom the targets name, from its next exec on: until then it is our own code */
extern const volatile char population_comm[WIRE_COMM];
extern const volatile __s64 preempt_count_offset;       /* from a CPU's runqueue; 0: unknown */

/* Changed while it runs. window_start_ns is the largest number until the window opens, window_end_ns until it closes. */
extern volatile __u64 window_start_ns, window_end_ns;
extern volatile __u32 epoch;                            /* odd or even: which of two maps is being filled */
extern const volatile __u32 stack_depth;                /* frames of a user stack at most */
/* The guard's: every user stack's probability is halved so often; from 32 there is none, from 64 no kernel stack either. */
extern volatile __u32 stack_shift;

static __always_inline bool window_is_open(void)
{
	return window_start_ns != ~0ull && window_end_ns == ~0ull;
}

/* Two maps of one kind: one of the pair is filled while the drain empties the other, so that nothing is lost between a look-up
 * and a delete. PAIR_VALUE is the value under a key, all zero where it is new, NULL where its map is full. Linux 6.1 looks
 * up a key only where it lies on the stack of the very function that this stands in. */
#define PAIR_OF_MAPS(name, entries, flags, key_type, value_type)                \
	struct {                                                                \
		__uint(type, BPF_MAP_TYPE_HASH);                                \
		__uint(max_entries, entries);                                   \
		__uint(map_flags, flags);                                       \
		__type(key, key_type);                                          \
		__type(value, value_type);                                      \
	} name##_even SEC(".maps"), name##_odd SEC(".maps");                    \
	static const value_type name##_none = {}
#define MAP_VALUE(map, key, none)                                               \
	({                                                                      \
		void *found = bpf_map_lookup_elem(&map, key);                   \
		if (!found) {                                                   \
			bpf_map_update_elem(&map, key, &none, BPF_NOEXIST);     \
			found = bpf_map_lookup_elem(&map, key);                 \
		}                                                               \
		found;                                                          \
	})
#define PAIR_VALUE(name, key) (epoch & 1 ? MAP_VALUE(name##_odd, key, name##_none) : MAP_VALUE(name##_even, key, name##_none))

/* The ledger of a task of the population; NULL for others. With create, a task that belongs to it gets one. */
HIDDEN struct task_ledger *ledger_of(struct task_struct *task, bool create);
HIDDEN void ledger_remove(struct task_struct *task);
/* Whether the user asked for this task (at the start, and again after an exec). */
HIDDEN bool population_asked(struct task_struct *task);

HIDDEN void count(__u32 counter);
VERIFIED_ONCE __u32 power_of_two(__u64 value);                  /* the largest that is no larger; 0 for 0 */
HIDDEN bool record_send(const void *record, __u32 size);        /* false: the ring is full, and it was counted */
HIDDEN bool record_has_room(void);                              /* for records as large as a stack's copy */

/* One stack under way to the ring. Programs that can interrupt each other have one each. */
/* SCRATCH_CALLER: of a probe at a function's entry; the walk begins at the call of it. */
enum stack_scratch { SCRATCH_TASK, SCRATCH_INTERRUPT, SCRATCH_ITERATOR, SCRATCH_CALLER, STACK_SCRATCHES };
struct stack_buffer {
	struct wire_stack stack;
	__u64 addresses[WIRE_STACK_WORDS];
	__u64 code;                     /* whose code lies at the addresses: they alone do not say it for ever; not sent */
};
HIDDEN struct stack_buffer *stack_buffer(__u32 scratch);
/* Sends what lies in the buffer if it is new: addresses, and behind them frames of an interpreter. Returns its id, 0 where
 * depth is 0 or the ring is full. process 0: the kernel's. */
VERIFIED_ONCE __u64 stack_send(struct stack_buffer *buffer, __u32 depth, __u32 process, __u8 status, __u32 interpreted);

/* Take a stack of the current task and send it if it is new. Return its id, 0 where none was taken. Never called from
 * two programs of one scratch at once. */
HIDDEN __u64 stack_take(void *ctx, __u32 scratch);                      /* the kernel's */
VERIFIED_ONCE __u64 unwind_take(__u32 scratch);                         /* the user's */
/* python.bpf.c: writes what CPython runs in the current thread behind the addresses; how many frames. */
VERIFIED_ONCE __u32 python_take(struct stack_buffer *buffer, __u32 depth);
HIDDEN __u64 stack_take_task(struct task_struct *task, __u32 scratch);  /* kernel stack of a sleeping task, for iterators */

HIDDEN bool port_is_listening(__u16 port);
HIDDEN __u32 thread_serial(__u32 process, __u32 namespace_tid);         /* 0: no such thread in the population */
HIDDEN void thread_serial_set(__u32 process, __u32 namespace_tid, __u32 serial);
HIDDEN __u32 namespace_tid(struct task_struct *task);
