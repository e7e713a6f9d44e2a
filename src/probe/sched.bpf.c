/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The ledger: the only writer of a thread's state and time. Every switch and wake-up moves a thread from one state to
 * the next and adds the time since the last move to the state it leaves, so the sums telescope to its lifetime.
 *
 *	            switch in                     switch out, still able to run
 *	  WOKEN ───────────────▶ RUNNING ─────────────────────────────────────────▶ PREEMPTED ──┐
 *	    ▲                     │  ▲                                                          │
 *	    │ waking              │  └──────────────────────── switch in ───────────────────────┘
 *	  BLOCKED ◀───────────────┘ switch out, asleep: the evidence of this side is gathered here
 *
 * One map update per wait: it carries the wait, the delay after it, and the running and preempted time before it. Its
 * key holds the evidence of both sides and the power of two of the wait's length, so that histograms cost nothing.
 *
 * Where a thread comes from and how it ends is lifetime.bpf.c's; it moves no state but through ledger_start() and
 * ledger_close() below.
 */
#include "probe/block.bpf.h"
#include "probe/evidence.bpf.h"
#include "probe/lifetime.bpf.h"
#include "probe/locks.bpf.h"
#include "probe/runnable.bpf.h"
#include "probe/syscalls.bpf.h"
#include "probe/timeline.bpf.h"

enum { TASK_DEAD_BIT = 0x80 };

/* Plain hashes, not per-CPU ones: a key holds its thread, and a thread is switched in on one CPU at a time. */
PAIR_OF_MAPS(waits, 16384, 0, struct wire_wait_key, struct wire_wait_value);
PAIR_OF_MAPS(splits, 16384, 0, struct wire_split_key, struct wire_split_value);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2 * 2 * WIRE_DELAY_BUCKETS);        /* epoch, preempted, power of two */
	__type(key, __u32);
	__type(value, struct wire_delay);
} delays SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_cpu_time);
} cpu_times SEC(".maps");

__u32 next_serial = 0;

/* The clock may step back by a microsecond from one CPU to the next while it is adjusted; no life goes backwards. */
static __always_inline __u64 not_before(const struct task_ledger *ledger, __u64 now)
{
	return now > ledger->since_ns ? now : ledger->since_ns;
}

static __always_inline __u64 inside(__u64 from, __u64 to)
{
	__u64 start = window_start_ns;

	if (from < start)
		from = start;
	return to > from ? to - from : 0;
}

HIDDEN void ledger_start(struct task_ledger *ledger, struct task_struct *task, __u64 now, __u8 state, bool born)
{
	ledger->serial = __sync_fetch_and_add(&next_serial, 1) + 1;
	ledger->state = state;
	ledger->since_ns = now;
	ledger->start_ns = born ? now : 0;
	ledger->wait_start_ns = 0;
	if (state == TASK_BLOCKED)
		ledger->wait_start_ns = born ? now : 1;         /* 1: asleep since before it was seen */
	ledger->runtime_start_ns = READ(task, se.sum_exec_runtime);
	ledger->cpu = ~0u;
	ledger->epoch = epoch;
	thread_serial_set(task->tgid, namespace_tid(task), ledger->serial);
	thread_announce(ledger, task, now);
}

static __always_inline void add_delay(__u64 ns, __u32 preempted)
{
	__u32 bucket = power_of_two(ns), index;
	struct wire_delay *delay;

	if (bucket >= WIRE_DELAY_BUCKETS)
		bucket = WIRE_DELAY_BUCKETS - 1;
	index = ((epoch & 1) * 2 + preempted) * WIRE_DELAY_BUCKETS + bucket;
	delay = bpf_map_lookup_elem(&delays, &index);
	if (delay) {
		delay->count++;
		delay->ns += ns;
	}
}

static __always_inline void send_interval(const struct task_ledger *ledger, __u64 ns, __u64 end)
{
	__u32 state = WIRE_INTERVAL_ONCPU;

	if (ledger->state == TASK_WOKEN)
		state = WIRE_INTERVAL_WOKEN;
	else if (ledger->state == TASK_PREEMPTED)
		state = ledger->throttled ? WIRE_INTERVAL_THROTTLED : WIRE_INTERVAL_PREEMPTED;
	else if (ledger->state != TASK_RUNNING)
		return;                                 /* a wait: its evidence is not complete yet */
	timeline_add(ledger, state, end - ns, end);
}

/* Adds the time since the last move to the state it was spent in. Waits are added when they are over. */
VERIFIED_ONCE int account(struct task_ledger *ledger, __u64 now)
{
	__u64 ns;

	if (!ledger)
		return 0;
	ns = inside(ledger->since_ns, now);
	if (ledger->since_ns < window_start_ns && ledger->state == TASK_RUNNING)
		ledger->oncpu_before_ns += now - ledger->since_ns - ns;
	ledger->since_ns = now;
	if (!ns)
		return 0;
	if (timeline_wants(ledger))
		send_interval(ledger, ns, now);
	if (ledger->state == TASK_RUNNING) {
		ledger->oncpu_ns += ns;
		ledger->oncpu_count++;
		if (syscalls_watched)
			ledger->oncpu_clock_ns += ns;
		return 0;
	}
	if (runnable_watched && ns >= WIRE_READY_TOLD_NS)
		runnable_add(ledger, ns);
	if (ledger->state == TASK_PREEMPTED && ledger->throttled) {
		ledger->throttled_ns += ns;
		ledger->throttled_count++;
	} else if (ledger->state == TASK_PREEMPTED) {
		ledger->preempted_ns += ns;
		ledger->preempted_count++;
		add_delay(ns, 1);
	} else if (ledger->state == TASK_WOKEN) {
		ledger->woken_ns += ns;
		ledger->woken_count++;
		add_delay(ns, 0);
	}
	return 0;
}

/* Moves the sums of the ledger, and a wait that is over, under their key. Where the map is full the sums stay in the
 * ledger and the wait becomes a lost one, of which only the length is kept. */
VERIFIED_ONCE int flush(struct task_ledger *ledger, const struct wire_wait_key *from, __u64 wait_ns, __u32 waits, __u64 woken_ns)
{
	struct wire_wait_value *value;
	struct wire_wait_key key;

	if (!ledger || !from)
		return 0;
	key = *from;                                    /* Linux 6.1 looks up what lies on this function's own stack only */
	value = PAIR_VALUE(waits, &key);
	if (!value) {
		ledger->lost_ns += wait_ns;
		ledger->lost_count += waits;
		count(COUNT_WAITS_LOST);
		return 0;
	}
	value->count += waits;
	value->wait_ns += wait_ns;
	if (wait_ns > value->wait_maximum_ns)
		value->wait_maximum_ns = wait_ns;
	if (woken_ns > value->woken_maximum_ns)
		value->woken_maximum_ns = woken_ns;
	value->woken_ns += ledger->woken_ns;
	value->woken_count += ledger->woken_count;
	value->oncpu_ns += ledger->oncpu_ns;
	value->oncpu_count += ledger->oncpu_count;
	ledger->woken_ns = ledger->oncpu_ns = 0;
	ledger->woken_count = ledger->oncpu_count = 0;
	if (ledger->preempted_count | ledger->throttled_count | ledger->lost_count | ledger->migrations) {
		value->preempted_ns += ledger->preempted_ns;
		value->preempted_count += ledger->preempted_count;
		value->throttled_ns += ledger->throttled_ns;
		value->throttled_count += ledger->throttled_count;
		value->lost_ns += ledger->lost_ns;
		value->lost_count += ledger->lost_count;
		value->migrations += ledger->migrations;
		ledger->preempted_ns = ledger->throttled_ns = ledger->lost_ns = 0;
		ledger->preempted_count = ledger->throttled_count = ledger->lost_count = ledger->migrations = 0;
	}
	ledger->epoch = epoch;
	return 0;
}

VERIFIED_ONCE int flush_without_wait(struct task_ledger *ledger)
{
	struct wire_wait_key key = {};

	if (!ledger)
		return 0;
	key.thread = ledger->serial;
	flush(ledger, &key, 0, 0, 0);
	return 0;
}

VERIFIED_ONCE int add_split(struct task_ledger *ledger, const struct wire_wait_key *key, __u64 wait_ns)
{
	struct wire_split_key split = {};
	struct wire_split_value *value;

	if (!ledger || !key)
		return 0;
	split.wait = *key;
	split.user_stack = ledger->user_stack;
	split.waker = ledger->waker;
	split.p_log2 = ledger->p_log2;
	split.waker_stack = ledger->waker_stack;
	count(COUNT_SPLITS);
	value = PAIR_VALUE(splits, &split);
	if (!value) {
		count(COUNT_SPLITS_LOST);
		return 0;
	}
	value->count++;
	value->wait_ns += wait_ns;
	if (wait_ns > value->maximum_ns)
		value->maximum_ns = wait_ns;
	return 0;
}

/* A wait is over at wake_ns; the thread goes on (or the window ends) at now. The sums hold the time up to now. */
VERIFIED_ONCE int finish_wait(struct task_ledger *ledger, __u64 wake_ns, __u64 now, __u32 flags)
{
	struct wire_wait_key key = {};
	__u64 wait_ns;

	if (!ledger || now <= window_start_ns)
		return 0;
	if (wake_ns <= window_start_ns) {               /* over before the window opened */
		flush_without_wait(ledger);
		return 0;
	}
	wait_ns = inside(ledger->wait_start_ns, wake_ns);
	key.thread = ledger->serial;
	key.evidence = ledger->evidence;
	if (ledger->wait_start_ns < window_start_ns)
		flags |= WIRE_CUT_START;
	key.evidence.flags |= flags;
	key.evidence.bucket = power_of_two(wait_ns);
	count(COUNT_WAITS);
	flush(ledger, &key, wait_ns, 1, now - wake_ns);
	if (ledger->bio_resumes)
		block_resumed(ledger, now - wake_ns);
	if (timeline_wants(ledger))
		timeline_add_wait(ledger, &key.evidence, wake_ns - wait_ns, wake_ns);
	if (ledger->sampled)
		add_split(ledger, &key, wait_ns);
	if (ledger->site < WAIT_SITES && !(flags & (WIRE_CUT_START | WIRE_CUT_END)))
		wait_site_learn(&ledger->sites[ledger->site], wait_ns);
	return 0;
}

/* From where a task is throttled by itself its queue no longer tells: who runs in a throttled group goes on until it leaves the kernel. */
static __always_inline bool is_throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count))
		return BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
	return false;
}

/* A switch that must have happened was not seen: some contexts are closed to tracing. The time since the last move is then
 * a mixture that nobody can take apart: it is lost, not spread over the states. */
VERIFIED_ONCE int lose(struct task_ledger *ledger, __u64 now)
{
	__u64 ns;

	if (!ledger)
		return 0;
	ns = inside(ledger->since_ns, now);
	count(COUNT_SWITCHES_MISSED);
	if (ledger->state == TASK_BLOCKED && ledger->wait_start_ns) {
		if (locks_watched)
			lock_left(ledger, now);
		finish_wait(ledger, now, now, WIRE_NO_WAKER | WIRE_LOST);
	} else {
		if (ledger->state == TASK_WOKEN && ledger->wait_start_ns)
			finish_wait(ledger, ledger->since_ns, ledger->since_ns, 0);
		ledger->lost_ns += ns;
		ledger->lost_count += ns != 0;
		if (timeline_wants(ledger))
			timeline_add(ledger, WIRE_INTERVAL_LOST, now - ns, now);
	}
	ledger->since_ns = now;
	ledger->wait_start_ns = 0;
	return 0;
}

/* Only for tests: 1 % of all wake-ups go unseen, by both tracepoints, or of all switches the half of who comes. */
#ifndef CROSSCUT_DROP_WAKEUPS
#define CROSSCUT_DROP_WAKEUPS 0
#endif
#ifndef CROSSCUT_DROP_ARRIVALS
#define CROSSCUT_DROP_ARRIVALS 0
#endif
static __always_inline bool drops(bool some, __u64 since)
{
	return some && since && (since * 0x9e3779b97f4a7c15ull >> 32) % 100 == 0;
}

/* It has the processor from now on. */
static __always_inline void take_up(struct task_ledger *ledger, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 since = ledger->since_ns;

	account(ledger, now);
	if (ledger->state == TASK_BLOCKED) {            /* no wake-up was seen */
		if (locks_watched)
			lock_left(ledger, now);
		finish_wait(ledger, now, now, WIRE_NO_WAKER);
	} else if (ledger->state == TASK_WOKEN && ledger->wait_start_ns) {
		finish_wait(ledger, since, now, 0);
	} else if (ledger->epoch != epoch && now > window_start_ns) {
		flush_without_wait(ledger);
	}
	if (ledger->cpu != cpu && ledger->cpu != ~0u && now > window_start_ns)
		ledger->migrations++;
	ledger->cpu = cpu;
	ledger->wait_start_ns = 0;
	ledger->state = TASK_RUNNING;
	lock_note_move(ledger, now, WIRE_DOING_ONCPU);
}

/* When the thread that leaves now took the processor up, as the scheduler noted it by the clock of its queue; 0: that tells nothing
 * new. That clock was set a moment ago, in this very switch. */
static __always_inline __u64 arrival(const struct task_ledger *ledger, struct task_struct *task, __u64 now)
{
	__u64 clock, noted, at;

	if (!bpf_core_field_exists(task->sched_info.last_arrival) || !bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct cfs_rq *)0)->rq) || !bpf_core_field_exists(((struct rq *)0)->clock))
		return 0;
	clock = BPF_CORE_READ(task, se.cfs_rq, rq, clock);
	noted = BPF_CORE_READ(task, sched_info.last_arrival);
	at = now - (clock - noted);
	return noted && noted <= clock && at > ledger->since_ns && at <= now ? at : 0;
}

/* The current thread ran, but was not seen to be switched in. */
VERIFIED_ONCE int leave_unseen(struct task_ledger *ledger, __u64 now)
{
	__u64 at;

	if (!ledger)
		return 0;
	at = ledger->state == TASK_GONE ? 0 : arrival(ledger, (struct task_struct *)bpf_get_current_task(), now);
	if (at) {
		count(COUNT_SWITCHES_MISSED);
		take_up(ledger, at);
		account(ledger, now);
	} else {
		lose(ledger, now);
	}
	return 0;
}

static __always_inline void leave(void *ctx, struct task_struct *task, struct task_struct *next, __u64 now, bool preempt,
				  unsigned int state)
{
	struct task_ledger *ledger = ledger_of(task, population_all);

	if (!ledger)
		return;
	if (!ledger->serial)
		ledger_start(ledger, task, now, TASK_RUNNING, now > window_start_ns);
	now = not_before(ledger, now);
	if (ledger->state == TASK_RUNNING)
		account(ledger, now);
	else
		leave_unseen(ledger, now);
	if (ledger->runtime_start_ns == RUNTIME_LATER)
		ledger->runtime_start_ns = READ(task, se.sum_exec_runtime) - (now - ledger->start_ns);
	if (preempt || !state) {
		ledger->state = TASK_PREEMPTED;
		ledger->throttled = is_throttled(task);
		if (runnable_watched)
			runnable_left(ledger, task, next, preempt);
		lock_note_move(ledger, now, WIRE_DOING_RUNNABLE);
	} else if (state & TASK_DEAD_BIT) {
		if (now > window_start_ns)
			flush_without_wait(ledger);
		thread_gone(ledger, task, now);
		ledger->state = TASK_GONE;
	} else {
		ledger->state = TASK_BLOCKED;
		ledger->wait_start_ns = now;
		evidence_gather(ctx, task, ledger, state);
		if (locks_watched)
			lock_note_move(ledger, now, lock_doing_of_wait(ledger));
	}
}

static __always_inline void enter(struct task_struct *task, struct task_struct *prev, __u64 now)
{
	struct task_ledger *ledger = ledger_of(task, population_all);

	if (!ledger)
		return;
	if (!ledger->serial)
		ledger_start(ledger, task, now, TASK_PREEMPTED, now > window_start_ns);
	now = not_before(ledger, now);
	if (drops(CROSSCUT_DROP_ARRIVALS, ledger->since_ns))
		return;
	if (runnable_watched && ledger->state == TASK_WOKEN)
		runnable_queued(ledger, prev, now - ledger->since_ns);
	if (ledger->state == TASK_RUNNING)
		lose(ledger, now);                      /* it waited, but was not seen to be switched out */
	take_up(ledger, now);
	if (!ledger->announced)
		thread_announce(ledger, task, now);
}

/* Some contexts are closed to tracing: a switch that is made in one is not seen. If he who leaves is not he who came, one
 * was missed, and nobody can say who had the CPU since. */
static __always_inline void account_cpu(struct task_struct *prev, struct task_struct *next, __u64 now)
{
	__u32 zero = 0;
	struct wire_cpu_time *cpu = bpf_map_lookup_elem(&cpu_times, &zero);

	if (!cpu)
		return;
	if (cpu->seen && cpu->pid != (__u32)prev->pid)
		cpu->unseen_ns += inside(cpu->since_ns, now);
	else if (!prev->pid)
		cpu->idle_ns += inside(cpu->since_ns, now);
	cpu->pid = next->pid;
	cpu->since_ns = now;
	cpu->seen = 1;
}

HIDDEN bool ledger_close(struct task_ledger *ledger, __u64 *ret_end)
{
	__u64 end = window_end_ns;

	if (!ledger->serial || ledger->state == TASK_GONE || ledger->state == TASK_NEW)
		return false;
	ledger->ready_why = WIRE_READY_UNSEEN;          /* nobody knows how it would have ended */
	if (end < ledger->since_ns)                     /* the end was set too late for this thread */
		end = ledger->since_ns;
	if (ledger->state == TASK_BLOCKED) {
		if (locks_watched)
			lock_left(ledger, end);
		finish_wait(ledger, end, end, WIRE_CUT_END);
	} else if (ledger->state == TASK_WOKEN && ledger->wait_start_ns) {
		__u64 wake = ledger->wake_ns;

		account(ledger, end);
		finish_wait(ledger, wake, end, 0);
	} else {
		account(ledger, end);
		flush_without_wait(ledger);
	}
	ledger->state = TASK_GONE;
	*ret_end = end;
	return true;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switched, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u64 now = bpf_ktime_get_ns();

	if (now > window_end_ns) {
		if (prev->pid && (prev_state & TASK_DEAD_BIT))
			thread_died_late(prev);
		return 0;
	}
	count(COUNT_SWITCHES);
	if (prev->pid)
		leave(ctx, prev, next, now, preempt, prev_state);
	if (next->pid)
		enter(next, prev, now);
	if (watch_idle)
		account_cpu(prev, next, now);
	return 0;
}

static __always_inline int woken(void *ctx, struct task_struct *task)
{
	struct task_ledger *ledger = ledger_of(task, population_all);
	__u64 now;

	if (!ledger || (ledger->serial && ledger->state != TASK_BLOCKED))
		return 0;                               /* as a rule the second event of a wake-up: it reads no clock */
	now = bpf_ktime_get_ns();
	if (now > window_end_ns)
		return 0;
	if (!ledger->serial) {
		ledger_start(ledger, task, now, TASK_BLOCKED, now > window_start_ns);
		__builtin_memset(&ledger->evidence, 0, sizeof(ledger->evidence));
		ledger->evidence.syscall = -1;
		ledger->site = WAIT_SITES;
		ledger->lock = 0;
	}
	if (drops(CROSSCUT_DROP_WAKEUPS, ledger->wait_start_ns))
		return 0;
	count(COUNT_WAKES);
	now = not_before(ledger, now);
	ledger->state = TASK_WOKEN;
	ledger->since_ns = now;
	ledger->wake_ns = now;
	evidence_of_wake(ctx, task, ledger);
	if (locks_watched) {
		lock_note_move(ledger, now, WIRE_DOING_RUNNABLE);
		if (ledger->lock)
			lock_left(ledger, now);
	}
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waken, struct task_struct *task)
{
	return woken(ctx, task);
}

/* Catches the wake-up that was raised before the sleeper had left its processor. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_woken, struct task_struct *task)
{
	return woken(ctx, task);
}
