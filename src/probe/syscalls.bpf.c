/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * System calls: how many, how long, with which errors, and how much processor time inside of them. Exact by call; call sites
 * by the user's stack, of one call in 2^k. These two tracepoints slow down every call of every thread of the host, so that
 * nothing here is attached unless it was asked for (doc/overhead.md).
 *
 * k is the power of two of the calls at this place in this slice so far: fixed before the call, whatever it does. The first
 * 256 of each second are all taken, so rare calls have their stacks, and a million calls cost some 3,000.
 */
#include "probe/syscalls.bpf.h"

const volatile bool syscalls_watched = false;

enum { ERROR_LIMIT = 4095, TAKEN_ALL_SHIFT = 8, CALL_SHIFT_LIMIT = 16, STATUS_COMPATIBLE = 2 };
/* NEVER: no event of the thread was seen yet, so it has been where the first one shows it to be. */
enum { CALL_NEVER, CALL_OUTSIDE, CALL_INSIDE };

/* The user half asks for more room where they are used. Exact entries have no stack, sampled ones have, or 0 and a p_log2
 * that says so. */
PAIR_OF_MAPS(calls, 1, 0, struct wire_call_key, struct wire_call_value);
PAIR_OF_MAPS(call_splits, 1, 0, struct wire_call_key, struct wire_call_value);

/* A thread is in one call at a time, and a key holds its thread: no race. */
static __always_inline void value_add(struct wire_call_value *value, const struct wire_call_value *more)
{
	value->count += more->count;
	value->ns += more->ns;
	value->oncpu_ns += more->oncpu_ns;
	value->returned += more->returned;
	if (more->ns > value->maximum_ns)
		value->maximum_ns = more->ns;
}

VERIFIED_ONCE int syscall_add(const struct wire_call_key *from, const struct wire_call_value *more, bool sampled)
{
	struct wire_call_value *value;
	struct wire_call_key key;

	if (!from || !more)
		return 0;
	key = *from;                            /* Linux 6.1 looks up what lies on this function's own stack only */
	if (sampled)
		value = PAIR_VALUE(call_splits, &key);
	else
		value = PAIR_VALUE(calls, &key);
	if (value)
		value_add(value, more);
	else
		count(COUNT_CALLS_LOST);
	return 0;
}

/* On-CPU time of the thread inside the window so far. */
static __always_inline __u64 clock_of(const struct task_ledger *ledger, __u64 now)
{
	__u64 since = ledger->since_ns;

	if (since < window_start_ns)
		since = window_start_ns;
	return ledger->oncpu_clock_ns + (ledger->state == TASK_RUNNING && now > since ? now - since : 0);
}

/* One in 2^k; negative: this one's stack is not taken. */
static __always_inline int choose_call_shift(struct task_ledger *ledger, __u32 call, __u64 ip)
{
	__u32 place = (call * 31 + (__u32)ip + (__u32)(ip >> 7)) & (CALL_PLACES - 1), shift, seen;

	if (ledger->calls_epoch != epoch) {
		ledger->calls_epoch = epoch;
		__builtin_memset(ledger->calls_seen, 0, sizeof(ledger->calls_seen));
	}
	seen = ledger->calls_seen[place]++ >> TAKEN_ALL_SHIFT;
	shift = (seen ? power_of_two(seen) + 1 : 0) + stack_shift;
	if (shift > CALL_SHIFT_LIMIT)
		shift = CALL_SHIFT_LIMIT;
	return bpf_get_prandom_u32() & ((1u << shift) - 1) ? -1 : (int)shift;
}

SEC("?tp_btf/sys_enter")
int BPF_PROG(syscall_entered, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ledger *ledger = ledger_of(task, false);
	int shift = -1;

	if (!ledger || !ledger->serial)
		return 0;
	ledger->call = (__u32)number;
	if (bpf_core_field_exists(task->thread_info.status) && task->thread_info.status & STATUS_COMPATIBLE)
		ledger->call |= WIRE_CALL_COMPATIBLE;
	if (stacks_on_wait && window_is_open())
		shift = choose_call_shift(ledger, ledger->call, regs->ip);
	ledger->call_p_log2 = shift < 0 ? 0xff : shift;
	if (shift >= 0)
		ledger->call_stack = unwind_take(SCRATCH_TASK);
	ledger->call_begun_ns = bpf_ktime_get_ns();     /* what was done here is no part of the call */
	ledger->call_clock_ns = clock_of(ledger, ledger->call_begun_ns);
	ledger->call_state = CALL_INSIDE;
	return 0;
}

static __always_inline void add_call(const struct task_ledger *ledger, const struct wire_call_value *call, __u16 error)
{
	struct wire_call_key key = { .thread = ledger->serial, .call = ledger->call, .error = error };

	key.bucket = power_of_two(call->ns);
	count(COUNT_CALLS);
	syscall_add(&key, call, false);
	if (ledger->call_p_log2 == 0xff || !call->count)
		return;
	key.bucket = 0;
	key.p_log2 = ledger->call_p_log2;
	key.user_stack = ledger->call_stack;
	syscall_add(&key, call, true);
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(syscall_left, struct pt_regs *regs, long result)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);
	__u64 now, begun, clock;
	struct wire_call_value call = {};
	__u32 state;

	if (!ledger || !ledger->serial)
		return 0;
	now = bpf_ktime_get_ns();
	state = ledger->call_state;
	ledger->call_state = CALL_OUTSIDE;
	if (now <= window_start_ns || now > window_end_ns || state == CALL_OUTSIDE)
		return 0;
	clock = clock_of(ledger, now);
	if (state == CALL_NEVER) {                      /* it was in this call since before it was seen */
		ledger->call = (__u32)regs->orig_ax;
		ledger->call_p_log2 = 0xff;
		call.oncpu_ns = clock;
		add_call(ledger, &call, 0);
		return 0;
	}
	begun = ledger->call_begun_ns > window_start_ns ? ledger->call_begun_ns : window_start_ns;
	call.count = 1;
	call.ns = now > begun ? now - begun : 0;
	call.oncpu_ns = clock - ledger->call_clock_ns;
	if (result > 0)
		call.returned = result;
	add_call(ledger, &call, result < 0 && result >= -ERROR_LIMIT ? (__u16)-result : 0);
	return 0;
}

VERIFIED_ONCE int syscall_cut(struct task_ledger *ledger)
{
	struct wire_call_value call = {};

	if (!ledger || ledger->call_state != CALL_INSIDE)
		return 0;
	call.oncpu_ns = ledger->oncpu_clock_ns - ledger->call_clock_ns;
	ledger->call_state = CALL_OUTSIDE;
	if (call.oncpu_ns)
		add_call(ledger, &call, 0);
	return 0;
}
