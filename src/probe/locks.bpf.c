/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Who held the lock. A thread that waits for a lock sees it change hands: each release wakes one waiter, and the others go
 * on waiting, for the next holder. So every wait is cut at each release of its lock, and what lies before a cut was the
 * time of the thread that made it:
 *
 *	waiter   ├──────── A holds ────────┼──── B holds ────┼─ C holds ─▶ woken by C
 *	releases           A wakes another ┘   B wakes another ┘
 *
 * A release needs no probe of its own: it is the wake-up of a waiter by a thread that is in a futex call on that very
 * address. The last few of each lock are kept; where a wait saw more, its start has no holder, which is said. Nobody pays
 * for a lock that is free: only waits for locks come here.
 *
 * During a hand-off (from the release before, or the waiter's coming, to its wake-up) the holder's own last moves say what
 * kept it: these are exact, as far back as they reach.
 */
#include "probe/locks.bpf.h"
#include "probe/timeline.bpf.h"

const volatile bool locks_watched = true;

enum { NR_FUTEX_CALL = 202, NR_EXIT = 60, NR_EXIT_GROUP = 231, FUTEX_IS_PRIVATE = 128 };
enum { NR_CALL_CLONE = 56, NR_CALL_VFORK = 58, NR_CALL_NANOSLEEP = 35, NR_CALL_WAIT4 = 61, NR_CALL_FSYNC = 74, NR_CALL_FDATASYNC = 75,
       NR_CALL_CLOCK_NANOSLEEP = 230, NR_CALL_WAITID = 247 };
enum { MODE_MASK = 0170000, MODE_PIPE = 0010000, MODE_SOCKET = 0140000, LOCAL_FAMILY = 1, STATE_NO_SIGNAL = 2 };
enum { HAND_OFFS = 8 };

struct lock_key { __u64 lock; __u32 process, reserved; };
struct hand_off { __u64 time_ns, stack; __u32 holder, reserved; };
struct lock_queue {
	__u32 next;                     /* of all hand-offs so far; it wraps */
	__u32 sampled;                  /* waiters whose stack was taken */
	struct hand_off last[HAND_OFFS];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct lock_key);
	__type(value, struct lock_queue);
} lock_queues SEC(".maps");

PAIR_OF_MAPS(segments, 8192, 0, struct wire_segment_key, struct wire_segment_value);
static const struct lock_queue no_queue = {};

static __always_inline struct lock_key lock_key_of(const struct task_ledger *ledger)
{
	return (struct lock_key){ .lock = ledger->lock, .process = ledger->lock_process };
}

static __always_inline struct lock_queue *queue_made(const struct lock_key *key)
{
	return MAP_VALUE(lock_queues, key, no_queue);
}

HIDDEN void lock_wanted(struct task_ledger *ledger)
{
	struct lock_key key = lock_key_of(ledger);
	struct lock_queue *queue = queue_made(&key);

	if (queue)
		__sync_fetch_and_add(&queue->sampled, 1);
}

HIDDEN bool lock_is_wanted(const struct task_ledger *ledger)
{
	struct lock_key key = lock_key_of(ledger);
	struct lock_queue *queue = bpf_map_lookup_elem(&lock_queues, &key);

	return queue && queue->sampled;
}

static __always_inline bool is_call_of_storage(__s16 syscall)
{
	return syscall == NR_CALL_FSYNC || syscall == NR_CALL_FDATASYNC;
}

static __always_inline __u32 doing_of_call(const struct wire_evidence *seen)
{
	__u16 type = seen->file_type & MODE_MASK;

	if (seen->syscall == NR_FUTEX_CALL)
		return WIRE_DOING_IPC;
	if (seen->syscall == NR_CALL_CLONE || seen->syscall == NR_CALL_VFORK || seen->syscall == NR_CALL_WAIT4 ||
	    seen->syscall == NR_CALL_WAITID)
		return WIRE_DOING_CHILD;
	if (seen->flags & WIRE_IOWAIT || seen->task_state & STATE_NO_SIGNAL || is_call_of_storage(seen->syscall))
		return WIRE_DOING_DISK;
	if (seen->syscall == NR_CALL_NANOSLEEP || seen->syscall == NR_CALL_CLOCK_NANOSLEEP)
		return WIRE_DOING_TIMER;
	if (type == MODE_SOCKET)
		return seen->socket_family == LOCAL_FAMILY ? WIRE_DOING_IPC : WIRE_DOING_NETWORK;
	return type == MODE_PIPE ? WIRE_DOING_IPC : WIRE_DOING_UNKNOWN;
}

HIDDEN __u32 lock_doing_of_wait(const struct task_ledger *ledger)
{
	const struct wire_evidence *seen = &ledger->evidence;

	if (ledger->lock)
		return WIRE_DOING_LOCK;
	if (seen->flags & (WIRE_RECLAIM | WIRE_COMPACTION | WIRE_FAULT))
		return WIRE_DOING_PAGING;
	if (seen->flags & WIRE_KERNEL_THREAD)
		return seen->flags & WIRE_IOWAIT ? WIRE_DOING_DISK : WIRE_DOING_UNKNOWN;
	return doing_of_call(seen);
}

/* The thread is in a call that can let go of this lock. A wake-up for another reason (a signal) is no release. */
static __always_inline bool lets_go(const struct task_ledger *waiter, struct task_struct *task)
{
	const struct pt_regs *regs;
	long call;

	if (waiter->evidence.wake_context != WIRE_WAKE_TASK || !waiter->waker)
		return false;
	if (!waiter->lock_process)
		return true;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	call = regs->orig_ax;
	if (call == NR_EXIT || call == NR_EXIT_GROUP)           /* of the owner of a robust mutex */
		return true;
	if (call != NR_FUTEX_CALL)
		return false;
	/* Another process may have mapped it elsewhere. */
	return regs->di == waiter->lock || regs->r8 == waiter->lock || !(waiter->evidence.futex_operation & FUTEX_IS_PRIVATE);
}

struct looking_back { const struct task_ledger *holder; struct wire_segment_value *into; __u64 from, to; };

static long look_back(__u32 index, struct looking_back *at)
{
	__u64 move = at->holder->moves[(at->holder->move_count - 1 - index) & (MOVES - 1)];
	__u64 since = move >> MOVE_SHIFT;
	__u32 doing = move & ((1 << MOVE_SHIFT) - 1);

	if (!since || index >= at->holder->move_count)
		return 1;
	if (since < at->from)
		since = at->from;
	if (since < at->to && doing < WIRE_DOINGS) {
		at->into->doing_ns[doing] += at->to - since;
		at->to = since;
	}
	return at->to <= at->from;
}

/* What held it up in [from, to), which ends now. */
static __always_inline void add_doing(struct wire_segment_value *value, __u64 from, __u64 to)
{
	struct looking_back at = { .holder = ledger_of(bpf_get_current_task_btf(), false), .into = value, .from = from, .to = to };

	if (at.holder)
		bpf_loop(MOVES, look_back, &at, 0);
	if (at.to > at.from)
		value->doing_ns[WIRE_DOING_UNKNOWN] += at.to - at.from;
}

struct lock_cut { __u64 from, to, stack; __u32 holder; __u8 last, handed; };

static __always_inline void send_link(const struct task_ledger *ledger, const struct lock_cut *cut)
{
	struct wire_link record = {
		.head = { .size = sizeof(record), .kind = WIRE_LINK, .time_ns = cut->to },
		.start_ns = cut->from, .end_ns = cut->to, .lock = ledger->lock, .stack = cut->stack, .thread = ledger->serial,
		.lock_process = ledger->lock_process, .holder = cut->holder, .contention = ledger->evidence.contention,
	};

	timeline_add_link(&record);
}

static __always_inline void segment_add(struct wire_segment_value *value, const struct lock_cut *cut)
{
	__u64 ns = cut->to - cut->from;

	value->count++;
	value->ns += ns;
	if (ns > value->maximum_ns)
		value->maximum_ns = ns;
	if (cut->last) {
		value->hand_offs++;
		value->hand_off_ns += ns;
	}
}

VERIFIED_ONCE int lock_segment(struct task_ledger *ledger, struct lock_cut *cut)
{
	struct wire_segment_key key = {};
	struct wire_segment_value *value;

	if (!ledger || !cut)
		return 0;
	count(COUNT_SEGMENTS);
	key.wait.thread = ledger->serial;
	key.wait.evidence = ledger->evidence;
	if (ledger->wait_start_ns < window_start_ns)
		key.wait.evidence.flags |= WIRE_CUT_START;
	key.lock = ledger->lock;
	key.lock_process = ledger->lock_process;
	key.holder = cut->holder;
	value = PAIR_VALUE(segments, &key);
	if (!value) {
		count(COUNT_SEGMENTS_LOST);
		return 0;
	}
	segment_add(value, cut);
	if (cut->last && cut->handed)
		add_doing(value, cut->from, cut->to);
	if (timeline)
		send_link(ledger, cut);
	if (!ledger->sampled)
		return 0;
	key.sampled = 1;
	key.p_log2 = ledger->p_log2;
	key.user_stack = ledger->user_stack;
	key.holder_stack = cut->stack;
	value = PAIR_VALUE(segments, &key);
	if (value)
		segment_add(value, cut);
	else
		count(COUNT_SEGMENTS_LOST);
	return 0;
}

struct cutting { struct task_ledger *ledger; const struct lock_queue *queue; __u64 from, now; };

static long cut_at(__u32 index, struct cutting *cutting)
{
	const struct lock_queue *queue = cutting->queue;
	__u32 next = queue->next;
	const struct hand_off *at = &queue->last[(next + index) & (HAND_OFFS - 1)];
	struct lock_cut cut = { .from = cutting->from, .to = at->time_ns, .stack = at->stack, .holder = at->holder };

	if (cut.to <= cut.from || cut.to >= cutting->now)
		return 0;
	/* Older ones may be forgotten: who let go before this one is not known. */
	if (!index && next > HAND_OFFS)
		cut.holder = cut.stack = 0;
	lock_segment(cutting->ledger, &cut);
	cutting->from = cut.to;
	return 0;
}

/* The hand-offs that this wait outlasted, oldest first. Returns when the last of them was. */
static __always_inline __u64 cut_before(struct task_ledger *ledger, const struct lock_queue *queue, __u64 from, __u64 now)
{
	struct cutting cutting = { .ledger = ledger, .queue = queue, .from = from, .now = now };

	if (queue->last[(queue->next - 1) & (HAND_OFFS - 1)].time_ns <= from)
		return from;                            /* as a rule: nobody let go of it meanwhile */
	bpf_loop(HAND_OFFS, cut_at, &cutting, 0);
	return cutting.from;
}

static __always_inline void hand_off_note(struct lock_queue *queue, const struct lock_cut *cut)
{
	struct hand_off *at = &queue->last[__sync_fetch_and_add(&queue->next, 1) & (HAND_OFFS - 1)];

	at->holder = cut->holder;
	at->stack = cut->stack;
	at->time_ns = cut->to;
}

VERIFIED_ONCE int lock_left(struct task_ledger *ledger, __u64 now)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct lock_cut cut = { .to = now, .last = 1 };
	struct lock_queue *queue;
	struct lock_key key;

	if (!ledger || !ledger->lock || now <= window_start_ns)
		return 0;
	key = lock_key_of(ledger);
	cut.handed = lets_go(ledger, current);
	queue = cut.handed ? queue_made(&key) : bpf_map_lookup_elem(&lock_queues, &key);
	cut.from = ledger->wait_start_ns > window_start_ns ? ledger->wait_start_ns : window_start_ns;
	if (cut.handed) {
		cut.holder = ledger->waker;
		cut.stack = ledger->waker_stack;
	}
	if (queue) {
		cut.from = cut_before(ledger, queue, cut.from, now);
		if (waker_stacks && ledger->sampled && queue->sampled)
			__sync_fetch_and_add(&queue->sampled, -1);
		if (cut.handed)
			hand_off_note(queue, &cut);
	}
	lock_segment(ledger, &cut);
	return 0;
}
